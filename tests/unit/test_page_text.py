from pathlib import Path

import pytest

from pytest_aar.tools.page_text import page_text


def body(html: str) -> str:
    """The markdown of a fragment, without the head."""
    return "\n\n".join(page_text(html, title="T").blocks)


def test_infobox_rows_read_as_label_and_value() -> None:
    html = """<table class="infobox"><tbody><tr><th colspan="2">Lima</th></tr>
    <tr><th scope="row"><a href="/wiki/Population">Population</a> (2023)</th>
    <td>10,151,000<sup class="reference">[1]</sup><style>.x{}</style></td></tr>
    <tr><th>Area</th><td>2,672.3&nbsp;km<sup>2</sup><br>(1,031.8 sq mi)</td></tr></tbody></table>"""
    assert body(html) == (
        "| Lima |\n"
        "| [Population](/wiki/Population) (2023) | 10,151,000 |\n"
        "| Area | 2,672.3 km²; (1,031.8 sq mi) |"
    )


def test_spans_are_filled_in_so_that_each_row_reads_alone() -> None:
    html = """<table><caption>Finals</caption><tr><th>Year</th><th colspan="2">Teams</th></tr>
    <tr><td rowspan="2">1930</td><td>A</td><td>B</td></tr><tr><td>C</td><td>D|E</td></tr>
    <tr><td>1934</td><td>F</td><td></td></tr></table>"""
    assert body(html).splitlines() == [
        "Finals",
        "| Year | Teams | Teams |",
        "| --- | --- | --- |",
        "| 1930 | A | B |",
        "| 1930 | C | D/E |",
        "| 1934 | F |  |",
    ]


@pytest.mark.parametrize("span", ["0", "-1", "x", "99999999999", ""])
def test_hostile_spans_do_no_harm(span: str) -> None:
    html = f'<table><tr><td colspan="{span}" rowspan="{span}">a</td><td>b</td></tr></table>'
    assert body(html).startswith("| a |")
    assert len(body(html)) < 1_000


def test_a_table_of_nothing_but_spans_stays_small() -> None:
    cells = '<td rowspan="1000" colspan="100">x</td>' * 500
    lines = body(f"<table><tr>{cells}</tr>{'<tr></tr>' * 50}</table>").splitlines()
    assert len(lines) == 51
    assert max(len(line) for line in lines) < 500


def test_lists_nest_and_number() -> None:
    html = "<ul><li>a<ol><li>b</li><li>c</li></ol></li><li>d</li></ul><dl><dt>e</dt><dd>f</dd></dl>"
    assert body(html) == "- a\n  1. b\n  2. c\n- d\n\n- e\n- f"


def test_headings_old_and_new_make_the_outline() -> None:
    html = """<div class="mw-parser-output"><h2><span class="mw-headline">Old</span>
    <span class="mw-editsection">[edit]</span></h2><p>a</p>
    <div class="mw-heading mw-heading3"><h3 id="N">New</h3><span class="mw-editsection">[edit]</span></div>
    <section><h2>Parsoid <i>style</i></h2><h4>Deep</h4></section></div>"""
    page = page_text(html, title="T")
    assert [(h.number, h.title) for h in page.headings] == [
        ("1", "Old"),
        ("1.1", "New"),
        ("2", "Parsoid style"),
        ("2.1", "Deep"),
    ]
    assert "edit" not in page.markdown()
    assert "## Old\n\na\n\n### New" in page.markdown()


def test_what_is_not_text_is_dropped() -> None:
    html = """<div class="mw-parser-output"><script>evil()</script><style>p{}</style><p>keep<!-- c -->
    <span style="display:none">hidden</span><sup id="cite_ref-1" class="reference">[1]</sup></p>
    <div class="navbox"><a href="/wiki/N">nav</a></div><img src="x.png" alt="picture">
    <div role="navigation" class="toc">Contents</div><p class="mw-empty-elt"></p></div>"""
    assert body(html) == "keep"


@pytest.mark.parametrize(
    ("href", "shown"),
    [
        ("/wiki/A_(b)#c", "[x](/wiki/A_(b))"),
        ("./Dog", "[x](/wiki/Dog)"),
        ("//commons.test/a", "[x](https://commons.test/a)"),
        ("https://a.test/?q=1", "[x](https://a.test/?q=1)"),
        ("#note", "x"),
        ("/w/index.php?title=N&action=edit&redlink=1", "x"),
        ("javascript:evil()", "x"),
        ("mailto:a@b.test", "x"),
    ],
)
def test_links_keep_their_target_where_there_is_one(href: str, shown: str) -> None:
    assert body(f'<p><a href="{href}">x</a></p>') == shown


def test_relative_links_need_the_pages_address() -> None:
    page = page_text('<p><a href="b">x</a></p>', url="https://a.test/c/d", title="T")
    assert page.blocks == ("[x](https://a.test/c/b)",)


def test_powers_and_formulas_keep_their_meaning() -> None:
    html = """<p>10<sup>6</sup> and e<sup>x</sup>, H<sub>2</sub>O,
    <math alttext="a^2"><mi>a</mi></math>
    <img class="mwe-math-fallback-image-inline" alt="{b}"></p>"""
    assert body(html) == "10⁶ and e^x, H2O, $a^2$ ${b}$"


def test_white_space_folds_and_pre_stays() -> None:
    assert body("<p> a \n\t b&nbsp;c </p><pre>x  y\n z</pre>") == "a b c\n\n```\nx  y\n z\n```"


def test_the_title_is_found_in_whole_pages() -> None:
    html = "<title>Lima - Wiki</title><h1 id='firstHeading'>Lima</h1><div class='mw-parser-output'>x</div>"
    assert page_text(html).title == "Lima"
    assert page_text("<title>Only</title><p>x</p>").title == "Only"


def test_a_page_nested_beyond_reason_gives_its_text() -> None:
    html = "<div>" * 5_000 + "deep" + "</div>" * 5_000
    assert "deep" in body(html)


@pytest.mark.parametrize("html", ["", "   ", "<", "<table><tr>", "plain & simple", "<p>\x00</p>"])
def test_odd_input_is_no_error(html: str) -> None:
    assert page_text(html, title="T").markdown().startswith("# T")


def test_real_articles_keep_their_facts(shared: Path) -> None:
    folder = shared / "data/contracts/wikipedia_html"
    text = page_text((folder / "excerpt_new_zealand_2019_lead_infobox.html").read_text()).markdown()
    assert "| Capital | [Wellington](/wiki/Wellington)" in text
    assert "| Largest city | [Auckland](/wiki/Auckland) |" in text
    page = page_text((folder / "html_new_zealand_2019_infobox_1MB.html").read_text())
    assert page.title == "New Zealand"
    assert page.languages == 226
    assert "[edit]" not in page.markdown()
    films = page_text((folder / "html_films_time_loops_2024_tables.html").read_text()).markdown()
    assert "| Film | Year | Description |" in films
