"""Lets the same checks run with an asynchronous client: waits for each call, and turns its iterators into plain ones."""

import asyncio
import inspect


def new_loop():
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    return loop


class Blocking:
    """A client whose calls are waited for."""

    def __init__(self, client, loop):
        self._client, self._loop = client, loop

    def __getattr__(self, name):
        member = getattr(self._client, name)
        return member if not callable(member) else lambda *args, **options: self._wait(member, args, options)

    def _wait(self, member, args, options):
        async def call():
            result = member(*args, **options)
            return await result if inspect.isawaitable(result) else result

        result = self._loop.run_until_complete(call())
        if hasattr(result, "by_page"):
            return BlockingItems(result, self._loop)
        return Blocking(result, self._loop) if hasattr(result, "submit_transaction") else result


class BlockingItems:
    """The items of a query, and its pages."""

    def __init__(self, items, loop):
        self._items, self._loop = items, loop

    def __iter__(self):
        iterator = self._items.__aiter__()
        while True:
            try:
                yield self._loop.run_until_complete(iterator.__anext__())
            except StopAsyncIteration:
                return

    def by_page(self, continuation_token=None):
        return BlockingPages(self._items.by_page(continuation_token), self._loop)


class BlockingPages:
    """The pages of a query."""

    def __init__(self, pages, loop):
        self._pages, self._loop = pages, loop

    @property
    def continuation_token(self):
        return self._pages.continuation_token

    def __iter__(self):
        return self

    def __next__(self):
        async def collect():
            return [item async for item in await self._pages.__anext__()]

        try:
            return self._loop.run_until_complete(collect())
        except StopAsyncIteration:
            raise StopIteration from None
