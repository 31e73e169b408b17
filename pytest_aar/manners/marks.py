"""How a reply that says no was judged, told on the reply itself to whoever records it."""

from typing import Literal

#: The extension of a response; on tapes, a header of our own.
JUDGED, JUDGED_HEADER = "aar_judged", "aar-judged"

#: "passing": it is of the account or of the moment, and says nothing of what was asked. "request": an honest answer.
Judged = Literal["passing", "request"]
PASSING: Judged = "passing"
OF_REQUEST: Judged = "request"
