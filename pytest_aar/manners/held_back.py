"""A request that was not sent."""

import httpx


class HeldBack(httpx.TransportError):
    """Manners kept it from being sent: no turn came up in time. Trying again at once would not help.

    `is_out`: because the service is down, not because of its limits. `is_unreached`: because there is no connection
    to it. `seconds`: when the next turn is.
    """

    def __init__(
        self, message: str, *, seconds: float, is_out: bool, is_unreached: bool = False
    ) -> None:
        """Keep which of them it is."""
        super().__init__(message)
        self.seconds = seconds
        self.is_out = is_out
        self.is_unreached = is_unreached
