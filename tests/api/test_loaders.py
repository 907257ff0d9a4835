"""Look-ups by id are gathered, and nothing read for one operation or event is shown in another."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from api_help import TEXTS, Live

from kgmem import ids
from kgmem.api.context import Context, Services
from kgmem.api.loaders import Loaders


@dataclass
class Reading:
    """Runs work at once, counting how often."""

    store: Any
    calls: list[int] = field(default_factory=list)

    async def __call__(self, work: Callable[[Any], Any]) -> Any:
        self.calls.append(1)
        return work(self.store)


def test_one_call_for_all_that_is_asked_at_once(live: Live) -> None:
    reading = Reading(live.kg.store)
    wanted = [ids.source_id("default", uri) for uri in TEXTS]

    async def asking() -> list[Any]:
        loaders = Loaders(reading)
        found = await loaders.source.load_many([*wanted, "d0", *wanted])
        assert len(reading.calls) == 1
        assert await loaders.source.load(wanted[0]) is found[0]
        assert len(reading.calls) == 1
        loaders.clear()
        await loaders.source.load(wanted[0])
        assert len(reading.calls) == 2
        return list(found)

    found = asyncio.run(asking())
    assert [source and source.title for source in found[:5]] == [*(title for title, _ in TEXTS.values()), None]


def test_each_operation_has_loaders_of_its_own(live: Live) -> None:
    services = Services(live.kg)
    first, second = Context.start(services), Context.start(services)
    assert first.loaders is not second.loaders
    assert first.loaders.source is not second.loaders.source
    services.close()
