"""How two entities are connected: shortest chains of sentences, each naming two entities next to each other.

`shortest_paths` searches from both ends at once and knows nothing of stores:
what lies around a node is asked of a function, a whole level at a time.
`evidence_paths` gives it a store's sentences. The work is bounded: an entity
is looked at through its `SENTENCES` best sentences, a level goes on from the
`FRONTIER` entities that the fewest chunks name, and none goes on from one that
more than `HUB` chunks name, since that is beside everything.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise, product
from typing import TypeVar

from kgmem import errors
from kgmem.model import Entity, Filter, Ref
from kgmem.store.contract import MentionAt, Store, StoredChunk

MAX_HOPS = 4
MAX_PATHS = 10
FRONTIER = 100
SENTENCES = 30
END_SENTENCES = 200
HUB = 500
_CROWD = 12
"""Entities in one sentence above which it is a list and evidence of nothing."""

N = TypeVar("N", bound=Hashable)
Around = Callable[[Sequence[N]], Mapping[N, Sequence[N]]]
"""The neighbours of each node of a level, the best first."""


@dataclass(frozen=True, slots=True)
class PathStep:
    """`start` and `end` are named by the same sentence, `chunk.text[span[0]:span[1]]`."""

    start: Entity
    end: Entity
    stored: StoredChunk
    span: tuple[int, int]

    @property
    def sentence(self) -> str:
        return self.stored.chunk.text[self.span[0] : self.span[1]]


def shortest_paths(start: N, goal: N, around: Around[N], max_hops: int, limit: int) -> list[tuple[N, ...]]:
    """Up to `limit` of the shortest paths from `start` to `goal`, both included, of at most `max_hops` edges.

    Each side keeps, for every node it reached, all the nodes of the level before
    that lead there; the smaller side goes on until the two meet.
    """
    reached: tuple[dict[N, tuple[N, ...]], dict[N, tuple[N, ...]]] = ({start: ()}, {goal: ()})
    levels: list[list[N]] = [[start], [goal]]
    for _ in range(max_hops):
        side = 0 if len(levels[0]) <= len(levels[1]) else 1
        if not levels[side]:
            side = 1 - side
        if not levels[side]:
            return []
        found: dict[N, list[N]] = {}
        neighbours = around(levels[side])
        for node in levels[side]:
            for neighbour in neighbours.get(node, ()):
                if neighbour not in reached[side]:
                    found.setdefault(neighbour, []).append(node)
        reached[side].update((node, tuple(dict.fromkeys(before))) for node, before in found.items())
        levels[side] = list(found)
        meeting = [node for node in found if node in reached[1 - side]]
        if meeting:
            paths = [path for path in _joined(meeting, reached) if len(set(path)) == len(path)]
            # Where `around` leaves neighbours out, the sides may meet later than they could have.
            shortest = min(map(len, paths), default=0)
            return [path for path in paths if len(path) == shortest][:limit]
    return []


def _joined(
    meeting: Sequence[N], reached: tuple[Mapping[N, tuple[N, ...]], Mapping[N, tuple[N, ...]]]
) -> list[tuple[N, ...]]:
    paths = []
    for node in meeting:
        heads, tails = (_back(node, side) for side in reached)
        paths += [(*reversed(head), node, *tail) for head, tail in product(heads, tails)][:MAX_PATHS]
    return paths


def _back(node: N, reached: Mapping[N, tuple[N, ...]]) -> list[tuple[N, ...]]:
    """The ways from `node` back to its side's end, `node` left out, `MAX_PATHS` at most."""
    before = reached[node]
    if not before:
        return [()]
    ways = ((earlier, *way) for earlier in before for way in _back(earlier, reached))
    return list(islice(ways, MAX_PATHS))


class Sentences:
    """The graph of a store's sentences as `shortest_paths` asks for it, remembering which sentence joined which two."""

    def __init__(self, store: Store, ends: Sequence[Ref], where: Filter = Filter()) -> None:
        self._store = store
        self._ends = frozenset(ends)
        self._where = where
        self.joins: dict[frozenset[Ref], tuple[int, Ref, int]] = {}

    def around(self, level: Sequence[Ref]) -> dict[Ref, list[Ref]]:
        counts = self._store.entity_info(level)
        leading = [r for r in level if r in self._ends or (r in counts and counts[r].chunk_count <= HUB)]
        leading = sorted(leading, key=lambda r: counts[r].chunk_count if r in counts else 0)[:FRONTIER]
        ends = [ref for ref in leading if ref in self._ends]
        others = [ref for ref in leading if ref not in self._ends]
        mentions = self._store.mentions_of(ends, END_SENTENCES, self._where)
        mentions += self._store.mentions_of(others, SENTENCES, self._where)
        members: dict[tuple[Ref, int], dict[Ref, None]] = {}
        for named in self._store.entities_in(list({(m.chunk, m.sentence): None for m in mentions})):
            members.setdefault((named.chunk, named.sentence), {})[named.entity] = None
        return self._neighbours(mentions, members)

    def _neighbours(
        self, mentions: Sequence[MentionAt], members: Mapping[tuple[Ref, int], Mapping[Ref, None]]
    ) -> dict[Ref, list[Ref]]:
        found: dict[Ref, dict[Ref, None]] = {}
        for mention in mentions:
            inside = members.get((mention.chunk, mention.sentence), {})
            if len(inside) > _CROWD:
                continue
            for other in inside:
                if other == mention.entity:
                    continue
                found.setdefault(mention.entity, {})[other] = None
                pair = frozenset((mention.entity, other))
                # The sentence that names the fewest others says most about the two.
                if pair not in self.joins or len(inside) < self.joins[pair][0]:
                    self.joins[pair] = (len(inside), mention.chunk, mention.sentence)
        return {ref: list(others) for ref, others in found.items()}


def evidence_paths(
    store: Store, start: Entity, goal: Entity, *, max_hops: int = MAX_HOPS, limit: int = 3
) -> list[tuple[PathStep, ...]]:
    """Up to `limit` shortest paths between two entities, those over rarer entities first. Raises `QueryError`."""
    if not 1 <= max_hops <= MAX_HOPS:
        raise errors.QueryError(f"maxHops is {max_hops}; ask for 1 to {MAX_HOPS}.")
    if not 1 <= limit <= MAX_PATHS:
        raise errors.QueryError(f"first is {limit}; ask for 1 to {MAX_PATHS} paths.")
    if start.id == goal.id:
        raise errors.QueryError(f"Both ends are the same entity, {start.name}; name two.")
    with store.snapshot():
        known = {name.key: name.ref for name in store.find_names([start.key, goal.key], Filter())}
        if start.key not in known or goal.key not in known:
            return []
        ends = known[start.key], known[goal.key]
        graph = Sentences(store, ends)
        paths = shortest_paths(*ends, graph.around, max_hops, MAX_PATHS * MAX_PATHS)
        counts = store.entity_info(list({ref for path in paths for ref in path}))
        paths.sort(key=lambda path: sum(counts[ref].chunk_count for ref in path[1:-1] if ref in counts))
        return _with_evidence(store, graph, paths[:limit])


def _with_evidence(store: Store, graph: Sentences, paths: Sequence[tuple[Ref, ...]]) -> list[tuple[PathStep, ...]]:
    pairs = [list(pairwise(path)) for path in paths]
    joins = {pair: graph.joins[frozenset(pair)] for path in pairs for pair in path}
    chunks = {stored.ref: stored for stored in store.chunks(list({chunk for _, chunk, _ in joins.values()}))}
    named = store.entity_names(list({ref for path in paths for ref in path}))

    def step(pair: tuple[Ref, Ref]) -> PathStep:
        _, chunk, sentence = joins[pair]
        stored = chunks[chunk]
        spans = stored.chunk.sentences
        span = spans[sentence] if sentence < len(spans) else (0, len(stored.chunk.text))
        return PathStep(named[pair[0]], named[pair[1]], stored, span)

    # What goes between two readings is left out: not every engine reads one state throughout.
    there = [path for path in pairs if all(joins[pair][1] in chunks and named.keys() >= set(pair) for pair in path)]
    return [tuple(step(pair) for pair in path) for path in there]
