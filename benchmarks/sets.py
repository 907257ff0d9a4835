"""Question sets with gold passages: their questions, their stores, and the measures that they are scored by.

A folder holds a folder a set, and `score.py`, a module with `METRICS`,
`score(gold, ranked)` and `mean(rows)`; see benchmarks/README.md. Ranks nothing.
"""

from __future__ import annotations

import argparse
import gzip
import importlib.util
import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import IO, Any, Protocol, cast

from caching import CachingEncoder

from kgmem.ingest.encode import DEFAULT_MODEL, Encoder, load_encoder
from kgmem.ingest.load import load_jsonl
from kgmem.model import Chunk, Document, Filter, Hit, Skipped, Source, Vectors
from kgmem.search import engine
from kgmem.service import Kgmem
from kgmem.store.contract import Store

SHOWN = {
    "2wikimultihopqa": "2Wiki",
    "musique_train100": "MuSiQue-100",
    "hotpotqa_train100": "HotpotQA-100",
    "locomo": "LoCoMo",
    "lihua_world": "LiHua-World",
    "scifact": "SciFact",
    "cmrc2018": "CMRC (Chinese)",
}
"""How sets are called in tables, in the order in which they stand there; others come after these."""
DEPTH = 50
"""Hits that each question is asked for."""
COLUMNS = {
    "recall@2": "R@2",
    "recall@5": "R@5",
    "recall@10": "R@10",
    "all-recall@5": "all-recall@5",
    "MRR": "MRR",
    "nDCG@10": "nDCG@10",
}


class Score(Protocol):
    """The module that holds the measures; every figure is a share, 0–1."""

    METRICS: tuple[str, ...]

    def score(self, gold: Sequence[str], ranked: Sequence[str]) -> tuple[float, ...]: ...
    def mean(self, rows: Sequence[tuple[float, ...]]) -> dict[str, float]: ...


@dataclass(frozen=True, slots=True)
class Question:
    """`gold` is empty where the corpus holds no answer; `row` is the whole line of the file."""

    id: str
    text: str
    gold: tuple[str, ...]
    where: Filter
    row: Mapping[str, Any]


@dataclass(frozen=True)
class QuestionSet:
    folder: Path
    out: Path
    """Where the set's store and its rankings are kept."""

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def shown(self) -> str:
        return SHOWN.get(self.name, self.name)

    @property
    def store(self) -> Path:
        return self.out / "store.db"

    @cached_property
    def questions(self) -> list[Question]:
        """Each is asked within its own conversation, where it has one."""
        return [self._question(row) for path in sorted(self.folder.glob("queries.*.jsonl.gz")) for row in read(path)]

    @property
    def scored(self) -> list[Question]:
        return [question for question in self.questions if question.gold]

    def _question(self, row: Mapping[str, Any]) -> Question:
        where = Filter(uris=(f"{self.name}#{row['conversation']}",)) if "conversation" in row else Filter()
        return Question(row["id"], row["question"], tuple(row["gold_ids"]), where, row)


def read(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)


def documents(path: Path) -> Iterator[Document | Skipped]:
    """The corpus as kgmem's own JSON-lines loader reads it."""
    with gzip.open(path, "rb") as stream:
        yield from load_jsonl(cast(IO[bytes], stream), uri=path.parent.name)


def ingest(folder: Path, kg: Kgmem) -> None:
    for path in sorted(folder.glob("corpus*.jsonl.gz")):
        started = time.perf_counter()
        report = kg.ingest_documents(documents(path))
        if report.failed:
            raise SystemExit(f"{path}: {len(report.failed)} failed, such as {report.failed[0]}")
        print(
            f"{folder.name}: {report.added} added, {report.unchanged} unchanged, {report.chunks} chunks, "
            f"{time.perf_counter() - started:.1f} s",
            file=sys.stderr,
        )


def opened(group: QuestionSet, encoder: Encoder) -> Kgmem:
    """The set's corpus, ingested; what has been ingested before and is as it was is passed over."""
    group.out.mkdir(parents=True, exist_ok=True)
    kg = Kgmem(store=f"sqlite:///{group.store}", encoder=encoder)
    try:
        ingest(group.folder, kg)
    except BaseException:
        kg.close()
        raise
    return kg


def corpus_id(chunk: Chunk, source: Source) -> str:
    """The id in the corpus: of a turn its own, of a document what its uri ends in."""
    turn = chunk.metadata.get("id") if source.kind == "conversation" else None
    return str(turn) if turn else source.uri.partition("#")[2]


def corpus_ids(found: Iterable[tuple[Chunk, Source]]) -> list[str]:
    """Each once, at the place of the first of its chunks."""
    return list(dict.fromkeys(corpus_id(chunk, source) for chunk, source in found))


def ask(store: Store, encoder: Encoder, asked: Question, *, vector: Vectors | None = None, **more: Any) -> list[Hit]:
    """The first DEPTH hits; `vector` is the question's, where it is at hand, `more` goes to the search as it is."""
    vector = encoder.encode_query(asked.text) if vector is None else vector
    return engine.search(store, encoder, asked.text, k=DEPTH, where=asked.where, vector=vector, **more)


def hit_ids(hits: Iterable[Hit]) -> list[str]:
    return corpus_ids((hit.chunk, hit.source) for hit in hits)


def scorer(data: Path) -> Score:
    path = data / "score.py"
    spec = importlib.util.spec_from_file_location("score", path)
    if not path.exists() or spec is None or spec.loader is None:
        raise SystemExit(f"{path} is missing; it holds the measures.")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return cast(Score, module)


def mean_of(
    score: Score, questions: Iterable[Question], ranked: Callable[[Question], Sequence[str]]
) -> dict[str, float]:
    """The measures over the questions that have gold, as percentages."""
    rows = [score.score(question.gold, ranked(question)) for question in questions if question.gold]
    return {name: 100 * value for name, value in score.mean(rows).items()}


def takes_sets(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, required=True, help="folder of the sets, and of score.py")
    parser.add_argument("--sets", nargs="*", default=[], help="only these")
    parser.add_argument("--out", type=Path, required=True, help="where stores and rankings are kept")
    parser.add_argument("--encoder", default=DEFAULT_MODEL)
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the table there too, in Markdown")


def chosen_sets(args: argparse.Namespace) -> list[QuestionSet]:
    """The sets of the folder, or those that were named."""
    names = [f.name for f in args.data.iterdir() if f.is_dir() and any(f.glob("queries.*.jsonl.gz"))]
    unknown = set(args.sets) - set(names)
    if unknown:
        raise SystemExit(f"{args.data} has no set {min(unknown)!r}; it has {', '.join(sorted(names))}.")
    places = list(SHOWN)
    wanted = sorted(args.sets or names, key=lambda n: (places.index(n) if n in places else len(places), n))
    return [QuestionSet(args.data / name, args.out / name) for name in wanted]


def set_up(args: argparse.Namespace) -> tuple[Score, CachingEncoder, list[QuestionSet]]:
    """What the arguments of `takes_sets` name."""
    return scorer(args.data), cached_encoder(args), chosen_sets(args)


def cached_encoder(args: argparse.Namespace) -> CachingEncoder:
    return CachingEncoder(load_encoder(args.encoder), args.out / "encodings.db")


def measured(encoder: Encoder) -> str:
    return f"Measured {datetime.now(UTC):%Y-%m-%d}, encoder {encoder.fingerprint}."


def write_table(file: Path | None, text: str) -> None:
    if file:
        file.write_text(text, encoding="utf-8")


def markdown(heads: Sequence[str], rows: Iterable[Sequence[str]], *, left: int = 1) -> str:
    """A table in Markdown, its first `left` columns set to the left."""
    rules = ["---" if i < left else "---:" for i in range(len(heads))]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (heads, rules, *rows)) + "\n"
