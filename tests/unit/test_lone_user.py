"""Users for programs that share theirs with nobody."""

import pytest

from pytest_aar.box.lone_user import free_users, lone_user

ALL, MANY = "         0          0 4294967295\n", range(1_879_048_192, 2_147_352_576)
FEW = range(61_184, 65_520)


@pytest.mark.parametrize(
    ("uid_map", "users"),
    [
        (ALL, MANY),
        ("", MANY),  # no user namespaces, no map
        ("0 1000 1\n1 100000 4294900000\n", MANY),
        ("0 100000 65536\n", FEW),
        ("0 1000 1\n1 100000 65536\n", FEW),
        ("0 0 1879048193\n", FEW),
    ],
)
def test_users_are_those_that_a_container_has_and_nobody_is(uid_map: str, users: range) -> None:
    assert free_users(uid_map) == users


def test_no_two_calls_have_the_same_user() -> None:
    users = {lone_user() for _ in range(3)}
    assert len(users) > 1
    assert all(each in MANY or each in FEW for each in users)
