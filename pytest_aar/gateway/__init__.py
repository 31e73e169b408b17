"""The gateway: the only road out of a race. It serves tools and models, and alone writes the trace."""

from .service import Gateway
from .session import RaceOrder, RaceSession, Tapes

__all__ = ["Gateway", "RaceOrder", "RaceSession", "Tapes"]
