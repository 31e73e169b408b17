"""What a page stacks, an upper sign above a lower one, put in a row: charge and count of an ion, limits of a value."""

from selectolax.lexbor import LexborHTMLParser, LexborNode

from pytest_aar.tools.page_inline import superscript

_STACK = ".template-chem2-su"
_LINES = 'span[style*="vertical-align"] > br'
_LOWER = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
#: Characters of a sign: more are a line of text.
_MOST = 12


def put_in_rows(tree: LexborHTMLParser) -> None:
    """SO with 2- above 4 becomes SO²⁻₄; 1.27 with +0.05 above -0.03 becomes 1.27+0.05 -0.03."""
    for stack in tree.css(_STACK):
        parts = [part for part in stack.iter() if part.tag == "span"]
        if len(parts) == 2:  # noqa: PLR2004 - an upper and a lower one
            stack.replace_with(_charged(*parts))
    for line_break in tree.css(_LINES):
        upper, lower = line_break.prev, line_break.next
        if upper is not None and lower is not None and _is_sign(upper) and _is_sign(lower):
            _join(upper, line_break, lower)


def _is_sign(node: LexborNode) -> bool:
    """Whether it is short, and all there is on its side of the break."""
    is_alone = node.prev is None or node.next is None
    return is_alone and 0 < len(_own_text(node)) <= _MOST


def _join(upper: LexborNode, line_break: LexborNode, lower: LexborNode) -> None:
    if (upper.tag, lower.tag) == ("sup", "sub"):
        line_break.replace_with(_charged(upper, lower))
        upper.remove()
        lower.remove()
    else:
        line_break.replace_with(" ")


def _charged(upper: LexborNode, lower: LexborNode) -> str:
    return superscript(_own_text(upper), "") + _own_text(lower).translate(_LOWER)


def _own_text(node: LexborNode) -> str:
    """Not that of what is inside, which could be the whole rest of a hostile page."""
    text = node.text_content if node.tag == "-text" else node.text(deep=False)
    return (text or "").strip()
