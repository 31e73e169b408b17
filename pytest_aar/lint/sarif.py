"""Findings as SARIF 2.1.0 (OASIS), which code-scanning services read."""

import json
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import quote

from .finding import Finding
from .rules import RULES, Rule
from .run import Linted

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_PLACES = {name: place for place, name in enumerate(RULES)}


def sarif(linted: Linted) -> str:
    """One run of the linter: all its rules, and a result for each finding."""
    driver = {
        "name": "aar lint",
        "version": version("pytest-aar"),
        "rules": [_rule(rule) for rule in RULES.values()],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding) for finding in linted.findings],
    }
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=1, ensure_ascii=False)


def _rule(rule: Rule) -> Mapping[str, Any]:
    return {
        "id": rule.name,
        "shortDescription": {"text": rule.summary},
        "help": {"text": f"{rule.summary} What to do: {rule.repair}."},
        "defaultConfiguration": {"level": rule.severity},
    }


def _result(finding: Finding) -> Mapping[str, Any]:
    message = f"{finding.message}; {finding.repair}"
    return {
        "ruleId": finding.rule,
        "ruleIndex": _PLACES[finding.rule],
        "level": finding.severity,
        "message": {"text": message},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": _uri(finding.file or "")},
                    "region": {"startLine": finding.line or 1},
                },
                "logicalLocations": [{"fullyQualifiedName": _place(finding), "kind": "member"}],
            }
        ],
    }


def _uri(file: str) -> str:
    path = Path(file)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())


def _place(finding: Finding) -> str:
    """The field as a path into the leg's JSON value: `stops[3].reason_code`."""
    stop = "" if finding.stop is None else f"stops[{finding.stop}]"
    return ".".join(part for part in (stop, finding.field) if part) or "leg"
