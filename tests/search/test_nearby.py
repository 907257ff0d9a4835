import numpy as np
import pytest

from kgmem.search.nearby import ANSWER_FACTOR, answers, asks, led
from kgmem.store.contract import NO_EDGES, Candidate, Cosines, Edges

NOWHERE_NEAR = Cosines(0.0, np.zeros(0, np.float32))


def candidate(ending: str, after: int | None) -> Candidate:
    return Candidate(NOWHERE_NEAR, "", ending, None, after)


@pytest.mark.parametrize(
    ("ending", "expected"),
    [
        ("What did you paint?", True),
        ("What did you paint?  \n", True),
        ("Look! What is it? [image: a lake]", True),
        ("你住在哪里？", True),
        ("I painted it. [image: what is this?]", False),
        ("Really? Yes.", False),
        ("[image: a lake]", False),
        ("", False),
    ],
)
def test_asks(ending: str, expected: bool) -> None:
    assert asks(ending) is expected


def test_an_answer_is_the_chunk_after_one_that_asks() -> None:
    read = {1: candidate("Why?", 2), 2: candidate("So.", 3), 3: candidate("And then?", None)}
    assert answers([1, 2, 3, 9], read) == {1: 2}
    assert answers([3, 2], read) == {}


def test_who_asks_hands_more_to_the_answer_and_not_the_other_way() -> None:
    following = Edges(np.array([1, 2, 2, 3]), np.array([2, 1, 3, 2]), np.array([2.0, 2.0, 2.0, 2.0]))
    heavier = led(following, {1: candidate("Why?", 2), 2: candidate("So.", 3)})
    assert heavier.weight.tolist() == [2.0 * ANSWER_FACTOR, 2.0, 2.0, 2.0]
    assert led(NO_EDGES, {1: candidate("Why?", 2)}) is NO_EDGES
