"""The reader on the published clue texts, which other people and models worded.

A sample by default; `AAR_TEST_ALL_CLUES=1` reads all 1,400. The reader's vocabulary was made with an
eye on 500 of them; this test reads others.
"""

import os
import random

from pytest_aar.leg_file import read_leg
from pytest_aar.reader import align, read_clues

SAMPLE = 60


def test_tool_types_are_read_from_clues_that_others_worded(shared, record_property):
    files = sorted(path for path in (shared / "data" / "aar").glob("aar-*/*/*.json"))
    random.Random(3).shuffle(files)
    unseen = files[500:]
    chosen = files if os.environ.get("AAR_TEST_ALL_CLUES") else unseen[:SAMPLE]
    legs = [read_leg(path) for path in chosen]
    found = [align(leg, read_clues(leg.clues)).tools for leg in legs]
    mean = sum(found) / len(found)
    record_property("mean_tool_type_accuracy", round(mean, 3))
    print(f"mean tool-type accuracy over {len(found)} published legs: {mean:.3f}")
    assert mean >= 0.6
