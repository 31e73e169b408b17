"""Budgets in tokens and US dollars: of one race, and of a whole run over all its workers."""

from dataclasses import dataclass, field, replace

from pytest_aar.trace import ModelCall

from .ledger import Ledger, Spent
from .prices import Prices

#: A call whose reply does not tell its tokens is counted by its size: few texts have more tokens than this.
_BYTES_PER_TOKEN = 3
_FIRST_ERROR_STATUS = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class RaceBudget:
    """The limits of one race, None for none, and the run's ledger that its live calls are noted in."""

    max_tokens: int | None = None
    max_cost: float | None = None
    ledger: Ledger | None = field(default=None, repr=False)

    def used_up(self, spent: Spent) -> str | None:
        """What of the race's budget is used up, None while there is some left."""
        return _over("the race's budget", self.max_tokens, self.max_cost, spent)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunBudget:
    """The limits of a run, None for none; what is spent stands in the ledger."""

    ledger: Ledger
    max_tokens: int | None = None
    max_cost: float | None = None

    def used_up(self) -> str | None:
        """What of the run's budget is used up, None while there is some left."""
        if self.max_tokens is None and self.max_cost is None:
            return None
        return _over("the run's budget", self.max_tokens, self.max_cost, self.ledger.spent())


def spent_on(call: ModelCall, prices: Prices, *, sent: int, received: int) -> Spent:
    """What a call takes of the budgets. `sent` and `received` are bytes, for counts that the reply lacks.

    Nothing for a call that was refused.
    """
    if call.status >= _FIRST_ERROR_STATUS:
        return Spent()
    given, taken = call.input_tokens, call.output_tokens
    given = -(-sent // _BYTES_PER_TOKEN) if given is None else given
    taken = -(-received // _BYTES_PER_TOKEN) if taken is None else taken
    counted = replace(call, input_tokens=given, output_tokens=taken)
    return Spent(tokens=given + taken, cost=prices.cost_of(counted) or 0.0)


def dollars(amount: float) -> str:
    """`$1.25`; small amounts keep two digits that say something: `$0.0042`."""
    return f"${amount:.2f}" if amount >= 1 or amount == round(amount, 2) else f"${amount:.2g}"


def _over(whose: str, tokens: int | None, cost: float | None, spent: Spent) -> str | None:
    if cost is not None and spent.cost >= cost:
        return f"{whose} of {dollars(cost)} is used up ({dollars(spent.cost)} spent)"
    if tokens is not None and spent.tokens >= tokens:
        return f"{whose} of {tokens:,} tokens is used up ({spent.tokens:,} spent)"
    return None
