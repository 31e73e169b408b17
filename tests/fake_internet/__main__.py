"""`python -m tests.fake_internet`: serve the saved articles and the answers of legs until Ctrl-C."""

import argparse
import contextlib
import signal
import threading
from pathlib import Path

from pytest_aar.leg_file import legs_in, read_leg

from .answer_book import AnswerBook
from .app import SERVICES, Internet
from .faults import KINDS, Fault, Limit
from .library import Library, saved_library
from .serving import KEYS, serving


def main() -> None:
    """Serve, and say how to lead pytest there."""
    given = options().parse_args()
    legs = legs_in(given.legs)
    library = saved_library(given.pages) if given.pages else Library()
    internet = Internet(
        library=library,
        book=AnswerBook.of(map(read_leg, legs)),
        delay=given.delay,
    )
    internet.faults(*given.fault)
    if given.wiki_limit:
        internet.limits["wikipedia"] = Limit(
            requests=given.wiki_limit, parallel=given.wiki_parallel
        )
    done = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: done.set())
    with serving(internet, given.port) as served:
        print(f"# {len(legs)} legs, {len(library.articles)} articles")
        print(served.ini, end="")
        print("aar_contact = you@example.org")
        print("\n".join(f"# export {name}={value}" for name, value in KEYS.items()))
        print(f"# figures: {served.url}/report", flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            done.wait()


def options() -> argparse.ArgumentParser:
    """What the command takes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--legs", type=folder, required=True, help="folder of legs whose values are served"
    )
    parser.add_argument("--pages", type=file, help="saved articles (pages.jsonl.xz)")
    parser.add_argument(
        "--port", type=int, default=0, help="port of 127.0.0.1; 0, the default: a free one"
    )
    parser.add_argument("--delay", type=float, default=0.0, help="seconds that each answer takes")
    parser.add_argument("--wiki-limit", type=int, help="requests a minute to the encyclopedia")
    parser.add_argument(
        "--wiki-parallel", type=int, default=3,
        help="requests at a time to the encyclopedia, where --wiki-limit is given (default: 3)",
    )  # fmt: skip
    parser.add_argument(
        "--fault", type=fault, action="append", default=[], metavar="SERVICE:KIND[:TIMES]",
        help=f"what happens to the first TIMES requests (default: 1) of a service ({', '.join(SERVICES)}): "
        f"{', '.join(KINDS)}; repeatable",
    )  # fmt: skip
    return parser


def folder(text: str) -> Path:
    """An existing folder; argparse.ArgumentTypeError otherwise."""
    if not Path(text).is_dir():
        raise argparse.ArgumentTypeError(f"there is no folder {text!r}")
    return Path(text)


def file(text: str) -> Path:
    """An existing file; argparse.ArgumentTypeError otherwise."""
    if not Path(text).is_file():
        raise argparse.ArgumentTypeError(f"there is no file {text!r}")
    return Path(text)


def fault(text: str) -> Fault:
    """`maps:429:3` as a fault.

    Raises:
        argparse.ArgumentTypeError: it is none; names the valid words.
    """
    service, kind, times = (*text.split(":"), "1")[:3] if ":" in text else (text, "", "1")
    if service not in SERVICES or kind not in KINDS or not times.isdecimal() or text.count(":") > 2:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not SERVICE:KIND[:TIMES]; valid: services {', '.join(SERVICES)}; kinds "
            f"{', '.join(KINDS)}; TIMES a number"
        )
    return Fault(kind=kind, service=service, times=int(times))


if __name__ == "__main__":
    main()
