"""What model calls cost, and the budgets that bound it."""

from .budget import RaceBudget, RunBudget, dollars, spent_on
from .ledger import Ledger, Spent
from .prices import FORM, Price, Prices, read_prices

__all__ = [
    "FORM",
    "Ledger",
    "Price",
    "Prices",
    "RaceBudget",
    "RunBudget",
    "Spent",
    "dollars",
    "read_prices",
    "spent_on",
]
