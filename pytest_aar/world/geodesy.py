"""Distances on the sphere."""

from math import asin, atan2, cos, degrees, radians, sin, sqrt

EARTH_RADIUS_KM = 6371.0088
Point = tuple[float, float]


def distance_km(start: Point, end: Point) -> float:
    """Great-circle distance between two (latitude, longitude) points, in km."""
    lat1, lat2 = radians(start[0]), radians(end[0])
    half_lat = sin((lat2 - lat1) / 2)
    half_lon = sin(radians(end[1] - start[1]) / 2)
    chord = half_lat * half_lat + cos(lat1) * cos(lat2) * half_lon * half_lon
    return 2 * EARTH_RADIUS_KM * asin(min(1.0, sqrt(chord)))


_COMPASS = ("north", "northeast", "east", "southeast", "south", "southwest", "west", "northwest")


def compass(start: Point, end: Point) -> str:
    """The direction from `start` to `end`, one of eight words."""
    lat1, lat2, lon = radians(start[0]), radians(end[0]), radians(end[1] - start[1])
    north = cos(lat1) * sin(lat2) - sin(lat1) * cos(lat2) * cos(lon)
    bearing = degrees(atan2(sin(lon) * cos(lat2), north))
    return _COMPASS[round(bearing / 45) % 8]
