"""As how many requests a service counts one: whoever asks says so, for whoever keeps the limits."""

import httpx

#: An extension of a request.
WEIGHT = "aar_weight"


def weight_of(request: httpx.Request) -> int:
    """1 unless the request says more."""
    return max(1, int(request.extensions.get(WEIGHT, 1)))
