"""What the command prints: progress, reports, hits."""

from __future__ import annotations

import json
import textwrap
import time
from collections.abc import Sequence
from dataclasses import asdict
from types import TracebackType
from typing import Any

import click
from tqdm import tqdm

from kgmem.ingest.report import Report
from kgmem.model import Chunk, Hit

_EVERY = 5.0
_SHOWN = 20
_WIDTH = 100


class Throttled:
    """Progress as plain lines on standard error, one every few seconds."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._last = time.monotonic()

    def update(self, text: str) -> None:
        now = time.monotonic()
        if now - self._last >= _EVERY:
            self._last = now
            click.echo(f"{text} {self._what}", err=True)


class Lines:
    """An ingest's progress as plain lines."""

    def __init__(self) -> None:
        self._lines = Throttled("chunks")

    def __enter__(self) -> Lines:
        return self

    def __exit__(self, *_: object) -> None: ...

    def update(self, report: Report) -> None:
        self._lines.update(f"{report.done} documents, {report.chunks}")


class Bar:
    """Progress as a counter that stays on one line; how much is still to come is not known while streaming."""

    def __init__(self) -> None:
        self._bar: tqdm[Any] = tqdm(unit=" documents", leave=False)

    def __enter__(self) -> Bar:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.close()

    def update(self, report: Report) -> None:
        self._bar.n = report.done
        self._bar.set_postfix(chunks=report.chunks, failed=len(report.failed))


def bar() -> Bar:
    return Bar()


def print_report(report: Report, *, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(report.as_dict(), ensure_ascii=False))
        return
    for name, items in (("failed", report.failed), ("skipped", report.skipped)):
        for item in items[:_SHOWN]:
            click.echo(f"{name}: {item.uri}: {item.reason} [{item.code}]", err=True)
        if len(items) > _SHOWN:
            click.echo(f"{name}: and {len(items) - _SHOWN} more; --json lists them all", err=True)
    click.echo(
        f"{report.added} added, {report.replaced} replaced, {report.unchanged} unchanged, {report.pruned} removed, "
        f"{len(report.failed)} failed, {len(report.skipped)} skipped; {report.chunks} chunks, {report.facts} facts"
    )
    if report.truncated:
        click.echo(
            f"{report.truncated} chunks are longer than the encoder reads; their ends are not in their vectors",
            err=True,
        )


def print_hits(hits: Sequence[Hit], *, explain: bool, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps([hit_as_dict(hit) for hit in hits], ensure_ascii=False, default=str))
        return
    if not hits:
        click.echo("Nothing was found.")
    for place, hit in enumerate(hits, 1):
        title = hit.source.title or hit.source.uri
        click.echo(
            f"{place}. {click.style(title, bold=True)}  {hit.score:.4f}  {hit.source.uri}"
            + (f"  page {hit.chunk.metadata['page']}" if "page" in hit.chunk.metadata else "")
        )
        for chunk in hit.before:
            _print_text(chunk, "   before: ", lines=2)
        _print_text(hit.chunk, "   ", lines=4)
        for chunk in hit.after:
            _print_text(chunk, "   after: ", lines=2)
        if explain:
            _print_explanation(hit)


def _print_text(chunk: Chunk, indent: str, *, lines: int) -> None:
    said = f"{chunk.speaker}: " if chunk.speaker else ""
    text = said + " ".join(chunk.text.split())
    click.echo(
        textwrap.fill(text, _WIDTH, initial_indent=indent, subsequent_indent="   ", max_lines=lines, placeholder=" …")
    )


def _print_explanation(hit: Hit) -> None:
    why = hit.explanation
    arms = ", ".join(f"{arm.arm} #{arm.rank} ({arm.score:.4g})" for arm in why.arms)
    read = f", rerank {why.rerank:.4g}" if why.rerank is not None else ""
    click.echo(f"   arms: {arms or 'none'}; prior {why.prior:.3f}, reset {why.reset:.4f}{read}")
    for number, step in enumerate(why.path):
        arrow = "path:" if number == 0 else "   ->"
        click.echo(f"   {arrow} [{step.entity}] {step.title or step.source_id}: “{' '.join(step.sentence.split())}”")


def hit_as_dict(hit: Hit) -> dict[str, Any]:
    source = hit.source
    return {
        "score": hit.score,
        **_chunk_as_dict(hit.chunk),
        "source": {"id": source.id, "uri": source.uri, "title": source.title, "kind": source.kind},
        "explain": asdict(hit.explanation),
        "before": [_chunk_as_dict(chunk) for chunk in hit.before],
        "after": [_chunk_as_dict(chunk) for chunk in hit.after],
    }


def _chunk_as_dict(chunk: Chunk) -> dict[str, Any]:
    return {
        "text": chunk.text,
        "start": chunk.start,
        "end": chunk.end,
        "chunk_id": chunk.id,
        "speaker": chunk.speaker or None,
        "timestamp": chunk.timestamp,
        "metadata": dict(chunk.metadata),
    }
