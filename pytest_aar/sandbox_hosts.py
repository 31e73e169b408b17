"""Where the sandbox world's encyclopaedia and the search over a ZIM file live: reserved names, never real addresses."""

WIKI_HOST = "wiki.aar.test"
WIKI_BASE = f"https://{WIKI_HOST}"
#: What the address of each of its pages starts with.
WIKI_PAGES = f"{WIKI_BASE}/wiki/"

#: Where the search over a ZIM file is.
ZIM_SEARCH_HOST = "search-in-zim.aar.test"
ZIM_SEARCH_BASE = f"https://{ZIM_SEARCH_HOST}"
#: Field of an error of the wiki in a ZIM file: all that is to be said of it, what to do included.
ZIM_MESSAGE = "aar_message"
