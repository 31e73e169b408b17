"""What both boxes share: a command on its way to the command server, a result on its way back."""

import os
import socket
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from pytest_aar.errors import InfrastructureError
from pytest_aar.processes import base_interpreter

from .box import MARKER, BoxPlace, CommandResult, CommandSpec, Doors
from .cabin import Cabin, Ending, Process

# Imported for its folder, and so that it is compiled once, not at every start.
from .inside import server
from .inside.frames import CANNOT_RUN
from .shell import shell

SERVER_FOLDER = Path(server.__file__).parent
_FIELDS = 5
_KILLED = (-9, 137)  # the second one is bwrap's, of its child
#: Limits of every process of an agent. DATA, not AS: Node and Bun reserve far more addresses than they use.
LIMITS = ("CORE=0", f"DATA={8 << 30}", f"FSIZE={1 << 30}", "NOFILE=4096")


def server_argv(folder: str, *words: str) -> tuple[str, ...]:
    """The command line of a command server whose package lies in `folder`."""
    code = (
        f"import sys; sys.path.append({folder!r}); "
        "from inside.server import main; main(sys.argv[1:])"
    )
    return (base_interpreter(), "-I", "-S", "-B", "-c", code, *words)


def start_server(
    argv: Sequence[str],
    control: socket.socket,
    env: Mapping[str, str],
    pass_fds: Sequence[int] = (),
) -> tuple[subprocess.Popen[bytes], IO[bytes]]:
    """A process whose standard input is the socket, and the file with what it says on standard error."""
    errors = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
    try:
        process = subprocess.Popen(
            argv,
            stdin=control.fileno(),
            stdout=subprocess.DEVNULL,
            stderr=errors,
            env=env,
            cwd="/",
            pass_fds=pass_fds,
            start_new_session=True,
        )
    except BaseException:
        errors.close()
        raise
    return process, errors


def ending_of(process: subprocess.Popen[bytes], errors: IO[bytes], *, forced: bool) -> Ending:
    """How a server ended that is dead, from its exit status and its standard error, closed then."""
    with errors:
        errors.seek(0)
        said = errors.read().decode("utf-8", errors="replace").strip()
    status = process.returncode
    killed = ", killed: for want of memory, or by somebody" if status in _KILLED else ""
    return Ending(
        words=f"{said or 'it ended without a word'} (exit status {status}{killed})", forced=forced
    )


class ServedBox:
    """A box whose commands run below a command server. Subclasses say how it starts, and what paths become.

    `exposed`: an agent can reach the server; where it was killed, that was the agent.
    """

    name = ""
    exposed = False

    def __init__(self, place: BoxPlace) -> None:
        self._place = place
        self._cabin = Cabin(self._launch)

    def run(self, spec: CommandSpec) -> CommandResult:
        """Run it; the deadline is the server's business, and this side's when the server does not answer."""
        command = spec.command
        argv = (shell(), "-c", command) if isinstance(command, str) else command
        env = {**self.environment(), **spec.env, MARKER: self._place.marker}
        try:
            words = [os.fsencode(word) for word in argv]
            pairs = [os.fsencode(f"{name}={value}") for name, value in env.items()]
        except ValueError as error:  # no bytes for a lone surrogate
            return CommandResult(output=f"can't run the command: {error}\n", exit_code=CANNOT_RUN)
        text = spec.stdin
        answer = self._cabin.ask(
            b"%f" % spec.timeout,
            os.fsencode(self.inside(spec.workdir)),
            b"%d" % (text is not None),
            (text or "").encode("utf-8", "surrogatepass"),
            b"%d" % len(words),
            *words,
            *pairs,
            seconds=spec.timeout,
        )
        if isinstance(answer, list):
            try:
                return _result(answer)
            except ValueError as error:
                self._cabin.stop()
                answer = Ending(words=f"its command server talks nonsense: {error}", forced=True)
        return self._without_result(answer)

    def _without_result(self, ending: Ending | None) -> CommandResult:
        """Stopped or hung: the time is over. Ended: the agent's loss where it was the agent."""
        if ending is None:
            return CommandResult(output="", exit_code=-1, timed_out=True)
        told = f"the box ended: {ending.words}"
        if not (self.exposed and ending.forced):
            raise InfrastructureError(told)
        return CommandResult(output=f"{told}\n", exit_code=-1, timed_out=True)

    def stop(self) -> None:
        """Kill everything; nothing lives when this returns."""
        self._cabin.stop()

    def environment(self) -> dict[str, str]:
        """What every command finds in its environment."""
        raise NotImplementedError

    def inside(self, path: Path) -> str:
        """A path of the work folder as commands see it."""
        raise NotImplementedError

    def python_folder(self) -> str:
        """The folder of the box's own Python as commands see it."""
        raise NotImplementedError

    def _doors(self) -> Doors:
        if self._place.doors is None:
            raise LookupError("this box has no doors to a gateway")
        return self._place.doors

    def _launch(self, control: socket.socket) -> Process:
        raise NotImplementedError


def _result(fields: list[bytes]) -> CommandResult:
    """ValueError: no result."""
    if len(fields) != _FIELDS:
        raise ValueError(f"{len(fields)} fields")
    code, timed_out, dropped, head, tail = fields
    return CommandResult(
        output=head.decode("utf-8", errors="replace"),
        exit_code=int(code),
        timed_out=bool(int(timed_out)),
        dropped_bytes=int(dropped),
        tail=tail.decode("utf-8", errors="replace"),
    )
