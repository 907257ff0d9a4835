"""What a GraphQL document may cost, decided before anything of it runs.

One rule measures depth, aliases, fields and list-weighted cost, each fragment
once, so that its time is linear in the document however often fragments spread
one another. `kgmem.api.operation` applies it, before the validation of the
specification.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    GraphQLField,
    GraphQLNamedType,
    GraphQLSchema,
    InlineFragmentNode,
    OperationDefinitionNode,
    SelectionSetNode,
    VariableNode,
    get_named_type,
    is_list_type,
    is_non_null_type,
    value_from_ast_untyped,
)

from kgmem.errors import QueryTooComplex

MAX_DEPTH = 15
MAX_ALIASES = 30
MAX_FIELDS = 400
MAX_COST = 20_000
_CAP = 10**9

SIZES = {"first": 100, "before": 5, "after": 5}
"""Arguments that say how long a list is, with the most that each gives."""
LIST_SIZE = 10
"""Items taken for a list whose length no argument says."""
PAGED = frozenset(("edges", "nodes", "hits", "paths"))
"""Lists whose length the field above them has counted."""
WEIGHTS = {"search": 100, "paths": 100, "text": 1, "stats": 50, "mentions": 5, "neighbours": 5, "facts": 10}
"""Fields that are more work than one: in the store, or the encoder."""


@dataclass(frozen=True, slots=True)
class Measure:
    """What a selection amounts to. Each is capped, since fragments can double it without end."""

    depth: int = 0
    aliases: int = 0
    fields: int = 0
    cost: int = 0


class Measurer:
    """Measures the operations of one document with the variables they come with."""

    def __init__(self, schema: GraphQLSchema, document: DocumentNode, variables: Mapping[str, Any]) -> None:
        self._schema = schema
        self._variables = variables
        self._definitions = {
            node.name.value: node for node in document.definitions if isinstance(node, FragmentDefinitionNode)
        }
        self._fragments: dict[str, Measure] = {}

    def operation(self, node: OperationDefinitionNode) -> Measure:
        defaults = {
            definition.variable.name.value: value_from_ast_untyped(definition.default_value)
            for definition in node.variable_definitions or ()
            if definition.default_value is not None
        }
        self._variables = {**defaults, **self._variables}
        self._fragments = {}
        self._measure_fragments(node.selection_set)
        return self._selection(node.selection_set, self._schema.get_root_type(node.operation))

    def _measure_fragments(self, selection: SelectionSetNode) -> None:
        """Measure every fragment below a selection, those that it spreads first. What is in a cycle counts nothing."""
        path = [("", iter(_spreads(selection)))]
        begun = set()
        while path:
            name, spreads = path[-1]
            for spread in spreads:
                if spread in self._definitions and spread not in begun:
                    begun.add(spread)
                    path.append((spread, iter(_spreads(self._definitions[spread].selection_set))))
                    break
            else:
                path.pop()
                if name:
                    fragment = self._definitions[name]
                    condition = self._schema.get_type(fragment.type_condition.name.value)
                    self._fragments[name] = self._selection(fragment.selection_set, condition)

    def _selection(self, selection: SelectionSetNode, parent: GraphQLNamedType | None) -> Measure:
        depth = aliases = fields = cost = 0
        stack = [(selection, parent, 1, 1)]
        while stack:
            selection, parent, level, times = stack.pop()
            for node in selection.selections:
                if isinstance(node, FragmentSpreadNode):
                    part = self._fragments.get(node.name.value, Measure())
                    depth = max(depth, level - 1 + part.depth)
                    aliases, fields = aliases + part.aliases, fields + part.fields
                    cost += times * part.cost
                elif isinstance(node, InlineFragmentNode):
                    named = node.type_condition
                    inner = self._schema.get_type(named.name.value) if named else parent
                    stack.append((node.selection_set, inner, level, times))
                elif isinstance(node, FieldNode):
                    name = node.name.value
                    depth = max(depth, level)
                    fields += 1
                    aliases += node.alias is not None
                    cost += times * WEIGHTS.get(name, 1)
                    if node.selection_set and not name.startswith("__"):
                        field = getattr(parent, "fields", {}).get(name)
                        below = get_named_type(field.type) if field else None
                        size = self._size(node, field) if field else 1
                        stack.append((node.selection_set, below, level + 1, min(times * size, _CAP)))
                aliases, fields, cost = min(aliases, _CAP), min(fields, _CAP), min(cost, _CAP)
        return Measure(min(depth, _CAP), aliases, fields, cost)

    def _size(self, node: FieldNode, field: GraphQLField) -> int:
        """How many items a field's selection is done for."""
        given = {argument.name.value: self._value(argument.value) for argument in node.arguments or ()}
        values = {name: given.get(name, argument.default_value) for name, argument in field.args.items()}
        inner = given.get("input")
        if isinstance(inner, Mapping):
            values["first"] = inner.get("first", LIST_SIZE)
        sizes = [_bounded(values[name], most) for name, most in SIZES.items() if type(values.get(name)) is int]
        if sizes:
            return max(sum(sizes), 1)
        kind = field.type.of_type if is_non_null_type(field.type) else field.type
        return LIST_SIZE if is_list_type(kind) and node.name.value not in PAGED else 1

    def _value(self, node: Any) -> Any:
        if isinstance(node, VariableNode):
            return self._variables.get(node.name.value)
        return value_from_ast_untyped(node, dict(self._variables))


def _bounded(value: int, most: int) -> int:
    return min(max(value, 0), most)


def _spreads(selection: SelectionSetNode) -> list[str]:
    """The names of the fragments that a selection spreads itself, without those that they spread."""
    names, stack = [], [selection]
    while stack:
        for node in stack.pop().selections:
            if isinstance(node, FragmentSpreadNode):
                names.append(node.name.value)
            elif isinstance(node, FieldNode | InlineFragmentNode) and node.selection_set:
                stack.append(node.selection_set)
    return names


def check(schema: GraphQLSchema, document: DocumentNode, variables: Mapping[str, Any]) -> list[GraphQLError]:
    """What of the document is beyond the limits, one error an operation at most."""
    measurer = Measurer(schema, document, variables)
    found = []
    for node in document.definitions:
        if isinstance(node, OperationDefinitionNode):
            measure = measurer.operation(node)
            for what, value, most in (
                ("is nested to depth", measure.depth, MAX_DEPTH),
                ("has aliases:", measure.aliases, MAX_ALIASES),
                ("has fields:", measure.fields, MAX_FIELDS),
                ("has a cost of", measure.cost, MAX_COST),
            ):
                if value > most:
                    shown = value if value < _CAP else "more than can be counted"
                    found.append(_refused(f"The operation {what} {shown}; the limit is {most}, ask for less.", node))
                    break
    return found


def _refused(message: str, node: OperationDefinitionNode) -> GraphQLError:
    return GraphQLError(message, node, extensions={"code": QueryTooComplex.code})
