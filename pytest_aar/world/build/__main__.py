"""`python -m pytest_aar.world.build [PATH]`: derive the data file anew."""

import sys
from pathlib import Path

from pytest_aar.world.archive import write_archive
from pytest_aar.world.build.assemble import members
from pytest_aar.world.build.gathered import gather
from pytest_aar.world.build.sources import read_sources

DATA_FILE = Path(__file__).parents[1] / "data" / "world.zip"


def build(path: Path) -> None:
    """Read the four packages and write the data file; same inputs, same bytes."""
    write_archive(path, members(gather(read_sources())))


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else DATA_FILE
    build(target)
    sys.stdout.write(f"{target}: {target.stat().st_size:,} bytes\n")
