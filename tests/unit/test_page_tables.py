import pytest
from page_bodies import body


def rows(html: str) -> list[str]:
    return body(f"<table>{html}</table>").splitlines()


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
    assert rows(
        """<caption>Finals</caption><tr><th>Year</th><th colspan="2">Teams</th></tr>
        <tr><td rowspan="2">1930</td><td>A</td><td>B</td></tr><tr><td>C</td><td>D</td></tr>
        <tr><td>1934</td><td>F</td><td></td></tr>"""
    ) == [
        "Finals",
        "| Year | Teams | Teams |",
        "| --- | --- | --- |",
        "| 1930 | A | B |",
        "| 1930 | C | D |",
        "| 1934 | F |  |",
    ]


def test_a_row_that_ends_early_keeps_the_columns_that_come_from_above() -> None:
    assert rows(
        """<tr><td>1</td><td>a</td><td rowspan="3">x</td></tr><tr><td>2</td></tr>
        <tr><td>3</td><td>c</td></tr><tr><td>4</td><td>d</td><td>y</td></tr>"""
    ) == ["| 1 | a | x |", "| 2 |  | x |", "| 3 | c | x |", "| 4 | d | y |"]


def test_row_spans_end_with_their_section() -> None:
    html = """<thead><tr><th rowspan="5">A</th><th>B</th></tr></thead>
    <tbody><tr><td rowspan="0">1</td><td>2</td></tr><tr><td>3</td></tr></tbody>
    <tbody><tr><td>4</td><td>5</td></tr></tbody>"""
    assert rows(html) == ["| A | B |", "| --- | --- |", "| 1 | 2 |", "| 1 | 3 |", "| 4 | 5 |"]


def test_the_rule_stands_below_the_last_row_of_headers() -> None:
    html = """<tr><th rowspan="2">Team</th><th colspan="2">Goals</th></tr>
    <tr><th>for</th><th>against</th></tr><tr><th>Peru</th><td>3</td><td>1</td></tr>"""
    assert rows(html) == [
        "| Team | Goals | Goals |",
        "| Team | for | against |",
        "| --- | --- | --- |",
        "| Peru | 3 | 1 |",
    ]


def test_a_total_in_headers_is_no_head() -> None:
    html = """<tr><th colspan="2">Apps</th></tr><tr><th>Club</th><th>Goals</th></tr>
    <tr><td>A</td><td>3</td></tr><tr><th>Total</th><th>3</th></tr>"""
    assert rows(html) == [
        "| Apps |",
        "| Club | Goals |",
        "| --- | --- |",
        "| A | 3 |",
        "| Total | 3 |",
    ]
    assert rows(
        "<tr><td>a</td><td>b</td></tr><tr><th>c</th><th>d</th></tr><tr><td>e</td><td>f</td></tr>"
    ) == [
        "| a | b |",
        "| c | d |",
        "| e | f |",
    ]


def test_an_empty_corner_is_part_of_the_headers() -> None:
    assert rows(
        "<tr><td></td><th>A</th><th>B</th></tr><tr><th>x</th><td>1</td><td>2</td></tr>"
    ) == ["|  | A | B |", "| --- | --- | --- |", "| x | 1 | 2 |"]


def test_a_long_text_is_not_repeated() -> None:
    long = "word " * 50
    lines = rows(
        f"""<tr><td rowspan="2" colspan="2">{long}</td><td>a</td></tr><tr><td>b</td></tr>"""
    )
    assert lines == [f"| {long.strip()} |  | a |", "| \u2033 |  | b |"]
    middling = "word " * 20
    lines = rows(
        f'<tr><td rowspan="2" colspan="2">{middling}</td><td>a</td></tr><tr><td>b</td></tr>'
    )
    assert lines == [f"| {middling.strip()} |  | {letter} |" for letter in "ab"]


def test_a_bar_in_a_cell_is_no_border() -> None:
    assert rows("<tr><td>a|b</td><td>c</td></tr>") == [r"| a\|b | c |"]


def test_a_very_wide_table_keeps_every_cell() -> None:
    cells = "".join(f"<td>c{number}</td>" for number in range(150))
    assert rows(f"<tr>{cells}</tr>")[0].count("| c") == 150


@pytest.mark.parametrize("span", ["0", "-1", "x", "99999999999", "", "\u00b2"])
def test_hostile_spans_do_no_harm(span: str) -> None:
    lines = rows(f'<tr><td colspan="{span}" rowspan="{span}">a</td><td>b</td></tr>')
    assert lines[0].startswith("| a |")
    assert "| b |" in lines[0]
    assert len(lines[0]) < 1_000


def test_a_table_of_nothing_but_spans_stays_small() -> None:
    cells = '<td rowspan="1000" colspan="100">x</td>' * 500
    text = body(f"<table><tr>{cells}</tr>{'<tr><td>y</td></tr>' * 900}</table>")
    assert text.count("y") == 900
    assert len(text) < 1_200_000
    assert rows(f"<tr>{cells}</tr>{'<tr></tr>' * 50}")[1:] == []


def test_tables_alone_in_a_row_go_on_as_rows() -> None:
    html = """<tr><th colspan="2">Ann</th></tr><tr><td colspan="2"><div><b>Medals</b>
    <table><tr><th>Gold</th><td>2012</td></tr><tr><th>Silver</th><td>2016</td></tr></table></div></td></tr>
    <tr><th>Born</th><td>1990</td></tr>"""
    assert body(f'<table class="infobox">{html}</table>').splitlines() == [
        "| Ann |",
        "| Medals |",
        "| Gold | 2012 |",
        "| Silver | 2016 |",
        "| Born | 1990 |",
    ]


def test_a_table_in_a_cell_among_others_is_one_text() -> None:
    inner = "<table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>"
    html = f'<table class="wikitable"><tr><td>x</td><td>{inner}</td></tr></table>'
    assert body(html) == "| x | a · b; c · d |"


def test_tables_that_only_place_things_leave_no_trace() -> None:
    html = """<table><tr><td><table class="wikitable"><tr><td>a</td><td>b</td></tr></table></td>
    <td><ul><li>c</li><li>d</li></ul></td></tr></table>"""
    assert body(html) == "| a | b |\n\n- c\n- d"
    multicol = '<table class="multicol"><tr><td><p>e</p></td><td><p>f</p></td></tr></table>'
    assert body(multicol) == "e\n\nf"
    presented = '<table role="presentation"><tr><td><h2>Part</h2><p>g</p></td></tr></table>'
    assert body(presented) == "## Part\n\ng"


def test_lists_and_lines_in_a_cell_are_divided() -> None:
    html = """<tr><th>Genres</th><td><div class="hlist"><ul><li>rock</li><li>pop</li></ul></div></td></tr>
    <tr><th>Label</th><td>A<br />B<p>C</p><hr>D</td></tr>"""
    assert rows(html) == ["| Genres | rock; pop |", "| Label | A; B; C; D |"]


def test_sort_keys_are_not_seen() -> None:
    html = """<tr><td data-sort-value="0042">42<span class="sortkey">0042!</span></td>
    <td><span style="visibility:hidden;color:transparent;">0</span>7</td>
    <td><span style="display:none" class="x">7001</span>10</td></tr>"""
    assert rows(html) == ["| 42 | 7 | 10 |"]


def test_flags_and_signs_speak_where_nothing_else_does() -> None:
    html = """<tr><td><span class="flagicon"><a href="/wiki/France"><img alt="France" width="23"></a></span>
    <a href="/wiki/Ann">Ann</a></td><td><img alt="Yes" width="20"></td><td><img alt="wide" width="220"></td>
    <td><a href="/wiki/File:X.jpg" class="mw-file-description"><img alt="photo" width="20"></a> 1</td></tr>"""
    assert rows(html) == ["| [France](/wiki/France) [Ann](/wiki/Ann) | Yes |  | 1 |"]


def test_a_list_of_rows_hidden_until_a_click_is_text() -> None:
    html = (
        """<tr><th>Squad</th><td>2</td></tr><tr style="display: none;"><td>A</td><td>B</td></tr>"""
    )
    assert body(f'<table class="mw-collapsible mw-collapsed">{html}</table>').endswith("| A | B |")
    assert body(f"<table>{html}</table>") == "| Squad | 2 |"


def test_texts_around_a_table_that_is_alone_in_a_row_are_divided() -> None:
    html = """<table class="infobox"><tr><td colspan="2">Before<table><tr><th>k</th><td>v</td></tr>
    </table>After</td></tr></table>"""
    assert body(html) == "| Before; After |\n| k | v |"
