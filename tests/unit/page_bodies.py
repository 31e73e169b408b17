"""What tests of the page text share."""

from pytest_aar.tools.page_text import page_text


def body(html: str) -> str:
    """The markdown of a fragment, without the head."""
    return "\n\n".join(page_text(html, title="T").blocks)
