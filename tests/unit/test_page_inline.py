import pytest
from page_bodies import body

from pytest_aar.tools.page_text import page_text


@pytest.mark.parametrize(
    ("href", "shown"),
    [
        ("/wiki/A_(b)#c", "[x](/wiki/A_(b)#c)"),
        ("/wiki/A_)", "[x](/wiki/A_%29)"),
        ("/wiki/A b", "[x](/wiki/A%20b)"),
        ("./Dog", "[x](/wiki/Dog)"),
        ("./Dog#Coat", "[x](/wiki/Dog#Coat)"),
        ("./Nowhere?action=edit&redlink=1", "x"),
        ("//commons.test/a", "[x](https://commons.test/a)"),
        ("https://a.test/?q=1", "[x](https://a.test/?q=1)"),
        ("#note", "x"),
        ("", "x"),
        ("/w/index.php?title=N&action=edit&redlink=1", "x"),
        ("/w/index.php?title=N&action=edit&section=2", "x"),
        ("javascript:evil()", "x"),
        ("mailto:a@b.test", "x"),
    ],
)
def test_links_keep_their_target_where_there_is_one(href: str, shown: str) -> None:
    assert body(f'<p><a href="{href}">x</a></p>') == shown


def test_relative_links_need_the_pages_address() -> None:
    html = '<p><a href="b">x</a> <a href="http://[broken">y</a></p>'
    page = page_text(html, url="https://a.test/c/d", title="T")
    assert page.blocks == ("[x](https://a.test/c/b) y",)


@pytest.mark.parametrize(
    ("html", "shown"),
    [
        ("10<sup>6</sup> m<sup>&minus;3</sup>", "10⁶ m⁻³"),
        ("2,672 km<sup>2</sup>", "2,672 km²"),
        ("e<sup>x</sup>", "e^x"),
        ("A<sup>T+1</sup>", "A^T+1"),
        ("20<sup>th</sup>, XX<sup>e</sup>", "20th, XXe"),
        ("see<sup>[note]</sup>", "see[note]"),
        ("H<sub>2</sub>O", "H2O"),
        ("T<sub>max</sub>", "T_max"),
        ("3<sup>1</sup>\u2044<sub>2</sub>", "3 1\u20442"),
        ('4<span class="frac"><span> </span><sup>3</sup>&frasl;<sub>4</sub></span>', "4 3\u20444"),
        ("5<sup>1</sup>/<sub>2</sub> in", "5 1/2 in"),
        ("<b>5</b> or <i>5</i><sup>3</sup>\u2215<sub>4</sub>", "5 or 5 3\u22154"),
        ("<i>x</i><sup>2</sup>/<sub>3</sub>, 10<sup>6</sup>/s", "x²/3, 10⁶/s"),
        ("<small>(in <abbr title='million'>m</abbr>)</small>", "(in m)"),
        ("a\u200bb soft\u00adly", "ab softly"),
        ("run <code>ls -l</code>", "run ls -l"),
    ],
)
def test_powers_indices_and_fractions_keep_their_meaning(html: str, shown: str) -> None:
    assert body(f"<p>{html}</p>") == shown


WRAPPED = """<span class="mwe-math-element"><span class="mwe-math-mathml-inline mwe-math-mathml-a11y"
style="display: none;"><math alttext="{\\displaystyle a|b}"><semantics><mi>a</mi>
<annotation encoding="application/x-tex">{\\displaystyle a|b}</annotation></semantics></math></span>IMAGE</span>"""


@pytest.mark.parametrize(
    "image",
    [
        '<img class="mwe-math-fallback-image-inline" alt="{\\displaystyle a|b}">',
        '<img class="mwe-math-fallback-image-inline mw-invert" aria-hidden="true" alt="">',
        '<meta class="mwe-math-fallback-image-inline" style="background-image:url(x)">',
        "",
    ],
)
def test_a_formula_is_its_tex_once(image: str) -> None:
    formula = WRAPPED.replace("IMAGE", image)
    assert body(f"<p>so {formula}.</p>") == "so ${\\displaystyle a|b}$."
    assert body(f"<dl><dd>{formula}</dd></dl>") == "- ${\\displaystyle a|b}$"


@pytest.mark.parametrize(
    "mark", ['class="mwe-math-mathml-display"', 'class="mwe-math-fallback-image-display"']
)
def test_a_displayed_formula_has_its_own_line(mark: str) -> None:
    formula = f'<span class="mwe-math-element"><span {mark}><math alttext="a"></math></span></span>'
    assert (
        body(f"<p>so</p>{formula}for any b<h2>On {formula}</h2>")
        == "so\n\n$a$\nfor any b\n\n## On $a$"
    )
    block = '<span class="mwe-math-element mwe-math-element-block"><math alttext="a"></math></span>'
    assert body(f"<p>x {block} y</p>") == "x\n$a$\ny"
    assert body(f"<pre>x{block}y</pre>") == "```\nx\n$a$\ny\n```"


@pytest.mark.parametrize(
    ("html", "shown"),
    [
        ('<math alttext="a^2"><mi>a</mi></math>', "$a^2$"),
        ("<math><semantics><mi>a</mi><annotation>b^2</annotation></semantics></math>", "$b^2$"),
        ("<math><mi>x</mi><mn>2</mn></math>", "$x 2$"),
        ('<img class="tex" alt="\\int f">', "$\\int f$"),
        ('<img class="mwe-math-fallback-image-inline" alt="{b}">', "${b}$"),
    ],
)
def test_formulas_of_all_ages_are_read(html: str, shown: str) -> None:
    assert body(f"<p>{html}</p>") == shown


def test_white_space_folds_and_pre_stays() -> None:
    assert (
        body("<p> a \n\t b&nbsp;c\u2009d </p><pre>x  y\n z</pre>")
        == "a b c d\n\n```\nx  y\n z\n```"
    )


def test_quotations_are_marked() -> None:
    html = "<p>He said:</p><blockquote><p>One<br>two</p><p>three</p></blockquote><p>after</p>"
    assert body(html) == "He said:\n\n> One\n> two\n\n> three\n\nafter"


@pytest.mark.parametrize("tag", ["span", "small", "font", "ins"])
def test_blocks_inside_inline_tags_stay_blocks(tag: str) -> None:
    html = f"<{tag}><h2>Part</h2><p>text</p><table><tr><td>a</td><td>b</td></tr></table></{tag}>"
    page = page_text(html, title="T")
    assert page.blocks == ("## Part", "text", "| a | b |")
    assert [heading.title for heading in page.headings] == ["Part"]


CHEM = "font-size:80%;vertical-align:-0.4em;display:inline-block"


@pytest.mark.parametrize(
    ("html", "shown"),
    [
        (
            'SO<span class="template-chem2-su"><span>2\u2212</span><span>4</span></span> ions',
            "SO²⁻₄ ions",
        ),
        (
            f'SO<span style="{CHEM}"><sup>2\u2212</sup><br><sub>4</sub></span> ions',
            "SO²⁻₄ ions",
        ),
        (
            f'1.27<span style="{CHEM}">+0.05<br>\u22120.03</span> m',
            "1.27+0.05 \u22120.03 m",
        ),
        (
            f'<span style="{CHEM}">A line of a poem<br>and another one</span>',
            "A line of a poem\nand another one",
        ),
        ('<span class="template-chem2-su"><span>2+</span></span>', "2+"),
    ],
)
def test_signs_above_each_other_stand_in_a_row(html: str, shown: str) -> None:
    assert body(f"<p>{html}</p>") == shown


def test_pictures_that_a_mobile_page_loads_late_speak_as_others_do() -> None:
    late = """<noscript><img alt="{0}"></noscript>
    <span class="lazy-image-placeholder" data-alt="{0}" data-width="23"></span>"""
    html = f"""<table class="wikitable"><tr><td>{late.format("Yes")}</td>
    <td><a href="/wiki/Peru">{late.format("Peru")}</a></td></tr></table>"""
    assert body(html) == "| Yes | [Peru](/wiki/Peru) |"
