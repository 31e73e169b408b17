"""Which internet addresses are public: the only ones that a page may be fetched from.

Python's `is_global` alone lets through what leads inside: translated and tunnelled addresses (NAT64, 6to4),
multicast, the metadata services of two clouds. So there is a table of our own on top of it. Sources: IANA's
registries of special-purpose addresses for IPv4 and IPv6, and the clouds' documentation.
"""

from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

_NOT_PUBLIC = {
    "0.0.0.0/8": "this network",
    "10.0.0.0/8": "a private network",
    "100.64.0.0/10": "the inside of a provider's network",
    "127.0.0.0/8": "this machine",
    "169.254.0.0/16": "link-local, where clouds keep their metadata",
    "172.16.0.0/12": "a private network",
    "192.0.0.0/24": "reserved for protocols",
    "192.0.2.0/24": "documentation",
    "192.31.196.0/24": "an AS112 sink",
    "192.52.193.0/24": "a multicast relay",
    "192.88.99.0/24": "a 6to4 relay",
    "192.168.0.0/16": "a private network",
    "192.175.48.0/24": "an AS112 sink",
    "198.18.0.0/15": "a test network",
    "198.51.100.0/24": "documentation",
    "203.0.113.0/24": "documentation",
    "224.0.0.0/4": "multicast",
    "240.0.0.0/4": "reserved",
    "168.63.129.16/32": "a cloud's metadata",
    "::/128": "this machine",
    "::1/128": "this machine",
    "::ffff:0:0/96": "an IPv4 address in disguise",
    "::/96": "an IPv4 address in disguise",
    "64:ff9b::/96": "a translated IPv4 address",
    "64:ff9b:1::/48": "a translated IPv4 address",
    "100::/64": "a sink",
    "2001::/32": "an IPv4 address in a tunnel",
    "2001::/23": "reserved for protocols",
    "2001:db8::/32": "documentation",
    "2002::/16": "an IPv4 address in a tunnel",
    "2620:4f:8000::/48": "an AS112 sink",
    "3fff::/20": "documentation",
    "fc00::/7": "a private network",
    "fe80::/10": "link-local",
    "fec0::/10": "a private network",
    "ff00::/8": "multicast",
}
_TABLE: tuple[tuple[IPv4Network | IPv6Network, str], ...] = tuple(
    (ip_network(network), what) for network, what in _NOT_PUBLIC.items()
)
#: All of IPv6 that is given out for use on the internet.
_UNICAST = IPv6Network("2000::/3")


def not_public(address: str) -> str | None:
    """What an address is, in words, when it is no public one; None for a public one.

    `address` is numeric, as `getaddrinfo` gives it; one with a zone (`fe80::1%eth0`) is never public.
    """
    try:
        ip = ip_address(address)
    except ValueError:
        return "no internet address"
    if isinstance(ip, IPv6Address) and ip.scope_id is not None:
        return "an address of one network card"
    for network, what in _TABLE:
        if ip.version == network.version and ip in network:
            return what
    if not ip.is_global or (isinstance(ip, IPv6Address) and ip not in _UNICAST):
        return "not given out for the internet"
    return None
