"""A box without a road to the network, as far as an environment can say so."""

from dataclasses import replace

from .around import BoxAround
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


class OfflineBox(BoxAround):
    """Another box whose commands find a dead proxy: what is not recorded fails at once, and the gateway is reached."""

    def __init__(self, inner: Box) -> None:
        super().__init__(lambda: inner)

    def run(self, spec: CommandSpec) -> CommandResult:
        """As in the inner box; the proxy wins over variables that the command brings."""
        return super().run(replace(spec, env={**spec.env, **DEAD_PROXY}))
