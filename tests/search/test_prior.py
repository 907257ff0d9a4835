import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kgmem.search.prior import RESET_PASSAGES, RESET_SUM, min_max, order, passage_reset, prior

scores = st.lists(st.floats(-1e6, 1e6), max_size=80).map(lambda v: np.array(v, np.float64))


def _no_dates(count: int) -> np.ndarray:
    return np.zeros(count, bool)


@given(scores)
def test_min_max_is_0_to_1_and_keeps_the_order(values: np.ndarray) -> None:
    scaled = min_max(values)
    assert ((scaled >= 0) & (scaled <= 1)).all()
    assert all(scaled[i] >= scaled[j] for i in range(len(values)) for j in range(len(values)) if values[i] > values[j])


def test_an_arm_that_tells_nothing_adds_nothing() -> None:
    assert min_max(np.array([3.0, 3.0])).tolist() == [0.0, 0.0]
    assert min_max(np.zeros(0)).tolist() == []


def test_the_first_of_both_arms_beats_a_hit_of_words_alone() -> None:
    vector = np.array([0.8, 0.1, 0.2])
    words = np.array([25.0, 25.9, 0.0])
    found = prior(vector, words, vector, _no_dates(3))
    assert order(found)[0] == 0


def test_a_lone_weak_hit_of_one_arm_is_not_sure_of_anything() -> None:
    vector = np.array([0.9, 0.8, 0.1])
    words = np.array([0.0, 0.0, 0.01])
    found = prior(vector, words, vector, _no_dates(3))
    assert found[2] < 0.6
    assert order(found)[0] == 0


def test_without_trust_in_the_encoder_words_alone_decide() -> None:
    vector = np.array([0.9, 0.1])
    words = np.array([1.0, 5.0])
    assert order(prior(vector, words, vector, _no_dates(2), trust=0.0))[0] == 1
    assert order(prior(vector, np.zeros(2), vector, _no_dates(2)))[0] == 0


def test_a_date_that_fits_decides_between_equals() -> None:
    same = np.array([0.5, 0.5, 0.1])
    assert order(prior(same, same, same, np.array([False, True, False])))[0] == 1


@given(st.lists(st.floats(0, 1), min_size=1, max_size=300).map(lambda v: np.array(v, np.float64)))
def test_passage_reset_is_shared_by_at_most_thirty(priors: np.ndarray) -> None:
    mass = passage_reset(priors)
    assert (mass >= 0).all()
    assert (mass > 0).sum() <= RESET_PASSAGES
    assert mass.sum() == 0 or abs(mass.sum() - RESET_SUM) < 1e-9


def test_passage_reset_is_sharp() -> None:
    mass = passage_reset(np.array([1.0, 0.5] + [0.1] * 40))
    assert mass[0] > 10 * mass[1] > 0


def test_order_keeps_equals_as_they_came() -> None:
    assert order([1.0, 2.0, 1.0, 2.0]).tolist() == [1, 3, 0, 2]
