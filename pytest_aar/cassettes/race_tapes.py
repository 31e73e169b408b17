"""Which tapes a race needs under each `--aar-record`."""

from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from pytest_aar.cassettes import cassette_file
from pytest_aar.cassettes.metadata import Metadata
from pytest_aar.cassettes.opening import TapeMode, TapeOptions, open_tape
from pytest_aar.cassettes.paths import cassette_path, tools_path
from pytest_aar.cassettes.tape import Tape
from pytest_aar.settings import RecordMode


@dataclass(frozen=True, slots=True, kw_only=True)
class RaceTapes:
    """The tapes of one race; None: that traffic passes through, neither replayed nor recorded."""

    model: Tape | None = None
    tools: Tape | None = None

    def save(self, *, timed_out: bool = False) -> None:
        """Write what was recorded; tools first: a model tape without its world can't be replayed.

        `timed_out`: the race ran out of time.

        Raises:
            InfrastructureError: see `Tape.save`.
        """
        if self.tools is not None:
            self.tools.save()
        if self.model is not None:
            self.model.save(timed_out=timed_out)

    def close(self) -> None:
        """End their use, of each whatever happens to the other; what was not saved stays in the journals."""
        with ExitStack() as closing:
            for tape in self._open:
                closing.callback(tape.close)

    @property
    def stale(self) -> tuple[str, ...]:
        """Recorded circumstances that differ from today's."""
        return tuple(dict.fromkeys(line for tape in self._open for line in tape.stale))

    @property
    def _open(self) -> tuple[Tape, ...]:
        return tuple(tape for tape in (self.tools, self.model) if tape is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class RaceFiles:
    """Where a race's cassettes lie; `tools` is None in worlds that need none (the sandbox)."""

    model: Path | None
    tools: Path | None = None

    @classmethod
    def of(
        cls,
        root: Path,
        leg_id: str,
        *,
        agent: str,
        model: str | None,
        repeat: int = 1,
        live_world: bool = False,
    ) -> "RaceFiles":
        """The files of one race; an agent without a model (`golden`) has only tool traffic."""
        return cls(
            model=cassette_path(root, leg_id, agent, model, repeat) if model else None,
            tools=tools_path(root, leg_id) if live_world else None,
        )


def tapes_for(
    mode: RecordMode,
    files: RaceFiles,
    *,
    metadata: Metadata,
    options: TapeOptions | None = None,
    again: bool = False,
) -> RaceTapes:
    """Open the tapes of one race.

    `again` is the second, live race of mode `diverged`, after a replay that diverged.

    Raises:
        InfrastructureError: see `open_tape`; nothing stays open.
    """
    options = options or TapeOptions()
    model_mode, tools_mode = _modes(mode, files, again=again)
    tools = _opened(files.tools, tools_mode, metadata, _tools_options(options, files))
    try:
        model = _opened(files.model, model_mode, metadata, options)
    except BaseException:
        if tools is not None:
            tools.close()
        raise
    return RaceTapes(model=model, tools=tools)


def _modes(
    mode: RecordMode, files: RaceFiles, *, again: bool
) -> tuple[TapeMode | None, TapeMode | None]:
    """The modes of the model's tape and the tools' tape; None: no tape."""
    if mode == "off":
        return None, None
    if mode == "tools":
        return None, "extend"
    if mode == "all":
        return "all", "all"
    if mode == "diverged":
        # The world stays frozen, so that only the agent's change makes a difference.
        return ("all", "extend") if again else ("none", "none")
    decisive = files.model or files.tools
    recorded = decisive is not None and cassette_file.exists(decisive)
    if mode == "none" or recorded:
        return "none", "none"
    return "once", "extend"


def _opened(
    path: Path | None, mode: TapeMode | None, metadata: Metadata, options: TapeOptions
) -> Tape | None:
    if path is None or mode is None:
        return None
    return open_tape(path, mode=mode, metadata=metadata, options=options)


def _tools_options(options: TapeOptions, files: RaceFiles) -> TapeOptions:
    owner = files.model.stem if files.model else "golden"
    return replace(options, kind="tools", owner=owner)
