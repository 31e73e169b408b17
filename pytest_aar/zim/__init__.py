"""Wikipedia from a ZIM file of Kiwix: what the file is, its articles, and a transport that answers from it.

libzim is GPL-3.0, so it is an extra of its own (`pytest-aar[zim]`) and imported only when a file is opened.
"""

from .edition import Edition
from .file import Found, ZimFile, is_libzim_there, lacking, open_zim
from .transport import NoFile, ZimTransport

__all__ = [
    "Edition",
    "Found",
    "NoFile",
    "ZimFile",
    "ZimTransport",
    "is_libzim_there",
    "lacking",
    "open_zim",
]
