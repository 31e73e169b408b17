"""pytest-aar: legs of The Amazing Agent Race as pytest items."""

__version__ = "0.1.0"
