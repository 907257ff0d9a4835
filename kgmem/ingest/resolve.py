"""From recognised names to mentions of entities within one document, and from raw facts to facts. Pure functions."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

import regex

from kgmem.ingest.analysis import Analysis
from kgmem.ingest.facts import RawFact
from kgmem.model import Chunk, EntityType, Fact, Mention, Origin, Title
from kgmem.names import entity_key, parted, title_names

_ACRONYM = regex.compile(r"\(([A-Z][A-Za-z&.-]{1,9})\)")
_WORD = regex.compile(r"(?<!\w)\p{Ll}+(?!\w)")
_LABEL = regex.compile(r"^\W{0,4}((?:\p{Lu}\p{Ll}+){2,}):", regex.MULTILINE)
_NO_INITIAL = frozenset(("of", "the", "and", "for", "in", "on", "de", "la", "du", "des", "&", "a", "an", "to"))
_PERSON_PARTICLES = frozenset(("van", "von", "de", "der", "da", "di", "del", "la", "le", "al", "bin", "ibn", "el"))
_SUFFIXES = frozenset(("jr", "jr.", "sr", "sr.", "ii", "iii", "iv"))


def sentence_at(sentences: Sequence[tuple[int, int]], offset: int) -> int:
    """The index of the sentence that holds `offset`, or the last one that begins before it."""
    return max(bisect_right(sentences, (offset, 1 << 60)) - 1, 0)


def title_entities(title: str) -> tuple[Title, ...]:
    """The entities a title names; a chunk of the document is their own page."""
    return tuple({entity_key(name): Title(entity_key(name), name) for name in title_names(title)}.values())


def resolve_mentions(
    chunks: Sequence[Chunk], analyses: Sequence[Analysis], titles: Iterable[Title] = ()
) -> list[Mention]:
    """Mentions of the names recognised in a document's chunks.

    Within the document alone an acronym in brackets stands for the name before
    it, and a person's last or first name for the only full name it fits.
    A speaker `AdaLovelace` is `Ada Lovelace`. A word that has a capital
    only where sentences begin, and more often none, is no name.
    """
    names: list[tuple[int, int, int, str, EntityType]] = []
    for chunk, analysis in zip(chunks, analyses, strict=True):
        names += [(chunk.ordinal, n.start, n.end, chunk.text[n.start : n.end], n.type) for n in analysis.names]
    speakers = _speakers(chunks)
    plain = _plain_words(chunks, names) - {t.name for t in titles} - {chunk.speaker for chunk in chunks}
    names = [name for name in names if name[3] not in plain]
    acronyms = _acronyms(chunks, names)
    people = _short_names(names, titles, speakers)
    mentions = []
    by_ordinal = {chunk.ordinal: chunk for chunk in chunks}
    for ordinal, start, end, surface, kind in names:
        name: str = surface
        origin: Origin = "recognised"
        if surface in acronyms:
            name, origin = acronyms[surface], "acronym"
        elif (speaker := speakers.get(entity_key(surface))) and entity_key(speaker) != entity_key(surface):
            name, origin = speaker, "alias"
        elif kind == "PERSON" and entity_key(surface) in people:
            name, origin = people[entity_key(surface)], "alias"
        mentions.append(_mention(by_ordinal[ordinal], start, end, name, kind, origin))
    taken = defaultdict(list)
    for m in mentions:
        taken[m.ordinal].append((m.start, m.end))
    for chunk in chunks:
        for acronym, name in acronyms.items():
            for match in regex.finditer(rf"(?<!\w){regex.escape(acronym)}(?!\w)", chunk.text):
                if all(match.end() <= a or match.start() >= b for a, b in taken[chunk.ordinal]):
                    mentions.append(_mention(chunk, match.start(), match.end(), name, "OTHER", "acronym"))
                    taken[chunk.ordinal].append(match.span())
        if chunk.speaker:
            mentions.append(_mention(chunk, 0, 0, parted(chunk.speaker), "PERSON", "speaker"))
    return sorted((m for m in mentions if m.key), key=lambda m: (m.ordinal, m.start, m.end))


def _mention(chunk: Chunk, start: int, end: int, name: str, kind: EntityType, origin: Origin) -> Mention:
    return Mention(
        chunk.ordinal,
        sentence_at(chunk.sentences, start),
        start,
        end,
        chunk.text[start:end],
        entity_key(name),
        " ".join(name.split()),
        kind,
        origin,
    )


def _acronyms(chunks: Sequence[Chunk], names: Sequence[tuple[int, int, int, str, EntityType]]) -> dict[str, str]:
    """Acronyms in brackets just after a name whose initials they are."""
    ends = {(ordinal, end): surface for ordinal, _, end, surface, _ in names}
    found = {}
    for chunk in chunks:
        for match in _ACRONYM.finditer(chunk.text):
            before = match.start() - (chunk.text[match.start() - 1 : match.start()] == " ")
            name = ends.get((chunk.ordinal, before))
            if name and _initials_fit(match.group(1), name):
                found[match.group(1)] = name
    return found


def _initials_fit(acronym: str, name: str) -> bool:
    letters = [c for c in acronym.casefold() if c.isalpha()]
    words = [w for w in regex.split(r"[\s-]+", name) if w]
    every = [w[0].casefold() for w in words]
    main = [w[0].casefold() for w in words if w.casefold() not in _NO_INITIAL]
    return len(letters) > 1 and (letters in (every, main) or [c.casefold() for c in acronym if c.isupper()] == main)


def _plain_words(chunks: Sequence[Chunk], names: Sequence[tuple[int, int, int, str, EntityType]]) -> set[str]:
    """Recognised names of one word that only sentences begin with, and that are more often in lower case."""
    by_ordinal = {chunk.ordinal: chunk for chunk in chunks}
    count: Counter[str] = Counter()
    within = set()
    for ordinal, start, _, surface, _ in names:
        if surface.isalpha() and surface.istitle():
            count[surface] += 1
            if not _begins_sentence(by_ordinal[ordinal], start):
                within.add(surface)
    words = {surface.lower(): surface for surface in count if surface not in within}
    if not words:
        return set()
    lower = Counter(word for chunk in chunks for word in _WORD.findall(chunk.text) if word in words)
    return {words[word] for word, times in lower.items() if times > count[words[word]]}


def _begins_sentence(chunk: Chunk, start: int) -> bool:
    if not chunk.sentences:
        return False
    begin, end = chunk.sentences[sentence_at(chunk.sentences, start)]
    return start < end and not any(c.isalnum() for c in chunk.text[begin:start])


def _speakers(chunks: Sequence[Chunk]) -> dict[str, str]:
    """Who speaks in a document, by the keys of the names as they are written: its turns' speakers, and in a transcript
    names that are run together and stand before a colon at the beginning of several lines.
    """
    labels = Counter(label for chunk in chunks for label in _LABEL.findall(chunk.text))
    written = {chunk.speaker for chunk in chunks} | {label for label, count in labels.items() if count > 1}
    return {entity_key(name): parted(name) for name in sorted(written) if name}


def _short_names(
    names: Sequence[tuple[int, int, int, str, EntityType]], titles: Iterable[Title], speakers: Iterable[str]
) -> dict[str, str]:
    """Keys of last or first names, each with the one full name of the document that it fits.

    Names under which somebody speaks in it stay as they are.
    """
    full: dict[str, dict[str, str]] = defaultdict(dict)
    known = {entity_key(surface): surface for _, _, _, surface, kind in names if kind == "PERSON"}
    whole = {t.key for t in titles} | set(speakers)
    for key, surface in known.items():
        words = [w for w in key.split() if w not in _SUFFIXES]
        if len(words) > 1:
            for word in (words[0], words[-1], " ".join(words[-2:]) if words[-2] in _PERSON_PARTICLES else words[-1]):
                full[word][key] = surface
    return {
        short: next(iter(fitting.values()))
        for short, fitting in full.items()
        if len(fitting) == 1 and short not in whole and short not in fitting
    }


def resolve_facts(chunks: Sequence[Chunk], analyses: Sequence[Analysis], mentions: Sequence[Mention]) -> list[Fact]:
    """Facts with the entities that their arguments name, each with the sentence that states it."""
    by_chunk: dict[int, list[Mention]] = defaultdict(list)
    for mention in mentions:
        by_chunk[mention.ordinal].append(mention)
    facts = []
    for chunk, analysis in zip(chunks, analyses, strict=True):
        for raw in analysis.facts:
            facts.append(_fact(chunk, raw, by_chunk[chunk.ordinal]))
    return facts


def _fact(chunk: Chunk, raw: RawFact, mentions: Sequence[Mention]) -> Fact:
    objects = [key for span in raw.object_spans if (key := _named(span, mentions))]
    return Fact(
        chunk.ordinal,
        sentence_at(chunk.sentences, raw.sentence[0]),
        raw.subject,
        raw.predicate,
        raw.objects,
        raw.confidence,
        raw.negated,
        _named(raw.subject_span, mentions),
        objects[0] if objects else None,
    )


def _named(span: tuple[int, int], mentions: Sequence[Mention]) -> str | None:
    """The key of the longest mention that lies inside the span."""
    inside = [m for m in mentions if span[0] <= m.start and m.end <= span[1]]
    return max(inside, key=lambda m: (m.end - m.start, -m.start)).key if inside else None
