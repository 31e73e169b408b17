"""What of a page is no text for readers: cut out of the tree before the walk."""

import re
from collections.abc import Iterable

from selectolax.lexbor import LexborHTMLParser, LexborNode

from pytest_aar.tools.page_inline import BREAK

# fmt: off
#: Scripts and styles, the wiki's own tools, marks of references and of work to do, navigation.
_NOISE = (
    "script", "style", "template", "noscript", "svg", "head link", "audio", "video",
    ".mw-editsection", ".mw-editsection-like", ".mw-jump-link", ".mw-collapsible-toggle",
    ".collapseButton", ".NavToggle", ".navbar", ".penicon", ".wikidata-linkback",
    ".taxobox-edit-taxonomy",
    ".linenos", "sup.reference", "sup.mw-ref", "sup.noprint", "sup.need_ref_tag", ".Inline-Template",
    ".asof-tag", ".ext-phonos-attribution", ".mw-cite-backlink", '[rel~="mw:referencedBy"]', ".Z3988", ".cs1-maint",
    ".cs1-hidden-error", ".citation-comment",
    ".ambox", ".asbox", ".toc", "#toc", ".portalbox", ".portal-bar",
    ".sister-bar", ".authority-control", ".noprint.portal", '.noprint[role="navigation"]',
    ".pcs-collapse-table-collapsed-container", ".pcs-collapse-table-collapsed-bottom",
    ".pagelib_collapse_table_collapsed_container", ".pagelib_collapse_table_collapsed_bottom",
    "h1.pcs-edit-section-title", "h1.pagelib_edit_section_title",
    ".printfooter", ".catlinks", "#catlinks", "#jump-to-nav", "#siteSub", "#contentSub",
    ".shortdescription", ".sortkey", '[hidden]:not(section):not([hidden="until-found"])',
)
_STYLED = ('[style*="none" i]', '[style*="hidden" i]')
# fmt: on
#: Boxes of links, by whole classes: "navbox", "navbox-inner", "vertical-navbox"; but not "no-navbox".
_NAVIGATION = re.compile(r"(?:^|\s)(?:vertical-)?navbox(?:-\S*)?(?=\s|$)")
_SELECTOR = ",".join(_NOISE)
_SELECTOR_STYLED = ",".join(_STYLED)
_HIDING = re.compile(r"(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
#: What a click on "[show]" opens is text, though a saved page may have it closed.
_FOLDED = frozenset({"NavContent", "mw-collapsible-content"})
_COLLAPSED = re.compile(r"collapse[-_]table")
_HEADING_COUNT = re.compile(r"mw-portlet-lang-heading-(\d+)")


def cut_noise(tree: LexborHTMLParser) -> None:
    """Take everything out that is not text; formulas stay, as TeX."""
    for node in reversed(tree.css(".mwe-math-element")):
        edge = BREAK if _stands_alone(node) else ""
        node.replace_with(f"{edge}{formula(node)}{edge}")
    hidden = (node for node in tree.css(_SELECTOR_STYLED) if _is_hidden(node))
    _cut(hidden)
    _cut(node for node in tree.css('[class*="navbox"]') if _is_navigation(node))
    _cut(tree.css(_SELECTOR))


def _stands_alone(wrapper: LexborNode) -> bool:
    """Whether a formula has a line of its own."""
    classes = wrapper.attrs.get("class") or ""
    return "-block" in classes or wrapper.css_first('[class*="-display"]') is not None


def _cut(nodes: Iterable[LexborNode]) -> None:
    # They come in the page's order, some twice: from the end, so that nothing is freed before its parts.
    found = {node.mem_id: node for node in nodes}
    for node in reversed(found.values()):
        node.decompose(recursive=True)


def _is_hidden(node: LexborNode) -> bool:
    if not _HIDING.search(node.attrs.get("style") or ""):
        return False
    if node.tag == "section":  # apps show sections once they are read
        return False
    if node.tag == "tr":
        return not _stands_in_folded_table(node)
    if node.tag == "table" and _COLLAPSED.search(_classes_above(node)):
        return False
    return _FOLDED.isdisjoint((node.attrs.get("class") or "").split())


def _is_navigation(node: LexborNode) -> bool:
    return _NAVIGATION.search(node.attrs.get("class") or "") is not None


def _classes_above(node: LexborNode) -> str:
    above = node.parent
    return "" if above is None or not above.is_element_node else above.attrs.get("class") or ""


def _stands_in_folded_table(row: LexborNode) -> bool:
    section = row.parent
    table = section.parent if section is not None and section.tag != "table" else section
    if table is None or table.tag != "table":
        return False
    return "mw-collaps" in (table.attrs.get("class") or "")


def formula(node: LexborNode) -> str:
    """The TeX source of a formula, between dollar signs."""
    return f"${' '.join(_tex(node).split())}$"


def _tex(node: LexborNode) -> str:
    math = node if node.tag == "math" else node.css_first("math")
    if math is not None:
        annotation = math.css_first("annotation")
        found = math.attrs.get("alttext") or (annotation and annotation.text())
        return found or math.text(separator=" ")
    image = node.css_first("img")
    return (image.attrs.get("alt") if image else None) or node.text()


def languages_told(tree: LexborHTMLParser) -> int | None:
    """How many other language editions a whole page lists, None if it says nothing."""
    listed = len(tree.css("li.interlanguage-link"))
    if listed:
        return listed
    button = tree.css_first('[class*="mw-portlet-lang-heading-"]')
    told = _HEADING_COUNT.search((button and button.attrs.get("class")) or "")
    return int(told[1]) or None if told else None


def coordinates_above(tree: LexborHTMLParser) -> LexborNode | None:
    """Where a page's coordinates stand above its text, as skins place them since 2024."""
    return tree.css_first(".mw-indicators #coordinates, .mw-indicator #coordinates")


def cut_indicators(tree: LexborHTMLParser) -> None:
    """Take out the row of signs above a page's text, which is built like a text."""
    _cut(tree.css(".mw-indicators, .mw-indicator"))
