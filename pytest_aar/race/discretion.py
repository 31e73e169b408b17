"""A race's line before anybody is told of it: without secrets, or not told at all."""

import json
from dataclasses import replace
from pathlib import Path

from pytest_aar.errors import SecretFound
from pytest_aar.guarded import check
from pytest_aar.results import RaceRecord, from_json, refused, to_json
from pytest_aar.secrets import Secrets

from .records import Race


def censored_race(race: Race, secrets: Secrets, results: Path) -> Race:
    """The race with a line that may be kept in the file `results`.

    What is still in the line after it was redacted makes the race an infrastructure error.
    """
    record = censored_record(race.record, secrets)
    try:
        check(results, json.dumps(to_json(record)).encode(), secrets)
    except SecretFound as refusal:
        return replace(
            race, record=refused(record, refusal), problem=refusal, finish=None, score=None
        )
    return replace(race, record=record)


def censored_record(record: RaceRecord, secrets: Secrets) -> RaceRecord:
    """The line with secrets redacted, and in what it says for people also whatever is shaped like a key."""
    clean = from_json(secrets.clean(to_json(record)))
    return replace(
        clean,
        detail=secrets.censor(clean.detail),
        evidence=tuple(secrets.censor(line) for line in clean.evidence),
    )
