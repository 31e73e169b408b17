"""A box without a road to the network, as far as an environment can say so."""

from dataclasses import replace
from pathlib import Path

from .box import Box, CommandResult, CommandSpec

#: Port 9 of this machine discards; nearly always nothing listens there at all.
_DEAD = "http://127.0.0.1:9"
_LOCAL = "localhost,127.0.0.1"
#: Both spellings: curl reads only the lower-case `http_proxy`, others only the upper-case names.
DEAD_PROXY = {
    **dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), _DEAD),
    **dict.fromkeys(("http_proxy", "https_proxy", "all_proxy"), _DEAD),
    **dict.fromkeys(("NO_PROXY", "no_proxy"), _LOCAL),
}


class OfflineBox:
    """Another box whose commands find a dead proxy: what is not recorded fails at once, and the gateway is reached."""

    def __init__(self, inner: Box) -> None:
        self._inner = inner
        self.name = inner.name

    def run(self, spec: CommandSpec) -> CommandResult:
        """As in the inner box; the proxy wins over variables that the command brings."""
        return self._inner.run(replace(spec, env={**spec.env, **DEAD_PROXY}))

    def stop(self) -> None:
        """As in the inner box."""
        self._inner.stop()

    def inside(self, path: Path) -> str:
        """As in the inner box."""
        return self._inner.inside(path)

    def gateway_url(self) -> str:
        """As in the inner box."""
        return self._inner.gateway_url()

    def tools_url(self) -> str:
        """As in the inner box."""
        return self._inner.tools_url()
