from pathlib import Path

import pytest
from page_bodies import body

from pytest_aar.tools.page_text import page_text


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


def test_the_title_is_found_in_whole_pages() -> None:
    html = "<title>Lima - Wiki</title><h1 id='firstHeading'>Lima</h1><div class='mw-parser-output'>x</div>"
    assert page_text(html).title == "Lima"
    assert page_text("<title>Only</title><p>x</p>").title == "Only"


def test_the_larger_of_several_articles_is_the_page() -> None:
    html = '<div class="mw-parser-output">icon</div><div class="mw-parser-output"><p>The article.</p></div>'
    assert body(html) == "The article."


@pytest.mark.parametrize(
    "opening",
    ["<div>", "<span>", "<ul><li>", "<table><tr><td>", "<blockquote>", "<sup>", "<section>"],
)
def test_a_page_nested_beyond_reason_gives_its_text(opening: str) -> None:
    assert "deep" in body(opening * 2_000 + "deep")


@pytest.mark.parametrize(
    "html",
    [
        "<span>" * 900 + "<b>x</b>" * 20_000 + "<p>y",
        "<ul><li>" + "<div>" * 900 + "<b>x</b>" * 20_000 + "<ul><li>y",
        "<blockquote>" * 400 + "<p>x</p>" * 2_000,
        "<ul><li>x" * 400,
        '<div style="display:none">' * 900 + "<script>1</script>" * 2_000,
        '<span style="vertical-align:1em">x<br>' * 4_000 + "y" * 100_000,
        "<table>" + ("<tr><td rowspan=1000 colspan=100>" + "t" * 60_000 + "<tr><td>x" * 300),
    ],
    ids=["inline", "items", "quotes", "lists", "hidden", "stacks", "spans"],
)
def test_a_hostile_page_gives_no_more_than_it_takes(html: str) -> None:
    assert len(body(html)) < 8 * len(html)


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
    films = page_text((folder / "html_films_time_loops_2024_tables.html").read_text())
    assert films.languages == 6
    assert "| Film | Year | Description |\n| --- | --- | --- |" in films.markdown()
