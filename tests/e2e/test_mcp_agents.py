"""The real Codex and Claude Code race a leg with the tools by MCP; what was recorded replays."""

from pathlib import Path

from main_job import cli, cut_off, missing, race, results_of, traces_of

from pytest_aar.tools.mcp_extra import is_there

__all__ = ["cli", "cut_off"]  # fixtures


def calls(results: Path) -> list[dict]:
    """The tool calls of the one race, without what the box is called that Python ran in."""
    (trace,) = traces_of(results).values()
    return [event | {"details": None} for event in trace if "arguments" in event]


def test_a_race_by_mcp_is_won_and_replays_in_another_box(
    cli: str, cut_off: object, tmp_path: Path
) -> None:
    if not is_there():
        missing("needs the extra mcp")
    options = (
        f"--aar-agent={cli}", "--aar-agent-option=tools=mcp", "--aar-pacer=seed=1",
        f"--aar-cassettes={tmp_path / 'tapes'}", "--aar-level=easy", "--aar-sample=1", "-q",
    )  # fmt: skip
    made = race(tmp_path / "made", "--aar-record=all", "--aar-isolation=none", *options)
    assert made.returncode == 0, made.stdout[-4000:]
    (tape,) = (tmp_path / "tapes").rglob("*.json")
    assert tape.name.startswith(f"{cli}-mcp--pacer")
    done = race(tmp_path / "done", "--aar-isolation=auto", *options, before=cut_off)
    assert done.returncode == 0, done.stdout[-4000:]
    assert len(calls(tmp_path / "made")) >= 3
    assert calls(tmp_path / "made") == calls(tmp_path / "done")
    (first,), (second,) = results_of(tmp_path / "made"), results_of(tmp_path / "done")
    for line in (first, second):
        assert (line["outcome"], line["score"]["error_class"]) == ("answered", "correct")
    assert (second["replay"]["misses"], second["replay"]["unplayed"], second["stale"]) == (0, 0, [])
