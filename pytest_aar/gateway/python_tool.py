"""python_execute_code within the walls that the run's isolation has."""

import asyncio
from dataclasses import dataclass
from pathlib import Path

from pytest_aar.tools import PythonRun, SubprocessRunner


@dataclass(frozen=True, slots=True, kw_only=True)
class WalledPython:
    """Runs code; what is possible here is found out with the first one.

    `wanted`: as --aar-isolation takes it. `hidden`: folders that code must not see where there are walls.
    """

    wanted: str
    hidden: tuple[Path, ...] = ()

    async def run(self, code: str, *, timeout_seconds: float) -> PythonRun:
        """Run `code`; no process of it is left afterwards.

        Raises:
            ConfigurationError: walls are wanted and can't be had.
            InfrastructureError: walls that were possible can't be put up.
        """
        runner = await asyncio.to_thread(_runner, self.wanted, self.hidden)
        return await runner.run(code, timeout_seconds=timeout_seconds)


def _runner(wanted: str, hidden: tuple[Path, ...]) -> SubprocessRunner:
    from pytest_aar.box.isolation import probe  # noqa: PLC0415 - loads what starts boxes, only runs need it
    from pytest_aar.box.python_walls import walls_for  # noqa: PLC0415 - same

    walls = walls_for(probe(wanted), hidden)
    return SubprocessRunner() if walls is None else SubprocessRunner(confinement=walls)
