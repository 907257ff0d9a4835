"""Keyset pages: opaque cursors, and connections as Relay has them."""

# Strawberry types its decorators as functions of Any.
# mypy: disable-error-code="untyped-decorator"

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

import strawberry

from kgmem import errors

MAX_FIRST = 100
T = TypeVar("T")
N = TypeVar("N")
C = TypeVar("C", bound="Connection[Any]")


@strawberry.type(description="Where a page stands in its list.")
class PageInfo:
    has_next_page: bool
    has_previous_page: bool
    start_cursor: str | None
    end_cursor: str | None


@strawberry.type(description="An item of a page, with its cursor.")
class Edge(Generic[N]):
    cursor: str
    node: N


@strawberry.type(description="A page of a list.")
class Connection(Generic[N]):
    edges: list[Edge[N]]
    page_info: PageInfo

    @strawberry.field(description="The items alone.")
    def nodes(self) -> list[N]:
        return [edge.node for edge in self.edges]


def encode_cursor(kind: str, place: str | int) -> str:
    return base64.urlsafe_b64encode(f"{kind}:{place}".encode()).decode().rstrip("=")


def decode_cursor(kind: str, cursor: str | None) -> str | None:
    """The place that a cursor of this kind of list names. Raises `QueryError` for any other string."""
    if cursor is None:
        return None
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        found, mark, place = base64.b64decode(padded, altchars=b"-_", validate=True).decode("ascii").partition(":")
    except (binascii.Error, UnicodeError):
        found, mark, place = "", "", ""
    if not mark or found != kind or len(place) > 100:
        raise errors.QueryError(
            f"The cursor {cursor[:60]!r} is none of this list; give an endCursor or a cursor of its own edges."
        )
    return place


def decode_number(kind: str, cursor: str | None) -> int:
    """As `decode_cursor`, for lists that are ordered by number; -1 where there is no cursor."""
    place = decode_cursor(kind, cursor)
    if place is None:
        return -1
    if not place.isascii() or not place.isdigit() or len(place) > 12:
        raise errors.QueryError("The cursor is none of this list; give an endCursor or a cursor of its own edges.")
    return int(place)


def page_size(first: int) -> int:
    """`first` within the cap. Raises `QueryError` below zero."""
    if first < 0:
        raise errors.QueryError(f"first is {first}; ask for 0 to {MAX_FIRST}.")
    return min(first, MAX_FIRST)


def make_page(
    page: type[C],
    kind: str,
    found: Sequence[T],
    first: int,
    after: str | None,
    place: Callable[[T], str | int],
    node: Callable[[T], Any],
) -> C:
    """The page of the `first` items of `found`, which holds one more where the list goes on.

    `page` is a class of its own for each kind of node: a union can't tell generic ones apart.
    """
    edges: list[Edge[Any]] = [Edge(cursor=encode_cursor(kind, place(item)), node=node(item)) for item in found[:first]]
    return page(
        edges=edges,
        page_info=PageInfo(
            has_next_page=len(found) > first,
            has_previous_page=after is not None,
            start_cursor=edges[0].cursor if edges else None,
            end_cursor=edges[-1].cursor if edges else None,
        ),
    )
