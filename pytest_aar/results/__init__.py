"""Results on disk: one folder per run, one line per race, one trace file per race; baselines."""

from .baseline import (
    Baseline,
    LegResult,
    baseline_of,
    differences,
    dump,
    known_to_both,
    load,
    load_run,
)
from .folder import (
    ReadRun,
    RunFolder,
    keep_out_of_git,
    new_run_id,
    read_races,
    read_trace,
    trace_name,
    write_trace,
)
from .provenance import provenance_of
from .records import (
    CONTAMINATED,
    INFRASTRUCTURE,
    SKIPPED,
    STAND_IN,
    UNOBSERVED,
    RaceRecord,
    from_json,
    refused,
    to_json,
)
from .resume import check_resumable, read_kept

__all__ = [
    "CONTAMINATED",
    "INFRASTRUCTURE",
    "SKIPPED",
    "STAND_IN",
    "UNOBSERVED",
    "Baseline",
    "LegResult",
    "RaceRecord",
    "ReadRun",
    "RunFolder",
    "baseline_of",
    "check_resumable",
    "differences",
    "dump",
    "from_json",
    "keep_out_of_git",
    "known_to_both",
    "load",
    "load_run",
    "new_run_id",
    "provenance_of",
    "read_kept",
    "read_races",
    "read_trace",
    "refused",
    "to_json",
    "trace_name",
    "write_trace",
]
