"""The table of addresses: nothing special is public, in whatever form it is wrapped."""

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_aar.tools.outside import Reach
from pytest_aar.tools.public_address import _NOT_PUBLIC, not_public

V4 = st.integers(0, 2**32 - 1).map(IPv4Address)
V6 = st.integers(0, 2**128 - 1).map(IPv6Address)


def wrapped(address: IPv4Address) -> list[IPv6Address]:
    """The forms in which IPv6 carries an IPv4 address: mapped, compatible, NAT64, 6to4, Teredo."""
    number = int(address)
    nat64, local_nat64 = int(IPv6Address("64:ff9b::")), int(IPv6Address("64:ff9b:1::"))
    return [
        IPv6Address((0xFFFF << 32) | number),
        IPv6Address(number),
        IPv6Address(nat64 | number),
        IPv6Address(local_nat64 | number),
        IPv6Address((0x2002 << 112) | (number << 80)),
        IPv6Address((0x20010000 << 96) | (number ^ 0xFFFFFFFF)),
    ]


@given(V4)
def test_an_ipv4_address_in_disguise_is_never_public(address: IPv4Address) -> None:
    for each in wrapped(address):
        assert not_public(str(each)) is not None, each


@given(st.one_of(V4, V6))
def test_what_is_public_is_so_for_python_too_and_in_no_line_of_the_table(
    address: IPv4Address | IPv6Address,
) -> None:
    if not_public(str(address)) is None:
        assert address.is_global
        assert not address.is_multicast
        assert not address.is_private
        for line in _NOT_PUBLIC:
            network = ip_network(line)
            assert network.version != address.version or address not in network


@given(st.sampled_from(sorted(_NOT_PUBLIC)), st.data())
def test_every_address_of_a_line_is_refused_with_words(line: str, data: st.DataObject) -> None:
    network = ip_network(line)
    number = data.draw(st.integers(int(network[0]), int(network[-1])))
    address = type(network[0])(number)
    assert not_public(str(address))


@given(V4)
def test_a_number_as_host_is_judged_as_the_address_that_it_means(address: IPv4Address) -> None:
    reach = Reach()
    for spelled in (str(address), str(int(address)), hex(int(address))):
        said = reach._literal_refusal(spelled)
        assert (said is None) == (not_public(str(address)) is None)


@pytest.mark.parametrize(
    "address",
    [
        "8.8.8.8",
        "1.1.1.1",
        "93.184.216.34",
        "208.80.154.224",
        "2620:0:861:ed1a::1",
        "2606:4700::6810:85e5",
    ],
)
def test_ordinary_servers_are_public(address: str) -> None:
    assert not_public(str(ip_address(address))) is None


@pytest.mark.parametrize(
    "address", ["", "example.org", "fe80::1%eth0", "2606:4700::1%1", "1.2.3", "0x7f.1"]
)
def test_what_is_no_plain_address_is_not_public(address: str) -> None:
    assert not_public(address) is not None
