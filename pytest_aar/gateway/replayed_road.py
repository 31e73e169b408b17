"""Replies of a recording, judged as those of the services were: a refusal stays one when it is replayed."""

from collections.abc import Callable

import httpx

from pytest_aar.manners.directory import Place
from pytest_aar.manners.marks import JUDGED_HEADER, OF_REQUEST
from pytest_aar.manners.meter import Note, take_note
from pytest_aar.manners.troubles import passing_trouble, refusal_in
from pytest_aar.tools.exchange import REPLAYED, SOURCE


class ReplayedRoad(httpx.AsyncBaseTransport):
    """`taped`, the road with a race's tape; what that replays is noted in the call's meter."""

    def __init__(self, taped: httpx.AsyncBaseTransport, find: Callable[[httpx.URL], Place]) -> None:
        self._taped, self._find = taped, find

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """The reply of the road below; its failures are those of that road."""
        try:
            reply = await self._taped.handle_async_request(request)
        except (httpx.TransportError, httpx.DecodingError) as fault:
            if request.extensions.get(SOURCE) == REPLAYED:
                place = self._find(request.url)
                what = f"{place.service} did not answer ({type(fault).__name__}: {fault})"
                take_note(
                    place.service, Note(trouble=what, is_replayed=True), edition=place.edition
                )
            raise
        if reply.extensions.get(SOURCE) == REPLAYED:
            place = self._find(request.url)
            take_note(place.service, _note_of(reply, place), edition=place.edition)
        return reply

    async def aclose(self) -> None:
        """Close the road below."""
        await self._taped.aclose()


def _note_of(reply: httpx.Response, place: Place) -> Note:
    status = reply.status_code
    refused = refusal_in(reply, place)
    if refused is None:
        return Note(trouble=passing_trouble(reply, place), status=status, is_replayed=True)
    if reply.headers.get(JUDGED_HEADER) == OF_REQUEST:
        return Note(status=status, is_replayed=True)
    told = refused.told(place.name, if_denied=place.if_denied)
    return Note(trouble=told, for_good=True, status=status, is_replayed=True)
