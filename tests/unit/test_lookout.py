"""The lookout finds what gives a leg away, however it is written, and nothing in honest text."""

import base64
import json
import sys
import threading
import time
from pathlib import Path

import pytest

from pytest_aar.lookout import (
    Lookout,
    NamedPath,
    guid_needle,
    leg_needles,
    leg_paths,
    names_another,
    names_gateway,
    path_needle,
)
from pytest_aar.lookout.folding import fold, new_part

CANARY = "8c224261-a9b4-5810-8663-9deb374ec5dc"
ROOT = Path("/home/me/project")
FILE = ROOT / "legs/linear/easy/001.json"


def needles():
    paths = leg_paths(FILE, root=ROOT, legs="legs", leg_id="linear/easy/001")
    return leg_needles({"the leg's canary": CANARY, "its hash": "0f" * 32}, paths)


def seen(text: str | bytes) -> tuple[str, ...]:
    lookout = Lookout(needles())
    lookout.replied(text if isinstance(text, bytes) else text.encode())
    return lookout.contaminated


@pytest.mark.parametrize(
    "written",
    [
        CANARY,
        CANARY.upper(),
        CANARY.replace("-", ""),
        f'"canary": "{CANARY}"',
        json.dumps(json.dumps({"canary": CANARY})),
        CANARY[:20] + "\n" + CANARY[20:],
        json.dumps(CANARY[:20] + "\r\n" + CANARY[20:]),
        "".join(f"\\u{ord(letter):04x}" for letter in CANARY),
        CANARY.translate({ord(digit): ord(digit) + 0xFEE0 for digit in "0123456789"}),
        json.dumps(CANARY.translate({ord(letter): ord(letter) + 0xFEE0 for letter in "abcdef-"})),
        "".join(chr(0x1D7CE + int(x)) if x.isdigit() else x for x in CANARY),
        "8c224261-no, " + CANARY,
    ],
)
def test_the_canary_is_found_however_it_is_written(written: str) -> None:
    assert seen(written) == ("the leg's canary in a reply of the model",)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "8c224261",
        CANARY[:-1] + "0",
        "legs",
        "legs/linear",
        "linear/easy/002.json",
        "my 001.json and a hash " + "0f" * 20,
        base64.b64encode(CANARY.encode()).decode(),
    ],
)
def test_other_text_is_no_evidence(text: str) -> None:
    assert seen(text) == ()


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("cat /home/me/project/legs/linear/easy/001.json", "the path of the leg's file"),
        ("cd legs; cat linear/easy/001.json", "the path of the leg's file"),
        ("cd legs/linear/easy; cat *1.json", "the folder of the leg's file"),
        (r"legs\/linear\/easy\/001.json", "the path of the leg's file"),
        ("{'leg_sha256': '%s'}" % ("0f" * 32), "its hash"),
    ],
)
def test_paths_and_hashes_are_found(text: str, what: str) -> None:
    assert f"{what} in a reply of the model" in seen(text)


def test_a_published_leg_without_canary_is_known_by_its_other_ids() -> None:
    found = leg_needles(
        {"the leg's canary": None, "the leg's id": "sample", "the leg's trail id": CANARY}, ()
    )
    assert [needle.what for needle in found] == ["the leg's trail id"]
    assert guid_needle("not a GUID", "") is None


def named(path: str):
    return path_needle(NamedPath(what="", path=path))


def test_short_paths_and_plain_names_are_no_needles() -> None:
    """An agent may well have a `leg.json` of its own."""
    assert named("leg.json") is None
    assert named("a/leg.json") is None
    assert named("averyveryverylongname.json") is None
    flat = leg_needles({}, leg_paths(ROOT / "leg.json", root=ROOT, legs="legs", leg_id="leg"))
    assert [needle.whole for needle in flat] == [b"legs/leg.json", b"/home/me/project/leg.json"]


def test_the_agents_own_folder_is_no_needle() -> None:
    """`--aar-legs=.`: the agent's program may lie beside the legs."""
    paths = leg_paths(Path("/home/me/leg.json"), root=ROOT, legs="legs", leg_id="leg")
    assert "the folder of the leg's file" not in {path.what for path in paths}


PARIS = Path("/home/me/project/cities/paris.json")


@pytest.mark.parametrize("legs", ["project", "legs"])
@pytest.mark.parametrize(
    "text",
    ["see cities/paris.json", "https://a.org/cities/paris.json", "{'src': '/cities/paris.json'}"],
)
def test_a_legs_id_alone_is_no_evidence(legs: str, text: str) -> None:
    """Pages have paths like it; the folder's name must stand before it."""
    paths = leg_paths(PARIS, root=ROOT, legs=legs, leg_id="cities/paris")
    lookout = Lookout(leg_needles({}, paths))
    lookout.replied(text.encode())
    assert lookout.contaminated == ()
    lookout.replied(f"cd {legs}; cat cities/paris.json".encode())
    assert lookout.contaminated == ("the path of the leg's file in a reply of the model",)


@pytest.mark.parametrize(
    "text",
    [
        "/home/me/project/legs/linear/easy/001.json5",
        "/home/me/project/legs/linear/easy/001.jsonl",
        "/home/me/project/legs/linear/easy/001.json.bak",
        "x/legs/linear/easy-runs/1.txt",
        "x/legs/linear/easy2",
        "x/legs/linear/easy_old/x",
        "mylegs/linear/easy/001.jso",
    ],
)
def test_a_longer_path_is_another_one(text: str) -> None:
    paths = [
        NamedPath(what="file", path="linear/easy/001.json", below="legs"),
        NamedPath(what="file", path=str(FILE)),
        NamedPath(what="folder", path="x/legs/linear/easy"),
    ]
    needles = [path_needle(path) for path in paths]
    lookout = Lookout([needle for needle in needles if needle is not None])
    lookout.replied(text.encode())
    assert lookout.contaminated == ()


@pytest.mark.parametrize(
    "text",
    [
        "/home/me/project/legs/linear/easy/001.json.",
        "(/home/me/project/legs/linear/easy/001.json)",
        "cat '/home/me/project/legs'/linear/easy/001.json next",
        json.dumps("x\n/home/me/project/legs/linear/easy/001.json\nnext"),
        json.dumps({"command": 'cat "legs/linear/easy/001.json"x'}),
        "/home/me/project/legs/linear/\neasy/001.json",
        "LEGS/Linear/easy/001.JSON:7",
    ],
)
def test_what_follows_a_path_may_be_anything_else(text: str) -> None:
    assert "the path of the leg's file in a reply of the model" in seen(text)


def test_whether_a_needle_is_faint_is_not_read_from_its_name() -> None:
    paths = [
        NamedPath(what="the folder of results", path="/home/me/run/traces/"),
        NamedPath(what="where the leg is", path="/home/me/legs/", faint=True),
    ]
    lookout = Lookout(leg_needles({}, paths))
    lookout.replied(b"/home/me/legs/ and /home/me/run/traces/a.jsonl")
    assert lookout.contaminated == ("the folder of results in a reply of the model",)


@pytest.mark.parametrize("reads_itself", [True, False])
def test_where_nothing_ran_a_path_counts_for_an_agent_that_reads_files_itself(
    *, reads_itself: bool
) -> None:
    lookout = Lookout(needles(), reads_itself=reads_itself)
    lookout.replied(f"cat {FILE}".encode())
    assert bool(lookout.contaminated) == reads_itself
    lookout.ran("bwrap")
    assert bool(lookout.contaminated) == reads_itself
    lookout.ran("none")
    assert lookout.contaminated


def test_within_walls_a_path_leads_nowhere_but_a_canary_is_known_from_somewhere() -> None:
    lookout = Lookout(needles(), reads_itself=False)
    lookout.ran("bwrap")
    lookout.command(f"cat {FILE}")
    assert lookout.contaminated == ()
    lookout.replied(CANARY.encode())
    assert lookout.contaminated == ("the leg's canary in a reply of the model",)
    lookout.ran("weak")  # python_execute_code without walls reaches what the box hides
    assert len(lookout.contaminated) == 2


def test_evidence_is_told_while_more_of_it_comes_in() -> None:
    lookout = Lookout(watches_web=True)
    lookout.ran("none")
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)

    def write() -> None:
        for number in range(3_000):
            lookout.note(f"line {number}")
            lookout.command(f"curl https://a{number}.org")

    writer = threading.Thread(target=write)
    try:
        writer.start()
        while writer.is_alive():
            assert len(lookout.contaminated) <= 8
            assert len(lookout.unobserved) <= 8
    finally:
        sys.setswitchinterval(interval)
        writer.join()


def test_what_is_typed_into_a_command_is_looked_at() -> None:
    lookout = Lookout(needles())
    lookout.command(("sh",), stdin=f"cat {FILE}")
    assert lookout.contaminated == ("the path of the leg's file in the input of command 1 (sh)",)


OWN = "http://127.0.0.1:40123/r/abcdefghijklmnopqrstuv"


@pytest.mark.parametrize(
    ("text", "is_another"),
    [
        (OWN, False),
        ("AAR_GATEWAY=http://127.0.0.1:40999/r/ABCDEFGHIJKLMNOPQRSTUV", True),
        ("curl localhost:40999/r/ABCDEFGHIJ-_MNOPQRSTUV/task", True),
        (f"{OWN} http://127.0.0.1:40999/r/ABCDEFGHIJKLMNOPQRSTUV/openai", True),
        ("http://127.0.0.1:40123/r/abcdefghijklmnopqrstUV", False),  # its own, copied wrongly
        ("http://127.0.0.1:4012/r/abcdefghijklmnopqrstuv", False),
        ("http://127.0.0.1:40999/r/guessed-token/task", False),
        ("https://reddit.org:40999/r/ABCDEFGHIJKLMNOPQRSTUV", False),
        ("http://127.0.0.1:PORT/r/TOKEN", False),
    ],
)
def test_the_address_of_another_race(text: str, is_another: bool) -> None:
    assert names_another(text, OWN) is is_another
    assert names_gateway(text) or not is_another
    assert not names_another(text, "")


def chunks(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def events(values: list[dict]) -> bytes:
    return b"".join(b"data: " + json.dumps(value).encode() + b"\n\n" for value in values)


CHAT = [
    {"choices": [{"index": 0, "delta": {"content": part}}]} for part in chunks(f"so: {CANARY}!", 3)
]
CHAT_CALL = [
    {"choices": [{"delta": {"tool_calls": [{"index": 0, "function": {"arguments": part}}]}}]}
    for part in chunks(json.dumps({"command": f"grep -r {CANARY} /"}), 5)
]
RESPONSES = [
    {"type": "response.output_text.delta", "delta": part, "item_id": "m"}
    for part in chunks(f"the leg says {CANARY}", 4)
]
MESSAGES = [
    {"type": "content_block_delta", "delta": {"type": "text_delta", "text": part}}
    for part in chunks(f"the leg says {CANARY}", 7)
]
MESSAGES_CALL = [
    {"type": "content_block_delta", "delta": {"type": "input_json_delta", "partial_json": part}}
    for part in chunks(json.dumps({"command": "cat legs/linear/easy/001.json"}), 2)
]


@pytest.mark.parametrize("stream", [CHAT, CHAT_CALL, RESPONSES, MESSAGES, MESSAGES_CALL])
def test_a_needle_in_pieces_is_found_in_any_protocols_stream(stream: list[dict]) -> None:
    data = events(stream)
    whole, streamed = Lookout(needles()), Lookout(needles())
    whole.replied(data)
    assert whole.contaminated == ()
    streamed.replied(data, streamed=True)
    assert streamed.contaminated


def test_requests_are_read_where_they_are_new_and_borders_are_seen() -> None:
    lookout = Lookout(needles())
    start = b'{"messages": ["' + b"x" * 5000
    lookout.asked(start + b'"], "tools": []}')
    lookout.asked(start + CANARY[:9].encode() + b'"], "tools": []}')
    assert lookout.contaminated == ()
    lookout.asked(start + CANARY.encode() + b'"], "tools": []}')
    assert lookout.contaminated == ("the leg's canary in what was sent to the model",)


@pytest.mark.parametrize(
    ("data", "last"),
    [
        (b"", b""),
        (b"abc", b""),
        (b"", b"abc"),
        (b"abc", b"abc"),
        (b"aXc", b"abc"),
        (b"aaa", b"aaaaa"),
        (b"aaaaa", b"aaa"),
    ],
)
def test_the_new_part_of_short_data_is_all_of_it(data: bytes, last: bytes) -> None:
    assert new_part(data, last) == data


def test_only_what_is_new_is_read_again() -> None:
    start, end = b"s" * 100_000, b"e" * 100_000
    part = new_part(start + b"NEW" + end, start + end)
    assert b"NEW" in part
    assert len(part) < 2_000


def test_commands_outputs_and_tools_are_named_and_no_evidence_quotes_what_was_seen() -> None:
    lookout = Lookout(needles())
    name = lookout.command("cat le*/*/*/001.json")
    lookout.output(f'"passcode": 7, "canary": "{CANARY}"', name)
    lookout.command(("/usr/bin/head", str(FILE)))
    lookout.tool("python_execute_code", {"code": f"open('{FILE}')"}, "no")
    lookout.tool("fetch_webpage", {}, f"see {CANARY}")
    assert lookout.contaminated == (
        "the leg's canary in the output of command 1 (cat)",
        "the path of the leg's file in command 2 (head)",
        "the path of the leg's file in the arguments of the tool python_execute_code",
        "the leg's canary in the result of the tool fetch_webpage",
    )
    assert "passcode" not in " ".join(lookout.contaminated)


def test_the_same_line_stands_once_and_there_are_few() -> None:
    lookout = Lookout(needles())
    for _ in range(3):
        lookout.replied(CANARY.encode())
    assert len(lookout.contaminated) == 1
    for _ in range(30):
        lookout.command(f"cat {FILE}")
    assert len(lookout.contaminated) == 8


def test_a_lookout_without_needles_sees_nothing() -> None:
    lookout = Lookout()
    lookout.asked(CANARY.encode())
    lookout.replied(CANARY.encode(), streamed=True)
    lookout.output(CANARY, lookout.command("curl https://example.org"))
    assert lookout.contaminated == lookout.unobserved == ()


def test_text_that_no_encoding_can_hold_is_looked_at() -> None:
    lookout = Lookout(needles())
    lookout.output(f"\ud800 {CANARY}", lookout.command("cat x"))
    lookout.replied(b'\xff {"content": "\xff"}', streamed=True)
    assert len(lookout.contaminated) == 1


def test_folding_leaves_one_form() -> None:
    assert fold(b'A "B"\\u002d\nC') == b"ab-c"
    assert fold("Ａ①²".encode()) == b"a12"


@pytest.mark.parametrize(
    "text",
    ["\\" * 300_000 + "\\u0041", "8c224261" * 40_000, '"text":"' * 40_000, '{"cmd": [' * 40_000],
    ids=["backslashes", "heads", "pieces", "lists"],
)
def test_no_text_holds_the_lookout_up(text: str) -> None:
    start = time.thread_time()
    lookout = Lookout(needles(), watches_web=True)
    lookout.replied(text.encode(), streamed=True)
    lookout.asked(text.encode())
    lookout.asked(text.encode() + b"x")
    assert time.thread_time() - start < 3
    assert lookout.contaminated == ()
