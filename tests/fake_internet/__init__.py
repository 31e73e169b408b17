"""Every service that the live world uses, on one loopback port: for tests and benchmarks.

    internet = Internet(library=saved_library(shared / "data/wiki/pages.jsonl.xz", titles),
                        book=AnswerBook.of(legs), limits={"wikipedia": Limit(requests=200, parallel=3)})
    with serving(internet) as served:
        pytester.makeini(f"[pytest]\\naar_world = live\\n{served.ini}")     # KEYS go into the environment
        ...
    internet.report()

The same as a program: `python -m tests.fake_internet --help`.
"""

from .answer_book import AnswerBook
from .app import SERVICES, Internet
from .exchange import Asked, Reply
from .faults import Fault, Limit
from .library import Article, Library, article_of, saved_library, saved_rows, title_in
from .request_log import Entry
from .serving import KEYS, Served, serving

__all__ = [
    "KEYS",
    "SERVICES",
    "AnswerBook",
    "Article",
    "Asked",
    "Entry",
    "Fault",
    "Internet",
    "Library",
    "Limit",
    "Reply",
    "Served",
    "article_of",
    "saved_library",
    "saved_rows",
    "serving",
    "title_in",
]
