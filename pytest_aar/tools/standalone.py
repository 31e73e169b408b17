#!/usr/bin/env python3
"""Tools for this race.

  python3 tools.py                    list the tools
  python3 tools.py NAME '{"a": 1}'    call a tool with arguments as JSON ("-": JSON from stdin)
  python3 tools.py NAME --help        what a tool takes

Exit code: 0 a result, 1 an error result, 2 wrong usage or no gateway.
"""
# Standard library only, nothing slow to import (no http, ssl, argparse): each call starts it anew.

import json
import os
import socket
import sys

USAGE, ERROR = 2, 1
FAULT = 400
TIMEOUT_SECONDS = 120
# Name -> description and arguments; filled in when this file is copied into an agent's folder.
TOOLS: dict = {}  # type: ignore[type-arg]  # typing is slow to import


def main(words: "list[str]") -> int:
    """Run one command line; the exit code."""
    if not words or words[0] in ("list", "-h", "--help"):
        return show_all()
    name, rest = words[0], words[1:]
    if name.startswith("-") or len(rest) > 1:
        return refuse("expected NAME and one JSON text of arguments, got: " + " ".join(words))
    if rest and rest[0] in ("-h", "--help"):
        return show(name)
    text = rest[0] if rest else "{}"
    if text == "-":
        text = sys.stdin.read()
    try:
        json.loads(text)
    except ValueError as problem:
        return refuse(f"the arguments of {name} are not JSON ({problem}): {text[:200]}")
    status, headers, body = request("POST", "tools/" + quoted(name), text.encode())
    write(body)
    return ERROR if status >= FAULT or headers.get("x-aar-ok", "true") == "false" else 0


def show_all() -> int:
    """Print how to call, and every tool with its arguments."""
    print((__doc__ or "").strip(), end="\n\n")
    for name, tool in TOOLS.items():
        required = tool["arguments"].get("required", [])
        names = (n if n in required else n + "?" for n in tool["arguments"]["properties"])
        print(f"{name} {{{', '.join(names)}}}: {tool['description']}")
    return 0


def show(name: str) -> int:
    """Print a tool's description and the JSON Schema of its arguments."""
    if name not in TOOLS:
        return refuse(f"no tool is called {name}; the tools are {', '.join(TOOLS)}")
    print(f"{name}: {TOOLS[name]['description']}\nArguments (JSON Schema):")
    print(json.dumps(TOOLS[name]["arguments"], indent=2, ensure_ascii=False))
    return 0


def refuse(message: str) -> int:
    """Say what is wrong with the command line."""
    print("tools.py: " + message, file=sys.stderr)
    print((__doc__ or "").strip(), file=sys.stderr)
    return USAGE


def quoted(name: str) -> str:
    """A tool's name as a part of a URL; anything unusual becomes percent codes."""
    safe = "_-.0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    return "".join(c if c in safe else "".join(f"%{b:02X}" for b in c.encode()) for c in name)


def request(method: str, path: str, body: bytes) -> "tuple[int, dict[str, str], bytes]":
    """Status, headers (names in lower case) and body of one request to the gateway."""
    address, prefix = gateway()
    host = "localhost" if isinstance(address, str) else f"{address[0]}:{address[1]}"
    head = (
        f"{method} {prefix}/{path} HTTP/1.1",
        f"Host: {host}",
        "Connection: close",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        "\r\n",
    )
    try:
        with connected(address) as connection:
            connection.sendall("\r\n".join(head).encode() + body)
            reply = b"".join(iter(lambda: connection.recv(65536), b""))
        return parsed(reply)
    except (OSError, ValueError, IndexError) as problem:
        print(f"tools.py: the gateway did not answer: {problem}", file=sys.stderr)
        sys.exit(USAGE)


def gateway() -> "tuple[tuple[str, int] | str, str]":
    """Where the gateway is: (host, port) or a socket's path, and the path prefix of this race."""
    url = os.environ.get("AAR_GATEWAY", "")
    if url.startswith("unix:"):
        path, _, prefix = url[5:].partition(":")
        return path, prefix.rstrip("/")
    if url.startswith("http://"):
        place, _, prefix = url[7:].partition("/")
        host, _, port = place.partition(":")
        if host and (not port or port.isdigit()):
            return (host, int(port or 80)), ("/" + prefix).rstrip("/")
    forms = "http://HOST:PORT/r/TOKEN or unix:PATH:/r/TOKEN"
    print(f"tools.py: AAR_GATEWAY is {url!r}; expected {forms}", file=sys.stderr)
    sys.exit(USAGE)


def connected(address: "tuple[str, int] | str") -> socket.socket:
    """An open socket to the gateway."""
    family = socket.AF_UNIX if isinstance(address, str) else socket.AF_INET
    connection = socket.socket(family, socket.SOCK_STREAM)
    connection.settimeout(TIMEOUT_SECONDS)
    connection.connect(address)
    return connection


def parsed(reply: bytes) -> "tuple[int, dict[str, str], bytes]":
    """An HTTP/1.1 reply taken apart; the body by length, by chunks, or up to the end."""
    head, gap, body = reply.partition(b"\r\n\r\n")
    if not gap:
        raise ValueError(f"the reply broke off: {reply[:100]!r}")
    lines = head.decode("latin-1").split("\r\n")
    pairs = (line.split(":", 1) for line in lines[1:] if ":" in line)
    headers = {name.strip().lower(): value.strip() for name, value in pairs}
    if headers.get("transfer-encoding", "").lower() == "chunked":
        body = dechunked(body)
    elif len(body) < int(headers.get("content-length", 0)):
        raise ValueError(f"the reply broke off after {len(body)} bytes")
    return int(lines[0].split(" ", 2)[1]), headers, body


def dechunked(body: bytes) -> bytes:
    """The body of a chunked reply."""
    parts: list[bytes] = []
    while True:
        size, _, body = body.partition(b"\r\n")
        length = int(size.split(b";")[0], 16)
        if length == 0:
            return b"".join(parts)
        parts.append(body[:length])
        body = body[length + 2 :]


def write(body: bytes) -> None:
    """The bytes as they came, and a line's end."""
    sys.stdout.buffer.write(body if body.endswith(b"\n") else body + b"\n")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
