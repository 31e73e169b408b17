"""Manners towards live services: limits, waits, refusals and pages that all workers of a run share.

Import the modules: `policies` is read at pytest's start and must stay light.
"""
