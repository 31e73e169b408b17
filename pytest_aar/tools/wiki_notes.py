"""What is said of an article beside its text: lines for its head, facts for the trace."""

from typing import Any

from pytest_aar.tools.wikipedia import ParsedPage


def notes_of(page: ParsedPage, wiki_at: str | None) -> tuple[str, ...]:
    """Lines for the head of the page; none for the usual one."""
    lines = []
    if page.fragment:
        section = page.fragment.replace("_", " ")
        lines.append(
            f"Redirected from: {page.redirected_from}, to the section {section!r} of this page"
        )
    if page.is_disambiguation:
        lines.append(
            "Note: this is a disambiguation page; it lists the pages that the name may mean"
        )
    if page.made is not None:
        lines.append(f"Revision: {page.revision} of {page.made}, the current one at {wiki_at}")
        if page.redirected_from:
            lines.append(f"Note: {page.redirected_from!r} leads here by a redirect")
        if page.languages is not None:
            lines.append(
                "Note: the number of languages is today's, not that of the revision's time"
            )
    return tuple(lines)


def facts_of(page: ParsedPage, wiki_at: str | None) -> dict[str, Any]:
    """What the trace keeps; facts that are not known, or are nothing special, are left out."""
    facts = {
        "languages": page.languages,
        "revision": page.revision,
        "revision_made": page.made,
        "wiki_at": wiki_at if page.made is not None else None,
        "redirected_from": page.redirected_from,
        "redirected_to_section": page.fragment,
        "disambiguation": page.is_disambiguation or None,
        "parse_warnings": list(page.warnings) or None,
    }
    return {name: value for name, value in facts.items() if value is not None}
