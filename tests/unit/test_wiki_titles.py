import asyncio

import httpx
import pytest
from tool_calls import Recorder

from pytest_aar.tools import LIVE, Services
from pytest_aar.tools.result import ToolFailure
from pytest_aar.tools.wiki_titles import batches, final_titles, final_titles_in


def asked(seen: Recorder, titles: list[str], language: str = "en") -> dict[str, str]:
    async def over() -> dict[str, str]:
        async with httpx.AsyncClient(transport=httpx.MockTransport(seen)) as client:
            return await final_titles(Services(http=client, endpoints=LIVE), language, titles)

    return asyncio.run(over())


def there(*titles: str, **more: object) -> dict[str, object]:
    return {"query": {"pages": [{"title": title} for title in titles], **more}}


def test_normalised_then_converted_then_redirected() -> None:
    body = there(
        "End", "B",
        normalized=[{"from": "a_b", "to": "a b"}, {"from": "b", "to": "B"}],
        converted=[{"from": "a b", "to": "A b"}],
        redirects=[{"from": "A b", "to": "Middle"}, {"from": "Middle", "to": "End", "tofragment": "x"}],
    )  # fmt: skip
    assert final_titles_in([body], ["a_b", "b", "C"]) == {"a_b": "End", "b": "B"}


def test_a_title_in_decomposed_letters_comes_back_percent_encoded() -> None:
    title = "Cafe\u0301"
    rows = [
        {"fromencoded": True, "from": "Cafe%CC%81", "to": "Café"},
        {"fromencoded": False, "from": "a%20", "to": "A"},
    ]
    assert final_titles_in([there("Café", "A", normalized=rows)], [title, "a%20"]) == {
        title: "Café",
        "a%20": "A",
    }


def test_pages_that_lead_nowhere_are_left_out() -> None:
    pages = [
        {"title": "Gone", "missing": True}, {"title": "Old", "missing": ""}, {"title": "<", "invalid": True},
        {"title": "Special:X", "special": True}, {"title": "Here", "missing": False}, {"pageid": -1},
    ]  # fmt: skip
    body = {"query": {"pages": pages, "interwiki": [{"title": "de:A"}]}}
    assert final_titles_in([body], ["Gone", "Old", "<", "Special:X", "Here", "de:A"]) == {
        "Here": "Here"
    }


def test_redirects_in_a_circle_or_to_another_wiki_end() -> None:
    rows = [
        {"from": "A", "to": "B"},
        {"from": "B", "to": "A"},
        {"from": "C", "to": "D", "tointerwiki": "de"},
    ]
    found = final_titles_in([there("A", "B", "C", redirects=rows)], ["A", "B", "C"])
    assert found == {"A": "B", "B": "A", "C": "C"}


def test_fifty_titles_a_query_and_none_twice() -> None:
    titles = [f"Page {number}" for number in range(120)]
    seen = Recorder(there(*titles))
    assert asked(seen, [*titles, "Page 3", "", "a|b"]) == {title: title for title in titles}
    sizes = [len(each.url.params["titles"].split("|")) for each in seen.requests]
    assert sizes == [50, 50, 20]
    params = dict(seen.requests[0].url.params)
    assert (params["action"], params["redirects"], seen.requests[0].url.host) == (
        "query",
        "1",
        "en.wikipedia.org",
    )


def test_long_titles_make_shorter_batches() -> None:
    found = list(batches(["語" * 200 + str(number) for number in range(8)]))
    assert [len(batch) for batch in found] == [3, 3, 2]


def test_an_answer_in_parts_is_asked_for_to_its_end() -> None:
    rows = [{"from": "A", "to": "B"}]
    first = {**there("C", redirects=rows), "continue": {"plcontinue": "1|0|X", "continue": "||"}}
    seen = Recorder(first, there("B"))
    assert asked(seen, ["A", "C"], "de") == {"A": "B", "C": "C"}
    second = dict(seen.requests[1].url.params)
    assert (second["plcontinue"], second["continue"], second["titles"]) == ("1|0|X", "||", "A|C")
    assert seen.requests[1].url.host == "de.wikipedia.org"


def test_parts_without_end_are_left_at_some_point() -> None:
    seen = Recorder({**there("A"), "continue": {"continue": "-||"}})
    assert asked(seen, ["A"]) == {"A": "A"}
    assert len(seen.requests) == 20


@pytest.mark.parametrize(
    ("body", "kind"),
    [({"error": {"code": "ratelimited", "info": "x"}}, "quota"), ({"query": {"pages": [3]}}, "upstream"),
     ({"query": {"redirects": [{"to": "B"}]}}, "upstream"), ([], "upstream"), ({"query": []}, None)],
)  # fmt: skip
def test_errors_and_other_shapes(body: object, kind: str | None) -> None:
    seen = Recorder(httpx.Response(200, json=body))
    if kind is None:
        assert asked(seen, ["A"]) == {}
        return
    with pytest.raises(ToolFailure) as failure:
        asked(seen, ["A"])
    assert failure.value.kind == kind
