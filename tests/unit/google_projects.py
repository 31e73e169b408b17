"""A Google Cloud project in small: which families of map APIs it has, and what it was asked."""

import gzip
import json
from dataclasses import dataclass, field
from typing import Any

import httpx

HAS_NOT = {
    "error": {
        "code": 403,
        "message": "Places API (New) has not been used in project 7 before or it is disabled.",
        "status": "PERMISSION_DENIED",
        "details": [{"reason": "SERVICE_DISABLED", "domain": "googleapis.com"}],
    }
}
LEGACY = {
    "status": "REQUEST_DENIED",
    "error_message": "You're calling a legacy API, which is not enabled for your project.",
}
PLACE = {"id": "p9", "displayName": {"text": "Museo Larco"}, "rating": 4.7, "userRatingCount": 12}
LEGACY_PLACE = {
    "place_id": "p9",
    "name": "Museo Larco",
    "formatted_address": "Av. Simon Bolivar 1515",
    "geometry": {"location": {"lat": -12.07, "lng": -77.07}},
    "rating": 5,
    "user_ratings_total": 12,
}
_LEG = {"distance": {"value": 1500}, "duration": {"value": 90}}
_NEW = {
    "/v1/places:searchText": {"places": [PLACE]},
    "/v1/places/p9": PLACE,
    "/distanceMatrix/v2:computeRouteMatrix": [{"distanceMeters": 1500, "duration": "90s"}],
    "/directions/v2:computeRoutes": {"routes": [{"distanceMeters": 1500, "duration": "90s"}]},
}
_OLD = {
    "/maps/api/place/textsearch/json": {"status": "OK", "results": [LEGACY_PLACE]},
    "/maps/api/place/details/json": {"status": "OK", "result": LEGACY_PLACE},
    "/maps/api/distancematrix/json": {
        "status": "OK",
        "rows": [{"elements": [{"status": "OK", **_LEG}]}],
    },
    "/maps/api/directions/json": {"status": "OK", "routes": [{"legs": [_LEG]}]},
}


@dataclass(slots=True, kw_only=True)
class Project:
    """A handler of requests; `paths` are those it was asked for."""

    new: bool
    legacy: bool
    refusal: Any = field(default_factory=lambda: HAS_NOT)
    legacy_refusal: Any = field(default_factory=lambda: LEGACY)
    requests: list[httpx.Request] = field(default_factory=list)

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        path = request.url.path
        if path in _NEW:
            return httpx.Response(200, json=_NEW[path]) if self.new else refused(self.refusal)
        return httpx.Response(200, json=_OLD[path] if self.legacy else self.legacy_refusal)

    @property
    def paths(self) -> list[str]:
        return [request.url.path for request in self.requests]


def refused(body: Any) -> httpx.Response:
    """HTTP 403 as Google sends it, packed."""
    headers = {"content-type": "application/json; charset=UTF-8", "content-encoding": "gzip"}
    packed = gzip.compress(json.dumps(body).encode(), mtime=0)
    return httpx.Response(403, headers=headers, content=packed)
