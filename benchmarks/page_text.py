"""From HTML to markdown: ours against markdownify, and the parsers below: selectolax against lxml.

Run: `python benchmarks/page_text.py [FILE.html ...]`. Without files: the recorded articles beside the checkout
if they are there, else two pages made from the sandbox world. All in one process, in turn; CPU milliseconds,
medians after an uncounted round. "parse" is parsing alone, "look" parsing and then reading tag, class and text
of every node once, which is the least that any walk needs. lxml and markdownify are measured if they are
installed (`pip install lxml markdownify`). Targets: 150 ms for 1 MB, 1.5 ms for 8 kB.
"""

import importlib.util
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser
from tabulate import tabulate

from pytest_aar.tools.page_text import page_text
from pytest_aar.world import load

ROUNDS = 7
ENOUGH = 0.02  # CPU seconds that one measurement takes at least, by repetition
RECORDED = Path(__file__).resolve().parents[2] / "shared/data/contracts/wikipedia_html"

Work = Callable[[str], object]


def ours(html: str) -> object:
    return page_text(html, title="T").markdown()


def selectolax_parse(html: str) -> object:
    return LexborHTMLParser(html)


def selectolax_look(html: str) -> object:
    root = LexborHTMLParser(html).root
    assert root is not None
    return [
        (node.tag, node.attrs.get("class") if node.is_element_node else node.text_content)
        for node in root.traverse(include_text=True)
    ]


def works() -> dict[str, Work]:
    """What can be measured here, by name."""
    found: dict[str, Work] = {"ours": ours}
    if importlib.util.find_spec("markdownify"):
        from markdownify import markdownify  # noqa: PLC0415 - optional

        found["markdownify"] = markdownify
    found |= {"selectolax parse": selectolax_parse, "selectolax look": selectolax_look}
    if importlib.util.find_spec("lxml"):
        from lxml import html as lxml_html  # noqa: PLC0415 - optional

        def look(html: str) -> object:
            tree = lxml_html.document_fromstring(html)
            return [(node.tag, node.get("class"), node.text, node.tail) for node in tree.iter()]

        found |= {"lxml parse": lxml_html.document_fromstring, "lxml look": look}
    return found


def milliseconds(work: Work, html: str) -> float:
    calls, started = 0, time.process_time()
    while calls == 0 or time.process_time() - started < ENOUGH:
        work(html)
        calls += 1
    return 1000 * (time.process_time() - started) / calls


def medians(html: str, measured: dict[str, Work]) -> dict[str, float]:
    rounds = [
        {name: milliseconds(work, html) for name, work in measured.items()}
        for _ in range(ROUNDS + 1)
    ]
    return {name: statistics.median(each[name] for each in rounds[1:]) for name in measured}


def pages(arguments: list[str]) -> dict[str, str]:
    paths = [Path(argument) for argument in arguments] or sorted(RECORDED.glob("*.html"))
    if paths:
        return {path.stem: path.read_text(encoding="utf-8") for path in paths}
    world = load()
    small = world.page(next(iter(world.pages("country")))).html
    return {
        "a page of the sandbox": small,
        "the same up to 1 MB": small * (1_000_000 // len(small)),
    }


def main() -> None:
    measured = works()
    rows = []
    for name, html in sorted(pages(sys.argv[1:]).items(), key=lambda item: len(item[1])):
        took = medians(html, measured)
        ratio = took["markdownify"] / took["ours"] if "markdownify" in took else None
        rows.append({"page": name, "kB": len(html) / 1000, "markdownify / ours": ratio, **took})
    print(tabulate(rows, headers="keys", floatfmt=".1f"))


if __name__ == "__main__":
    main()
