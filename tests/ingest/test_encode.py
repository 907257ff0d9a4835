import logging
import resource
from pathlib import Path

import numpy as np
import pytest
from sentence_transformers import SentenceTransformer

from kgmem.errors import EncoderError, UsageError
from kgmem.ingest.encode import (
    DEFAULT_WEIGHTS_SHA256,
    Encoder,
    Passage,
    SentenceTransformerEncoder,
    load_encoder,
)
from kgmem.ingest.workers import Workers


def test_the_default_weights_are_the_originals(encoder: Encoder) -> None:
    fingerprint = encoder.fingerprint
    assert fingerprint.weights == DEFAULT_WEIGHTS_SHA256
    assert fingerprint.dimension == 384


def test_a_chunk_gets_the_vector_that_sentence_transformers_gives(encoder: Encoder) -> None:
    texts = ["Ada Lovelace wrote the first program.", "北京大学在海淀区。", "x " * 90]
    model: SentenceTransformer = encoder._model  # type: ignore[attr-defined]
    expected = model.encode(texts, normalize_embeddings=True)
    for encoded, vector in zip(encoder.encode([Passage("", t) for t in texts]), expected, strict=True):
        assert float(encoded.vector @ vector) > 0.998


def test_sentences_come_from_the_same_pass_and_keep_their_place(encoder: Encoder) -> None:
    text = "The cat sat on the mat. Interest rates rose by half a point."
    first, second = (0, 23), (24, len(text))
    encoded = encoder.encode([Passage("Title", text, (first, second))])[0]
    assert encoded.sentences.shape == (2, 384)
    np.testing.assert_allclose(np.linalg.norm(encoded.sentences, axis=1), 1, atol=1e-4)
    animal, money = encoder.encode_query("a pet animal"), encoder.encode_query("central bank monetary policy")
    assert encoded.sentences[0] @ animal > encoded.sentences[1] @ animal
    assert encoded.sentences[1] @ money > encoded.sentences[0] @ money


def test_order_and_batching_do_not_matter(encoder: Encoder) -> None:
    passages = [Passage("", f"word {i} " * (i % 40 + 1)) for i in range(70)]
    together = encoder.encode(passages)
    for i in (0, 17, 69):
        assert float(together[i].vector @ encoder.encode([passages[i]])[0].vector) > 0.998


def test_what_the_model_can_not_read_is_said(encoder: Encoder, caplog: pytest.LogCaptureFixture) -> None:
    text = "word " * 400
    with caplog.at_level(logging.WARNING):
        encoded = encoder.encode([Passage("", text, ((0, 10), (len(text) - 5, len(text) - 1)))])[0]
    assert encoded.truncated
    assert "longer than the 256 tokens" in caplog.text
    assert np.isfinite(encoded.sentences).all()
    assert not encoder.encode([Passage("", "short")])[0].truncated


def test_a_model_that_does_not_pool_by_mean_encodes_sentences_apart(encoder: Encoder) -> None:
    model: SentenceTransformer = encoder._model  # type: ignore[attr-defined]
    other = SentenceTransformerEncoder(model, "first-token", "")
    other.__dict__["_pools_by_mean"] = False
    text = "The cat sat. Rates rose."
    encoded = other.encode([Passage("", text, ((0, 12), (13, 24)))])[0]
    assert float(encoded.sentences[0] @ model.encode("The cat sat.", normalize_embeddings=True)) > 0.999


def test_known_share_tells_foreign_text(encoder: Encoder) -> None:
    assert encoder.known_share("who wrote the first program") == 1.0
    assert encoder.known_share("谁设计了钱塘江大桥的引桥") < 0.9
    assert encoder.known_share("") == 0.0


def test_unknown_models_and_precisions_are_refused(tmp_path: object) -> None:
    with pytest.raises(UsageError, match="float32 or bfloat16"):
        load_encoder(precision="int1")
    with pytest.raises(EncoderError, match="can't be loaded"):
        load_encoder(str(tmp_path))
    with pytest.raises(EncoderError, match="can't be loaded"):
        load_encoder(f"{tmp_path}/not/there")


@pytest.mark.slow
def test_memory_does_not_grow_with_encoding(tmp_path: Path, encoder: Encoder) -> None:
    workers = Workers(encoder, "en_core_web_sm", "", 0, 2)

    def resident() -> float:
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 1e6

    def encode(count: int) -> None:
        for i in range(count):
            workers.encode([Passage("", f"word {i} of {'x' * (i % 97)}")]).result()

    encode(200)
    before = resident()
    encode(2000)
    workers.close()
    assert resident() - before < 50
