"""Page text of generated tables and of any HTML at all."""

from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_aar.tools.page_text import page_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Spanning:
    tag: str
    columns: int
    rows: int


CELLS = st.builds(
    Spanning,
    tag=st.sampled_from(["td", "td", "th"]),
    columns=st.integers(1, 4),
    rows=st.integers(1, 4),
)
TABLES = st.lists(st.lists(CELLS, min_size=2, max_size=6), min_size=1, max_size=6)


def html_of(table: list[list[Spanning]]) -> str:
    rows = (
        "".join(
            f'<{cell.tag} colspan="{cell.columns}" rowspan="{cell.rows}">r{y}c{x}</{cell.tag}>'
            for x, cell in enumerate(row)
        )
        for y, row in enumerate(table)
    )
    return f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"


def grid_of(table: list[list[Spanning]]) -> list[list[str]]:
    """Which cell a browser shows where; where two overlap, the later one."""
    places: dict[tuple[int, int], str] = {}
    for y, row in enumerate(table):
        x = 0
        for number, cell in enumerate(row):
            while (y, x) in places:
                x += 1
            for right in range(x, x + cell.columns):
                for below in range(len(table)):
                    places.pop((y + below, right), None)
                places |= {(y + down, right): f"r{y}c{number}" for down in range(cell.rows)}
            x += cell.columns
    widths = [max(x for other, x in places if other == y) + 1 for y in range(len(table))]
    return [[places.get((y, x), "") for x in range(width)] for y, width in enumerate(widths)]


@given(TABLES)
@settings(max_examples=100, deadline=None)
def test_each_row_has_its_cells_in_the_columns_where_a_browser_shows_them(
    table: list[list[Spanning]],
) -> None:
    lines = page_text(html_of(table), title="T").blocks[0].splitlines()
    rows = [line.strip("| ").split(" | ") for line in lines if not line.startswith("| ---")]
    grid = [" | ".join(row).strip("| ").split(" | ") for row in grid_of(table)]
    assert rows == grid


# fmt: off
TAGS = st.sampled_from([
    "a", "b", "br", "blockquote", "caption", "center", "dd", "div", "dl", "dt", "figure", "h2", "h3", "img",
    "li", "math", "ol", "p", "pre", "script", "section", "small", "span", "style", "sub", "sup", "table",
    "tbody", "td", "template", "th", "thead", "tr", "ul",
])
KEPT = st.sampled_from([
    "b", "div", "dd", "dl", "h2", "li", "ol", "p", "section", "small", "span", "table", "td", "tr", "ul",
    "blockquote",
])
# fmt: on
ATTRIBUTES = st.sampled_from(
    [
        "",
        ' class="infobox"',
        ' class="navbox"',
        ' class="reference"',
        ' class="mw-parser-output"',
        ' class="mwe-math-element"',
        ' style="display:none"',
        ' colspan="3"',
        ' rowspan="0"',
        " hidden",
        ' href="/wiki/A"',
        ' href="http://["',
        ' alt="x" width="20"',
        ' role="presentation"',
        ' start="9"',
    ]
)  # fmt: skip
PIECES = st.one_of(
    st.builds(lambda tag, more: f"<{tag}{more}>", TAGS, ATTRIBUTES),
    st.builds(lambda tag: f"</{tag}>", TAGS),
    st.sampled_from(["word", " ", "|", "&nbsp;", "<!--", "-->", "\x00", "\x02", "]](", "<"]),
    st.text(max_size=5),
)


@given(st.lists(PIECES, max_size=60).map("".join))
@settings(max_examples=150, deadline=None)
def test_any_html_gives_text_without_raising(html: str) -> None:
    page = page_text(html, title="T", url="https://a.test/b")
    assert page.markdown().startswith("# T")
    assert all(block.strip() for block in page.blocks)
    assert not any("\x00" in block for block in page.blocks)
    assert all("#" in page.blocks[heading.block] for heading in page.headings)


@given(st.lists(st.tuples(KEPT, st.integers(0, 2)), min_size=1, max_size=25))
@settings(max_examples=100, deadline=None)
def test_no_word_is_lost_or_doubled_however_tags_nest(nesting: list[tuple[str, int]]) -> None:
    html = "".join(
        f"{'</div>' * closings}<{tag}>word{number}end "
        for number, (tag, closings) in enumerate(nesting)
    )
    text = "\n".join(page_text(html, title="T").blocks)
    assert [text.count(f"word{number}end") for number in range(len(nesting))] == [1] * len(nesting)
