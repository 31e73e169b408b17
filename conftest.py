"""Settings of this repository's own runs live in pyproject.toml; here is only what code must say."""

#: Data, not tests: legs are collected by the plugin where an agent or an argument asks for them.
collect_ignore = ["benchmarks", "examples", "cassettes"]
