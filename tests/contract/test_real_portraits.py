"""Portraits of real articles: their first sentences describe them without their names."""

import json
import lzma
from random import Random

from pytest_aar.generate.draft import PageNode
from pytest_aar.generate.portraits import portrait
from pytest_aar.golden.pages import plain
from pytest_aar.leaks import names_title

SAMPLE = 150


def articles(shared):
    """(title, first paragraph) of saved articles whose first paragraph begins with a name in bold."""
    with lzma.open(shared / "data/wiki/pages.jsonl.xz", "rt") as lines:
        for _, line in zip(range(SAMPLE), lines, strict=False):
            saved = json.loads(line)
            paragraphs = (
                p for p in saved["markdown"].split("\n") if p.startswith(("**", "The **"))
            )
            lead = next((p for p in paragraphs if len(p) > 80), None)
            if lead:
                yield saved["title"], " ".join(plain(lead).split())


def test_most_real_articles_are_portrayed_by_their_first_sentence_alone(shared):
    pages = [
        PageNode(
            title=title,
            url="",
            kind="subject",
            country=None,
            location=None,
            facts=(),
            links=(),
            lead=lead,
        )
        for title, lead in articles(shared)
    ]

    def drawn(page):
        return portrait(
            page, pages, fit=lambda words: not names_title(words, [page.title]), chance=Random(0)
        )

    found = {page.title: drawn(page) for page in pages}
    portrayed = {title: said for title, said in found.items() if said}
    assert len(pages) > 100
    assert len(portrayed) > 0.5 * len(pages)
    for title, said in portrayed.items():
        assert not names_title(said, [title])
        assert 5 <= len(said.split("“")[1].split()) <= 16
