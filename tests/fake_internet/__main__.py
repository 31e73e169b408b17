"""`python -m tests.fake_internet`: serve the saved articles and the answers of legs until Ctrl-C."""

import argparse
import contextlib
import signal
import threading
from pathlib import Path

from pytest_aar.leg_file import looks_like_leg, read_leg

from .answer_book import AnswerBook
from .app import Internet
from .faults import Limit
from .library import Library, saved_library
from .serving import KEYS, serving


def main() -> None:
    """Serve, and say how to lead pytest there."""
    options = _options()
    files = sorted(path for path in options.legs.rglob("*.json") if looks_like_leg(path))
    internet = Internet(
        library=saved_library(options.pages) if options.pages else Library(),
        book=AnswerBook.of(map(read_leg, files)),
        delay=options.delay,
    )
    if options.wiki_limit:
        internet.limits["wikipedia"] = Limit(
            requests=options.wiki_limit, parallel=options.wiki_parallel
        )
    done = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: done.set())
    with serving(internet, options.port) as served:
        print(served.ini, end="")
        print("\n".join(f"# export {name}={value}" for name, value in KEYS.items()))
        print(f"# figures: {served.url}/report", flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            done.wait()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--legs", type=Path, required=True, help="folder of legs whose values are served"
    )
    parser.add_argument("--pages", type=Path, help="saved articles (pages.jsonl.xz)")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--delay", type=float, default=0.0, help="seconds that each answer takes")
    parser.add_argument("--wiki-limit", type=int, help="requests a minute to the encyclopedia")
    parser.add_argument("--wiki-parallel", type=int, default=3)
    return parser.parse_args()


if __name__ == "__main__":
    main()
