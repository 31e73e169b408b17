"""Derives the world's data file from the packages of the dependency group `world-data`."""
