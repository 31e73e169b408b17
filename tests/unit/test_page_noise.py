import pytest
from page_bodies import body

from pytest_aar.tools.page_text import page_text


def test_what_is_not_text_is_dropped() -> None:
    html = """<div class="mw-parser-output"><script>evil()</script><style>p{}</style><p>keep<!-- c -->
    <span style="display:none">hidden</span><sup id="cite_ref-1" class="reference">[1]</sup></p>
    <div class="navbox"><a href="/wiki/N">nav</a></div><img src="x.png" alt="picture">
    <div role="navigation" class="toc">Contents</div><p class="mw-empty-elt"></p></div>"""
    assert body(html) == "keep"


@pytest.mark.parametrize(
    "noise",
    [
        '<sup class="mw-ref" typeof="mw:Extension/ref"><a href="./T#c"><span>[1]</span></a></sup>',
        '<sup class="noprint Inline-Template">[<i><a href="/wiki/CN">citation needed</a></i>]</sup>',
        '<sup class="plainlinks noexcerpt noprint asof-tag update">[update]</sup>',
        '<span class="mw-editsection">[<a href="/w/index.php?title=T&action=edit">edit</a>]</span>',
        '<span class="mw-cite-backlink">^ <a href="#c">a</a></span>',
        '<span rel="mw:referencedBy"><a href="./T#c"><span>↑</span></a></span>',
        '<span style="DISPLAY : none">x</span>',
        '<span style="color:red;visibility:hidden">x</span>',
        '<span hidden="">x</span>',
        '<table class="vertical-navbox"><tr><td>x</td></tr></table>',
        '<div class="plain\nnavbox-styles">x</div>',
        '<table class="plainlinks metadata ambox"><tr><td>This article needs work</td></tr></table>',
        '<div class="navbar"><a href="/wiki/Template:X">v</a></div>',
        '<span class="mw-collapsible-toggle">[show]</span>',
        '<ul class="noprint portalbox"><li>Portal</li></ul>',
        '<div class="noprint portal plainlist">Portal</div>',
        '<div class="noprint" role="navigation">v t e</div>',
        '<div class="pcs-collapse-table-collapsed-container"><strong>Quick facts</strong></div>',
        '<h1 class="pcs-edit-section-title">Title</h1>',
        '<span class="Z3988" title="ctx_ver=Z39.88">&nbsp;x</span>',
        '<template>x</template><noscript><img alt="x">x</noscript>',
        '<audio controls>x</audio>',
        '<table><tr><td class="linenos"><pre>1</pre></td></tr></table>',
    ],
)  # fmt: skip
def test_marks_tools_and_hidden_parts_are_dropped(noise: str) -> None:
    assert body(f"<div>a {noise} b</div>").split() == ["a", "b"]


@pytest.mark.parametrize(
    "text",
    [
        '<span class="noprint ForceAgeToShow">x</span>',
        '<span class="noprint">x</span>',
        '<div class="no-navbox">x</div>',
        '<div class="skin-navboxless page">x</div>',
        '<div class="hatnote navigation-not-searchable">x</div>',
        '<div class="noexcerpt noprint dablink">x</div>',
        '<div class="spoken-wikipedia noprint haudio">x</div>',
        '<section data-mw-section-id="3" style="display: none;">x</section>',
        '<div class="pcs-collapse-table-container"><table class="infobox" style="display: none;"><tr><td>x</table>',
        '<ul class="NavContent" style="display:none"><li>x</li></ul>',
        '<div class="mw-collapsible-content" style="display: none;">x</div>',
        '<div class="collapsible-block" hidden="until-found">x</div>',
        '<section hidden="" class="collapsible-block">x</section>',
        '<span style="border:none;overflow:hidden">x</span>',
        '<figure><a class="mw-file-description"><img alt="y"></a><figcaption>x</figcaption></figure>',
        '<div class="thumbcaption"><div class="magnify"><a href="/wiki/File:A.jpg"></a></div>x</div>',
        '<table class="sidebar"><tr><td>x</td></tr></table>',
        '<abbr title="y">x</abbr>',
    ],
)  # fmt: skip
def test_ages_notes_captions_and_folded_parts_are_kept(text: str) -> None:
    assert body(f"<div>a {text} b</div>").replace("|", "").replace("-", "").split() == [
        "a",
        "x",
        "b",
    ]


SKIN = """<html><head><title>Lima - Wikipedia</title></head><body class="skin-{skin}">
<nav class="vector-main-menu"><ul><li>Main page</li></ul></nav><form><input value="Search"></form>
<div id="content" class="mw-body"><div class="mw-indicators">{indicators}</div>
<h1 id="firstHeading">Lima</h1><div id="bodyContent"><div id="siteSub">From Wikipedia</div>
<div id="mw-content-text">{text}<div class="printfooter">Retrieved from</div></div>
<div id="catlinks" class="catlinks">Categories: Lima</div></div></div>
<div id="p-lang"><ul>{languages}</ul></div>{heading}<footer id="footer">Privacy policy</footer></body></html>"""
EDITION = '<li class="interlanguage-link interwiki-de"><a href="https://de.test/">Deutsch</a></li>'


@pytest.mark.parametrize(
    ("skin", "text"),
    [
        ("vector", "<p>Lima is a city.</p>"),  # before 2018
        ("vector", '<div class="mw-parser-output"><p>Lima is a city.</p></div>'),
        ("vector-2022", '<div class="mw-content-ltr mw-parser-output"><p>Lima is a city.</p></div>'),
        ("minerva", '<div class="mw-parser-output"><section id="mf-section-0"><p>Lima is a city.</p></section></div>'),
        ("parsoid", '<div class="mw-parser-output"><section data-mw-section-id="0"><p>Lima is a city.</section></div>'),
    ],
)  # fmt: skip
def test_of_a_whole_page_only_the_article_is_read(skin: str, text: str) -> None:
    html = SKIN.format(skin=skin, text=text, languages=EDITION * 3, heading="", indicators="")
    page = page_text(html)
    assert page.title == "Lima"
    assert page.languages == 3
    assert page.blocks == ("Lima is a city.",)


def test_coordinates_above_the_article_come_first() -> None:
    mark = """<div id="mw-indicator-coordinates" class="mw-indicator"><div class="mw-parser-output">
    <span id="coordinates">Coordinates: 12°S 77°W</span></div></div>"""
    text = '<div class="mw-parser-output"><p>Lima is a city.</p></div>'
    page = page_text(SKIN.format(skin="x", text=text, languages="", heading="", indicators=mark))
    assert page.blocks == ("Coordinates: 12°S 77°W", "Lima is a city.")
    assert page.languages is None


def test_a_button_may_tell_the_number_of_languages() -> None:
    button = '<label class="mw-portlet-lang-heading-104">104 languages</label>'
    html = SKIN.format(skin="vector-2022", text="x", languages="", heading=button, indicators="")
    assert page_text(html).languages == 104


def test_right_to_left_pages_keep_their_letters() -> None:
    html = """<div class="mw-content-rtl mw-parser-output" dir="rtl"><h2>تاریخ</h2>
    <p>می\u200cروم به <a href="/wiki/%D8%AA%D9%87%D8%B1%D8%A7%D9%86">تهران</a>.</p></div>"""
    page = page_text(html, title="ت")
    assert [heading.title for heading in page.headings] == ["تاریخ"]
    assert page.blocks[1] == "می\u200cروم به [تهران](/wiki/%D8%AA%D9%87%D8%B1%D8%A7%D9%86)."
