"""The `kgmem` command. Reads arguments, prints results; holds no logic of its own."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from kgmem import __version__, errors
from kgmem.cli_output import Lines, Throttled, bar, print_hits, print_report
from kgmem.store import is_file, sqlite_path

EXIT_FAILED = 1
EXIT_USAGE = 2


class Commands(click.Group):
    """Turns kgmem's errors into one sentence and an exit code: 2 for a wrong use, 1 for what failed."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except errors.KgmemError as error:
            click.echo(f"kgmem: {error}", err=True)
            ctx.exit(EXIT_USAGE if isinstance(error, errors.UsageError | errors.QueryError) else EXIT_FAILED)
        except KeyboardInterrupt:
            click.echo("kgmem: interrupted; what was finished is kept, run the same command again to go on", err=True)
            ctx.exit(130)


def store_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options that every command has."""
    for option in reversed(
        (
            click.option("--store", metavar="URL", help="Where the data is, such as sqlite:///kgmem.db (KGMEM_STORE)."),
            click.option("--namespace", metavar="NAME", help="Part of the store to work in (KGMEM_NAMESPACE)."),
            click.option(
                "--encoder", metavar="MODEL", help="sentence-transformers model, name or path (KGMEM_ENCODER)."
            ),
        )
    ):
        command = option(command)
    return command


def filter_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(
        (
            click.option(
                "--kind",
                "kinds",
                multiple=True,
                type=click.Choice(["document", "conversation", "memory"]),
                help="Only sources of this kind.",
            ),
            click.option("--uri", "uris", multiple=True, help="Only this source."),
            click.option("--under", "uri_prefix", default="", help="Only sources whose uri begins so."),
            click.option("--tag", "tags", multiple=True, help="Only sources with this tag."),
            click.option("--since", type=AWARE, help="Only what dates from then or later."),
            click.option("--until", type=AWARE, help="Only what dates from before then."),
            click.option("--meta", multiple=True, metavar="KEY=VALUE", help="Only sources with this metadata."),
        )
    ):
        command = option(command)
    return command


class AwareTime(click.ParamType[datetime]):
    """An ISO 8601 time; a bare date is midnight UTC, a time needs its zone."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        if isinstance(value, datetime):
            return value
        try:
            time = datetime.fromisoformat(value)
        except ValueError:
            self.fail(f"{value!r} is no ISO 8601 time, such as 2026-01-31 or 2026-01-31T12:00:00+00:00", param, ctx)
        if time.tzinfo is None:
            if len(value) > 10:
                self.fail(f"{value!r} has no time zone; add one, such as +00:00", param, ctx)
            time = time.replace(tzinfo=UTC)
        return time


AWARE = AwareTime()


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="kgmem")
def main() -> None:
    """Knowledge and long-term memory for AI agents: a graph and vectors in one file, no server, no key."""


@main.command()
@click.argument("paths", nargs=-1)
@click.option(
    "--jsonl",
    "jsonl_files",
    multiple=True,
    metavar="FILE",
    help="A file of JSON lines, whatever its name; - for standard input.",
)
@click.option("--include", multiple=True, metavar="GLOB", help="Of folders, only files that match.")
@click.option("--exclude", multiple=True, metavar="GLOB", help="Of folders, leave out files that match.")
@click.option("--tag", "tags", multiple=True, help="Tag to give every document.")
@click.option("--title", default="", help="Title of what comes from standard input.")
@click.option("--prune", is_flag=True, help="Remove from the store what is gone from the folders given.")
@click.option("--part", metavar="K/N", help="Only the K-th of N parts, for N processes that share the same input.")
@click.option("--max-bytes", type=int, help="Refuse files above this size (KGMEM_MAX_BYTES).")
@click.option("--json", "as_json", is_flag=True, help="Print a report that a program can read.")
@store_options
def ingest(
    paths: tuple[str, ...],
    jsonl_files: tuple[str, ...],
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    tags: tuple[str, ...],
    title: str,
    prune: bool,
    part: str | None,
    max_bytes: int | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Read files and folders (- for standard input) into the store.

    The same input twice changes nothing; a changed file replaces its own old content; an interrupted run is taken up
    by running it again. Exit code: 0 all well, 1 some failed or were empty, 2 wrong use.
    """
    if not paths and not jsonl_files:
        raise errors.UsageError("Nothing to ingest; name files or folders, - for standard input, or --jsonl FILE.")
    if "-" in paths and "-" in jsonl_files:
        raise errors.UsageError("Standard input can be read once: give - either as a path or to --jsonl.")
    from kgmem.ingest.report import Report

    share = _part(part)
    total = Report()
    with _open(max_bytes=max_bytes, **given) as kg, Lines() if as_json or not sys.stderr.isatty() else bar() as shown:
        on_disk = [path for path in paths if path != "-"]
        if on_disk:
            total.add(
                kg.ingest(
                    on_disk,
                    include=include,
                    exclude=exclude,
                    tags=tags,
                    prune=prune,
                    part=share,
                    progress=shown.update,
                )
            )
        if "-" in paths:
            total.add(kg.ingest_bytes(sys.stdin.buffer.read(), title=title, tags=tags))
        for file in jsonl_files:
            source, uri = (sys.stdin.buffer, "stdin:") if file == "-" else (file, Path(file).resolve().as_uri())
            total.add(kg.ingest_jsonl(source, uri=uri, tags=tags, part=share, progress=shown.update))
    print_report(total, as_json=as_json)
    sys.exit(total.exit_code)


@main.command()
@click.argument("question")
@click.option("-k", "--first", "k", default=5, show_default=True, help="How many hits.")
@click.option(
    "--mode", type=click.Choice(["hybrid", "vector", "fulltext", "graph"]), default="hybrid", show_default=True
)
@click.option("--as-of", type=AWARE, help="The moment that words like \"last week\" count from.")
@click.option("--rerank", is_flag=True, help="Order the first hits anew by the reranker (KGMEM_RERANKER).")
@click.option("--diversity", type=float, default=0.0, metavar="X", help="Put back what resembles better hits: 0 to 1.")
@click.option("--aliases", is_flag=True, help="Search for other names of the entities that the question names too.")
@click.option("--neighbours", type=int, default=0, metavar="N", help="Show N chunks before and after each hit.")
@click.option("--explain", is_flag=True, help="Show each hit's place in every arm and the path that led to it.")
@click.option("--json", "as_json", is_flag=True, help="Print what a program can read.")
@filter_options
@store_options
def search(
    question: str,
    k: int,
    mode: Any,
    as_of: datetime | None,
    rerank: bool,
    diversity: float,
    aliases: bool,
    neighbours: int,
    explain: bool,
    as_json: bool,
    kinds: Any,
    uris: tuple[str, ...],
    uri_prefix: str,
    tags: tuple[str, ...],
    since: datetime | None,
    until: datetime | None,
    meta: tuple[str, ...],
    **given: Any,
) -> None:
    """Ask a question; the passages that answer best, with their sources."""
    from kgmem.model import Filter
    from kgmem.search.options import SearchOptions

    options = SearchOptions(rerank=rerank, diversity=diversity, aliases=aliases, neighbours=neighbours)
    where = Filter(kinds, uris, uri_prefix, tags, since, until, dict(_pair(m) for m in meta))
    with _open(existing=True, **given) as kg:
        hits = kg.search(question, mode=mode, k=k, where=where, as_of=as_of, options=options)
        print_hits(hits, explain=explain, as_json=as_json)


@main.command()
@click.option("--json", "as_json", is_flag=True, help="Print what a program can read.")
@store_options
def stats(as_json: bool, **given: Any) -> None:
    """How much the store holds."""
    with _open(existing=True, **given) as kg:
        fingerprint = kg.store.fingerprint()
        values = {
            "namespace": kg.store.namespace,
            **asdict(kg.store.counts()),
            "encoder": str(fingerprint) if fingerprint else None,
        }
    if as_json:
        click.echo(json.dumps(values, ensure_ascii=False))
    else:
        for name, value in values.items():
            click.echo(f"{name:10} {value}")


@main.command()
@click.argument("sources", nargs=-1, required=True)
@store_options
def delete(sources: tuple[str, ...], **given: Any) -> None:
    """Remove sources, by id, uri or path, with everything that nothing else supports."""
    with _open(existing=True, **given) as kg:
        removed, missing = kg.delete_named(sources)
        click.echo(f"{removed} removed")
        for name in missing:
            click.echo(f"kgmem: no source is called {name}", err=True)
    sys.exit(EXIT_FAILED if missing else 0)


@main.command()
@store_options
def reindex(**given: Any) -> None:
    """Encode everything anew, with the encoder of the settings; the old data stay until the new are whole."""
    from kgmem.reindex import reindex as run

    with Lines() if not sys.stderr.isatty() else bar() as shown:
        count = run(_settings(**given), progress=shown.update)
    click.echo(f"{count} sources encoded anew")


@main.command()
@click.option("--from", "source", required=True, metavar="URL", help="The store to copy from; it stays as it is.")
@click.option("--to", "target", required=True, metavar="URL", help="The store to copy into; made where it isn't there.")
@click.option("--namespace", "namespaces", multiple=True, metavar="NAME", help="Only this part of it; all otherwise.")
@click.option("--json", "as_json", is_flag=True, help="Print what a program can read.")
def copy(source: str, target: str, namespaces: tuple[str, ...], as_json: bool) -> None:
    """Copy one store into another, of the same engine or not: nothing is encoded anew.

    What is there already stays, so an interrupted run is taken up by running it again. Where both are Neo4j and differ
    in user, password or database, KGMEM_FROM_NEO4J_USER, _PASSWORD and _DATABASE are those of the one to copy from.
    """
    from kgmem.transfer import copy as run

    settings = _settings()
    given = {name: os.environ.get(f"KGMEM_FROM_NEO4J_{name.upper()}") for name in ("user", "password", "database")}
    there = replace(settings.neo4j, **{name: value for name, value in given.items() if value is not None})
    if is_file(source) and not sqlite_path(source).exists():
        raise errors.StoreError(f"No store at {source}; check the URL.")
    shown = Throttled("sources copied")
    done = run(
        source,
        target,
        namespaces=namespaces,
        source_options=there,
        target_options=settings.neo4j,
        progress=lambda name, count: shown.update(f"{name}: {count}"),
    )
    if as_json:
        click.echo(json.dumps([asdict(copied) for copied in done], ensure_ascii=False))
        return
    for copied in done:
        click.echo(
            f"{copied.namespace}: {copied.added} added, {copied.replaced} replaced, {copied.unchanged} unchanged; "
            f"{copied.counts.sources} sources, "
            f"{copied.counts.chunks} chunks, {copied.counts.entities} entities, {copied.counts.facts} facts in both"
        )


@main.command()
@click.option("--host", help="Address to listen on; loopback only (KGMEM_HOST).")
@click.option("--port", type=int, help="Port to listen on (KGMEM_PORT).")
@click.option("--dev", is_flag=True, help="Allow introspection and GET queries.")
@store_options
def serve(dev: bool, **given: Any) -> None:
    """Serve the GraphQL API on this machine."""
    from kgmem.api.server import serve as run

    run(_settings(**given), dev=dev)


def _settings(**given: Any) -> Any:
    from kgmem.settings import load_settings

    return load_settings(**given)


def _open(*, existing: bool = False, **given: Any) -> Any:
    """The store of the settings; with `existing` a file that is not there is an error and is not made."""
    from kgmem.service import Kgmem

    settings = _settings(**given)
    if existing and is_file(settings.store) and not sqlite_path(settings.store).exists():
        raise errors.StoreError(f"No store at {settings.store}; ingest something first, or name one by --store.")
    return Kgmem(settings)


def _part(text: str | None) -> tuple[int, int]:
    if text is None:
        return 1, 1
    k, mark, n = text.partition("/")
    if not (mark and k.isdecimal() and n.isdecimal() and 1 <= int(k) <= int(n)):
        raise errors.UsageError(f"--part {text!r} is no part; give 1/4 for the first of four.")
    return int(k), int(n)


def _pair(text: str) -> tuple[str, Any]:
    key, mark, value = text.partition("=")
    if not mark or not key:
        raise errors.UsageError(f"--meta {text!r} is no KEY=VALUE.")
    try:
        parsed = json.loads(value)
    except ValueError:
        return key, value
    return key, parsed if isinstance(parsed, str | int | float | bool) else value


if __name__ == "__main__":
    main()
