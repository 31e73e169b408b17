import os
from pathlib import Path

import pytest

from pytest_aar.agents.answer import read_answer


@pytest.mark.parametrize("text", ["7", "7\n", "  7 \n"])
def test_one_digit_is_an_answer(tmp_path: Path, text: str) -> None:
    (tmp_path / "answer.txt").write_text(text)
    assert (read_answer(tmp_path).ending, read_answer(tmp_path).answer) == ("answered", 7)


@pytest.mark.parametrize(
    "text",
    ["", "42", "seven", "\N{ARABIC-INDIC DIGIT SEVEN}", "7.", "the answer is 7", "7\n7", "-7"],
)
def test_anything_else_is_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "answer.txt").write_text(text)
    finish = read_answer(tmp_path)
    assert (finish.ending, finish.answer) == ("no-answer", None)
    assert "not one digit" in finish.detail


def test_no_file(tmp_path: Path) -> None:
    assert read_answer(tmp_path).detail == "no answer.txt: No such file or directory"


def test_links_are_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("7")
    (tmp_path / "a").mkdir()
    (tmp_path / "a/answer.txt").symlink_to(secret)
    assert read_answer(tmp_path / "a").answer is None
    (tmp_path / "b").mkdir()
    os.link(secret, tmp_path / "b/answer.txt")
    assert "one name" in read_answer(tmp_path / "b").detail


def test_a_pipe_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "answer.txt")
    assert "not a regular file" in read_answer(tmp_path).detail


def test_a_large_file_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "answer.txt").write_text(" " * 100 + "7")
    assert "101 bytes, more than 64" in read_answer(tmp_path).detail


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "answer.txt").write_bytes(b"\xff\xfe7")
    assert read_answer(tmp_path).answer is None
