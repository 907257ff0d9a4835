"""Recall of each arm on question sets with gold passages, through kgmem's own pipeline.

    python benchmarks/retrieval.py --data DIR [--sets NAME …] --out DIR

DIR holds a folder a set, with `corpus*.jsonl.gz` and `queries.*.jsonl.gz`
(fields `id`, `question`, `gold_ids`; a corpus line has `id`, `title`, `text`,
or is a turn of a `conversation`, then each question is asked within its own).
Writes OUT/<set>/<arm>.jsonl (`{"id", "ranked"}`) and prints a table. Encodings
are kept in OUT/encodings.db by content, so a second run is quick.
"""

from __future__ import annotations

import argparse
import gzip
import importlib.util
import json
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from caching import CachingEncoder

from kgmem.ingest.encode import DEFAULT_MODEL, load_encoder
from kgmem.ingest.load import load_jsonl
from kgmem.model import Document, Filter
from kgmem.search.engine import MODES
from kgmem.service import Kgmem

DEPTH = 50


def read(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)


def documents(path: Path) -> Iterator[Document]:
    """The corpus as kgmem's own JSON-lines loader reads it."""
    with gzip.open(path, "rb") as stream:
        yield from load_jsonl(stream, uri=path.parent.name)


def corpus_ids(path: Path) -> dict[str, str]:
    """From what a hit shows to the corpus id: the uri of a document, or conversation and turn id of a turn."""
    return {row["id"]: row["id"] for row in read(path)}


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


def ranked_ids(kg: Kgmem, question: dict[str, Any], arm: Any, name: str) -> list[str]:
    where = Filter()
    if "conversation" in question:
        where = Filter(uris=(f"{name}#{question['conversation']}",))
    hits = kg.search(question["question"], mode=arm, k=DEPTH, where=where)
    found = []
    for hit in hits:
        turn = hit.chunk.metadata.get("id") if hit.source.kind == "conversation" else None
        found.append(str(turn) if turn else hit.source.uri.partition("#")[2])
    return list(dict.fromkeys(found))


def scorer(data: Path) -> Any:
    path = data / "score.py"
    spec = importlib.util.spec_from_file_location("score", path)
    if not path.exists() or spec is None or spec.loader is None:
        raise SystemExit(f"{path} is missing; it holds the measures.")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sets", nargs="*", default=[])
    parser.add_argument("--arms", nargs="*", default=list(MODES), choices=MODES)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--encoder", default=DEFAULT_MODEL)
    parser.add_argument("--by", default="", help="also one row for each value of this field")
    args = parser.parse_args()

    score = scorer(args.data)
    encoder = CachingEncoder(load_encoder(args.encoder), args.out / "encodings.db")
    folders = [
        f
        for f in sorted(args.data.iterdir())
        if f.is_dir() and any(f.glob("queries.*.jsonl.gz")) and (not args.sets or f.name in args.sets)
    ]
    print(f"{'set':20} {'split':8} {'arm':9} {'queries':>7}  " + "  ".join(f"{m:>12}" for m in score.METRICS))
    for folder in folders:
        out = args.out / folder.name
        out.mkdir(parents=True, exist_ok=True)
        with Kgmem(store=f"sqlite:///{out / 'store.db'}", encoder=encoder) as kg:
            ingest(folder, kg)
            for path in sorted(folder.glob("queries.*.jsonl.gz")):
                split = path.name.split(".")[1]
                questions = list(read(path))
                for arm in args.arms:
                    started = time.perf_counter()
                    rankings = {q["id"]: ranked_ids(kg, q, arm, folder.name) for q in questions}
                    spent = (time.perf_counter() - started) / len(questions) * 1000
                    with open(out / f"{arm}.jsonl", "w", encoding="utf-8") as lines:
                        lines.writelines(json.dumps({"id": i, "ranked": r}) + "\n" for i, r in rankings.items())
                    groups: dict[str, list[Any]] = {"all": []}
                    for q in questions:
                        if q["gold_ids"]:
                            row = score.score(q["gold_ids"], rankings[q["id"]])
                            groups["all"].append(row)
                            if args.by:
                                groups.setdefault(str(q.get(args.by)), []).append(row)
                    for group, rows in groups.items():
                        values = score.mean(rows)
                        label = arm if group == "all" else "  " + group[:7]
                        print(
                            f"{folder.name:20} {split:8} {label:9} {len(rows):7}  "
                            + "  ".join(f"{100 * values[m]:12.2f}" for m in score.METRICS)
                            + (f"  {spent:6.1f} ms" if group == "all" else ""),
                            flush=True,
                        )
    print(f"measured {datetime.now(UTC):%Y-%m-%d}, encoder {encoder.fingerprint}", file=sys.stderr)


if __name__ == "__main__":
    main()
