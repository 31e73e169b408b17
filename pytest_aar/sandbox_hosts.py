"""Where the sandbox world's encyclopaedia lives: a reserved name, never a real address."""

WIKI_HOST = "wiki.aar.test"
WIKI_BASE = f"https://{WIKI_HOST}"
#: What the address of each of its pages starts with.
WIKI_PAGES = f"{WIKI_BASE}/wiki/"
