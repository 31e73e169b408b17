"""This repository's own settings live in pyproject.toml; here is only what code must say."""

#: Recordings, not tests.
collect_ignore = ["cassettes"]
