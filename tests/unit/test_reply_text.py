"""The message of an error body, whatever its shape."""

from typing import Any

import pytest

from pytest_aar.manners.reply_text import message_in


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"message": "Too few", "errors": [{"message": "field a"}]}, "Too few"),
        ({"message": "", "errors": [{"message": "field a"}]}, "field a"),
        ({"error": {"message": "Denied", "errors": [{"message": "a"}], "status": "X"}}, "Denied"),
        ({"error": {"message": "Denied"}, "message": "HTTP 403"}, "Denied"),
        ({"error": "Not Found", "message": "no such path"}, "no such path"),
        ({"error": True, "reason": "No data"}, "No data"),
        ({"status": {"error_code": 1, "error_message": "past"}}, "past"),
        ({"chart": {"result": None, "error": {"code": "x", "description": "gone"}}}, "gone"),
        ({"detail": [{"loc": ["query"], "msg": "too short"}]}, "too short"),
        ([{"error": {"message": "first"}}, {"error": {"message": "second"}}], "first"),
        ({"title": "", "error": "last"}, "last"),
        ([{"message": [{"id": "120", "key": "Invalid value"}]}], ""),
        ({"data": {"message": "an input"}}, ""),
        ([], ""),
        ("text", ""),
    ],
)
def test_a_levels_own_message_comes_before_those_of_the_lists_beside_it(
    body: Any, said: str
) -> None:
    assert message_in(body) == said
