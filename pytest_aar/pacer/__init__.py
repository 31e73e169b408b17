"""The pacer: a scripted stand-in for a model, that follows the golden trace with seeded skills.

It is the known truth that the error decomposition is tested against, and a dry run that costs nothing.
It never counts as a model.
"""

from .plan import Fault, PacerPlan, plan
from .route import Action
from .skills import Skills
from .transport import PacerTransport

__all__ = ["Action", "Fault", "PacerPlan", "PacerTransport", "Skills", "plan"]
