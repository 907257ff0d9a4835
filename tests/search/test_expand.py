"""Where the graph is entered, over a store of a few pages."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from kgmem import Filter, Kgmem
from kgmem.ingest.encode import Encoder
from kgmem.model import Ref
from kgmem.search.analyse import find_seeds
from kgmem.search.expand import LEAST_SHARE, OWNLESS_TRUST, Activation, activate, gate
from kgmem.store.contract import KnownName

QUESTION = "Which film has the director who died later, Clouds Over Sesia or The Tall Heron?"
PAGES = {
    "Clouds Over Sesia": "Clouds Over Sesia is a 1931 silent film. It was made by Ottavio Branca in one summer.",
    "The Tall Heron": "The Tall Heron is a 1960 film. It was directed by Livia Morante.",
    "Ottavio Branca": "Ottavio Branca (1890 - 1951) was a maker of films.",
    "Livia Morante": "Livia Morante (1920 - 1999) was a director.",
    "Tall": "Tall is a village. Many films were made in Tall by Ugo Spina.",
    "Festival": " ".join(f"In {1950 + i} they showed The Tall Heron." for i in range(9)),
    "Programme": "They showed The Tall Heron twice.",
}


@pytest.fixture(scope="module")
def kg(tmp_path_factory: pytest.TempPathFactory, encoder: Encoder) -> Iterator[Kgmem]:
    path: Path = tmp_path_factory.mktemp("expand") / "kg.db"
    with Kgmem(store=f"sqlite:///{path}", encoder=encoder, processes=0, encoder_threads=1) as opened:
        for title, text in PAGES.items():
            opened.ingest_text(text, uri=f"doc:{title}", title=title)
        yield opened


def known(count: int, *own: int) -> KnownName:
    return KnownName(1, "e1", "name", "Name", "OTHER", count, own)


def entered(kg: Kgmem, question: str) -> tuple[Activation, dict[str, Ref]]:
    seeds = find_seeds(kg.store, question, Filter())
    activation, _ = activate(kg.store, seeds, kg.encoder.encode_query(question), Filter())
    names = {entity.key: ref for ref, entity in kg.store.entity_names(list(activation.entities)).items()}
    return activation, names


def test_rare_names_with_a_page_are_trusted_most() -> None:
    assert gate(known(1, 7)) == 1.0
    assert gate(known(1)) == OWNLESS_TRUST
    assert gate(known(2, 7)) < 1.0
    assert gate(known(500, 7)) < 0.02


def test_of_two_that_are_compared_none_drowns_the_other(kg: Kgmem) -> None:
    activation, names = entered(kg, QUESTION)
    assert activation.reset[names["ottavio branca"]] > 0
    assert activation.reset[names["livia morante"]] > 0
    left = activation.reset[names["clouds over sesia"]] + activation.reset[names["ottavio branca"]]
    right = activation.reset[names["tall heron"]] + activation.reset[names["livia morante"]]
    assert min(left, right) >= LEAST_SHARE * max(left, right) * 0.99
    found = [hit.source.title for hit in kg.search(QUESTION, k=5)]
    assert {"Ottavio Branca", "Livia Morante"} <= set(found[:4])


def test_the_mass_of_all_seeds_is_the_gate_of_the_best(kg: Kgmem) -> None:
    activation, _ = entered(kg, QUESTION)
    assert sum(activation.reset.values()) == pytest.approx(activation.gate)
    assert activation.gate == 1.0


def test_a_page_leads_on_however_little_its_sentences_are_like_the_question(kg: Kgmem) -> None:
    activation, names = entered(kg, "For how many years did the man behind Clouds Over Sesia live?")
    assert names["ottavio branca"] in activation.reset


def test_a_part_of_a_name_leads_nowhere(kg: Kgmem) -> None:
    _, names = entered(kg, "Who directed The Tall Heron?")
    assert kg.store.find_names(["tall"], Filter())
    assert "livia morante" in names
    assert "tall" not in names
