"""Findings as text for people, JSON, and GitHub's workflow commands; SARIF has a module of its own."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from types import MappingProxyType
from typing import Any

from .finding import Finding
from .rules import RULES
from .run import Linted
from .sarif import sarif

_GITHUB = {"error": "error", "warning": "warning", "note": "notice"}


def _text(linted: Linted) -> str:
    """A line for each finding; at the end how many there are, by rule."""
    legs = _several(linted.files, "file")
    if not linted.findings:
        return f"no findings in {legs}"
    findings, files = counted(linted.findings)
    width = max(map(len, findings))
    touched = len({finding.file for finding in linted.findings})
    return "\n".join(
        (
            *map(str, linted.findings),
            "",
            *(
                f"{rule:{width}}  {findings[rule]:6,} in {files[rule]:,}"
                for rule in RULES
                if findings[rule]
            ),
            f"{_several(len(linted.findings), 'finding')} in {touched} of {legs}",
        )
    )


def _json(linted: Linted) -> str:
    findings, files = counted(linted.findings)
    found: dict[str, Any] = {
        "files": linted.files,
        "rules": {
            rule: {"findings": findings[rule], "legs": files[rule]}
            for rule in RULES
            if findings[rule]
        },
        "findings": [asdict(finding) for finding in linted.findings],
    }
    return json.dumps(found, indent=1, ensure_ascii=False)


def _github(linted: Linted) -> str:
    """Workflow commands that GitHub shows beside the lines of a pull request."""
    return "\n".join(map(_command, linted.findings))


#: Format -> what it makes of the findings.
FORMATS: Mapping[str, Callable[[Linted], str]] = MappingProxyType(
    {"text": _text, "json": _json, "github": _github, "sarif": sarif}
)


def counted(findings: Iterable[Finding]) -> tuple[Counter[str], Counter[str]]:
    """How many findings each rule has, and in how many files."""
    findings = tuple(findings)
    files = {(finding.rule, finding.file) for finding in findings}
    return Counter(finding.rule for finding in findings), Counter(rule for rule, _ in files)


def _several(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"


def _command(finding: Finding) -> str:
    place = f"file={_property(str(finding.file))},line={finding.line}"
    title = _property(finding.rule)
    return f"::{_GITHUB[finding.severity]} {place},title={title}::{_data(finding.told)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
