"""Ending streams that have fallen silent."""

import asyncio
from collections.abc import AsyncIterator

from pytest_aar.errors import ModelUnavailable

#: Seconds between two pieces of a stream: a model may think for minutes between them, and clients wait for 300.
LONGEST_SILENCE = 240.0


async def never_silent(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The chunks as they come.

    Raises:
        ModelUnavailable: none came for `LONGEST_SILENCE`.
    """
    waiting = aiter(chunks)
    while True:
        try:
            async with asyncio.timeout(LONGEST_SILENCE):
                chunk = await anext(waiting)
        except StopAsyncIteration:
            return
        except TimeoutError as error:
            raise ModelUnavailable(
                f"the model server's stream was silent for {LONGEST_SILENCE:g} s and was cut; try later"
            ) from error
        yield chunk
