import pytest
from page_bodies import body


def test_lists_nest_and_number() -> None:
    html = "<ul><li>a<ol><li>b</li><li>c</li></ol></li><li>d</li></ul>"
    assert body(html) == "- a\n  1. b\n  2. c\n- d"


def test_definitions_stand_below_their_terms() -> None:
    html = "<dl><dt>e</dt><dd>f</dd><dt>g</dt><dd>h<ul><li>i</li></ul></dd></dl>"
    assert body(html) == "- e\n  - f\n- g\n  - h\n    - i"
    assert body("<dl><dd>indented</dd></dl>") == "- indented"


def test_numbers_start_where_the_page_says() -> None:
    html = '<ol start="7"><li>a</li><li value="10">b</li><li>c</li></ol>'
    assert body(html) == "7. a\n10. b\n11. c"
    assert body('<ol start="x"><li value="-">a</li></ol>') == "1. a"


@pytest.mark.parametrize("tag", ["div", "span", "center"])
def test_a_wrapper_around_a_list_does_not_flatten_it(tag: str) -> None:
    html = f"<ul><li>a<{tag}><ul><li>b</li></ul></{tag}></li></ul>"
    assert body(html) == "- a\n  - b"
    columns = f'<div class="div-col"><{tag}><ul><li>a</li><li>b</li></ul></{tag}></div>'
    assert body(columns) == "- a\n- b"


def test_a_table_in_an_item_keeps_its_rows() -> None:
    html = "<dl><dd>see<table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table></dd></dl>"
    assert body(html) == "- see\n  | a | b |\n  | c | d |"


def test_what_stands_in_a_list_without_an_item_is_kept() -> None:
    assert body("<ul>loose<li>a</li><p>b</p></ul>") == "- loose\n- a\n- b"


def test_a_gallery_keeps_its_captions() -> None:
    html = """<ul class="gallery"><li class="gallerycaption">Views</li><li class="gallerybox">
    <div class="thumb"><a href="/wiki/File:A.jpg" class="image"><img alt="a"></a></div>
    <div class="gallerytext"><p>The bay in 1900</p></div></li></ul>"""
    assert body(html) == "- Views\n- The bay in 1900"


def test_what_follows_a_list_in_an_item_stays_below_it() -> None:
    assert body("<ul><li>one<ul><li>a</li></ul>two</li></ul>") == "- one\n  - a\n  two"
    table = "<table><tr><td>b</td></tr></table>"
    html = f"<ol><li><div><ul><li>a</li></ul></div>two{table}three</li><li>c</li></ol>"
    assert body(html) == "1.\n  - a\n  two\n  | b |\n  three\n2. c"
