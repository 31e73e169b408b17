"""The markdown of a saved article back to the HTML that MediaWiki gives out today."""

import html
import re
from collections.abc import Callable, Iterator, Sequence

_NESTED = r"(?:[^\[\]]++|\[(?:[^\[\]]++|\[[^\[\]]*+\])*+\])*+"
_TARGET = r'\(\s*((?:[^\s()]++|\([^\s()]*+\))*+)(?:\s+"((?:[^"\\]++|\\.)*+)")?\s*\)'
_IMAGE = re.compile(rf"!\[{_NESTED}\]{_TARGET}")
_LINK = re.compile(rf"\[({_NESTED})\]{_TARGET}")
_AUTOLINK = re.compile(r"&lt;((?:https?:|mailto:)[^\s&]+)&gt;")
_STRONG = re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*")
_EMPHASIS = re.compile(r"(?<![\w*\\])\*(?=[^\s*])([^*]+?)(?<=\S)\*(?![\w*])")
_ESCAPED = re.compile(r"\\([\\*_\[\]`#+.!|-])")
_HEADING = re.compile(r"(#{2,6}) +(.*)")
_ITEM = re.compile(r"( *)(?:[*+-]|(\d+)\.)(?: +|$)(.*)")
_EDIT = re.compile(r"\[\[edit\]\(([^\s)]*(?:\([^)]*\)[^\s)]*)*)[^\]]*\]")
_RULE = re.compile(r"\|(?: *-+ *\|)+ *")
_CELLS = re.compile(r"(?<!\\)\|")
_TEMPLATE_LINK = re.compile(r"\[[vte]\]\(/wiki/(?:Template|Special:EditPage/Template)")
#: What today's infoboxes carry inside their first cell; no text of the page.
_STYLE = (
    '<style data-mw-deduplicate="TemplateStyles:r1">.mw-parser-output .infobox{float:right}</style>'
)


def article_html(body: str) -> str:
    """The parser's output for an article's text: `div.mw-parser-output` with all of it."""
    blocks = "\n".join(_blocks(body.split("\n")))
    return (
        f'<div class="mw-content-ltr mw-parser-output" lang="en" dir="ltr">{_STYLE}{blocks}\n</div>'
    )


def inline(text: str) -> str:
    """Links, emphasis and reference marks of a run of text."""
    shown = html.escape(_IMAGE.sub("", text), quote=False)
    shown = _LINK.sub(_anchor, shown)
    shown = _AUTOLINK.sub(r'<a rel="nofollow" class="external free" href="\1">\1</a>', shown)
    shown = _EMPHASIS.sub(r"<i>\1</i>", _STRONG.sub(r"<b>\1</b>", shown))
    return _ESCAPED.sub(r"\1", shown)


def _anchor(link: re.Match[str]) -> str:
    text, target, title = link.groups()
    if not text.strip():
        return ""
    attribute = target.replace('"', "&quot;")
    named = ' title="{}"'.format(title.replace('\\"', "&quot;")) if title else ""
    anchor = f'<a href="{attribute}"{named}>{text}</a>'
    if target.startswith("#cite_note"):
        return f'<sup class="reference">{anchor}</sup>'
    if target.startswith("#cite_ref"):
        return f'<span class="mw-cite-backlink">{anchor}</span>'
    return anchor


def _blocks(lines: Sequence[str]) -> Iterator[str]:
    """One element of HTML after the other."""
    place, lead = 0, True
    while place < len(lines):
        line = lines[place]
        if not line.strip():
            place += 1
            continue
        kind = _kind_of(line)
        end = _end_of(lines, place, kind)
        taken = lines[place:end]
        if kind is _heading:
            end, lead = end + _edit_lines(lines[end:]), False
        is_box = kind is _table and lead and len(taken) > _SMALL
        yield _infobox(taken) if is_box else kind(taken)
        place = end


#: A table of the lead with more lines than that is an infobox.
_SMALL = 3


def _kind_of(line: str) -> Callable[[Sequence[str]], str]:
    if _HEADING.fullmatch(line):
        return _heading
    if line.startswith("|"):
        return _table
    if _ITEM.fullmatch(line):
        return _list
    return _quote if line.startswith(">") else _paragraph


def _end_of(lines: Sequence[str], start: int, kind: Callable[..., str]) -> int:
    """Where the element ends that begins at `start`."""
    if kind is _heading:
        return start + 1
    end = start + 1
    while end < len(lines) and _goes_on(lines, end, kind):
        end += 1
    return end


def _goes_on(lines: Sequence[str], place: int, kind: Callable[..., str]) -> bool:
    line = lines[place]
    if kind is _list:
        if line.strip():
            return bool(_ITEM.fullmatch(line)) or line.startswith(" ")
        return any(line.startswith("  ") for line in lines[place + 1 : place + 3])
    return bool(line.strip()) and (
        kind is _kind_of(line) or (kind is _paragraph and not line.startswith(("|", "#")))
    )


def _edit_lines(lines: Sequence[str]) -> int:
    """How many lines after a heading are its edit link, which the markup gives in the heading."""
    for count, line in enumerate(lines[:3]):
        if _EDIT.match(line):
            return count + 1
    return 0


def _heading(lines: Sequence[str]) -> str:
    found = _HEADING.fullmatch(lines[0])
    assert found is not None
    level, text = len(found[1]), inline(found[2])
    anchor = html.escape(re.sub(r"<[^>]*>", "", text).replace(" ", "_"))
    edit = '<a href="/w/index.php?action=edit" title="Edit section"><span>edit</span></a>'
    return (
        f'<div class="mw-heading mw-heading{level}"><h{level} id="{anchor}">{text}</h{level}>'
        f'<span class="mw-editsection"><span class="mw-editsection-bracket">[</span>{edit}'
        '<span class="mw-editsection-bracket">]</span></span></div>'
    )


def _paragraph(lines: Sequence[str]) -> str:
    shown = inline("\n".join(lines)).strip()
    return f"<p>{shown}</p>" if shown else ""


def _quote(lines: Sequence[str]) -> str:
    inner = "\n".join(_blocks([line.removeprefix(">").removeprefix(" ") for line in lines]))
    return f"<blockquote>{inner}</blockquote>"


def _list(lines: Sequence[str]) -> str:
    """Nested lists by indentation; lines below an item belong to it."""
    parts: list[str] = []
    open_tags: list[tuple[int, str]] = []
    for line in lines:
        found = _ITEM.fullmatch(line)
        if found is None:
            parts.append(f"{inline(line.strip())} ")
            continue
        indent, tag = len(found[1]), "ol" if found[2] else "ul"
        while open_tags and open_tags[-1][0] > indent:
            parts.append(f"</li></{open_tags.pop()[1]}>")
        if open_tags and open_tags[-1][0] == indent:
            parts.append("</li>\n")
        else:
            open_tags.append((indent, tag))
            parts.append(f"<{tag}>")
        parts.append(f"<li>{inline(found[3])} ")
    parts.extend(f"</li></{tag}>" for _, tag in reversed(open_tags))
    return "".join(parts)


def _rows(lines: Sequence[str]) -> list[list[str]]:
    kept = [line for line in lines if not _RULE.fullmatch(line)]
    return [[cell.strip() for cell in _CELLS.split(line.strip().strip("|"))] for line in kept]


def _table(lines: Sequence[str]) -> str:
    if _TEMPLATE_LINK.search(lines[0]) or "/wiki/Help:Authority_control" in lines[0]:
        inner = _plain_rows(_rows(lines), heads=False)
        return f'<div role="navigation" class="navbox"><table class="nowraplinks">{inner}</table></div>'
    name = "sidebar" if _TEMPLATE_LINK.search(lines[-1]) else "wikitable"
    return f'<table class="{name}"><tbody>{_plain_rows(_rows(lines), heads=True)}</tbody></table>'


def _plain_rows(rows: list[list[str]], *, heads: bool) -> str:
    made = []
    for number, row in enumerate(rows):
        tag = "th" if heads and not number else "td"
        made.append("<tr>" + "".join(f"<{tag}>{inline(cell)}</{tag}>" for cell in row) + "</tr>")
    return "\n".join(made)


def _infobox(lines: Sequence[str]) -> str:
    if _TEMPLATE_LINK.search(lines[0]) or _TEMPLATE_LINK.search(lines[-1]):
        return _table(lines)
    rows = "\n".join(_infobox_row(row, number) for number, row in enumerate(_rows(lines)))
    return f'<table class="infobox vcard"><tbody>{rows}</tbody></table>'


def _infobox_row(row: list[str], number: int) -> str:
    shown = [inline(cell) for cell in row]
    filled = [cell for cell in shown if cell]
    if len(filled) == len(shown) == len(("label", "data")):
        label, data = shown
        return (
            f'<tr><th scope="row" class="infobox-label">{label}</th>'
            f'<td class="infobox-data">{data}</td></tr>'
        )
    if len(filled) > 1:
        return "<tr>" + "".join(f"<td>{cell}</td>" for cell in shown) + "</tr>"
    tag, name = ("td", "infobox-full-data") if number else ("th", "infobox-above")
    style = "" if number else _STYLE
    return f'<tr><{tag} colspan="2" class="{name}">{style}{"".join(filled)}</{tag}></tr>'
