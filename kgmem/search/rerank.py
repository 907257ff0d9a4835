"""Rerankers: a cross-encoder reads the question together with each of the first hits and orders them anew."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from kgmem import errors
from kgmem.ingest.encode import MAX_TOKENS, Passage
from kgmem.model import Ref
from kgmem.store.contract import Store

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder

RERANKED = 20


class Reranker(Protocol):
    """What a search needs of one. Methods may be called from any thread."""

    def scores(self, question: str, passages: Sequence[str]) -> NDArray[Any]:
        """How well each passage answers, (passages,), on the model's own scale: higher is better."""


class CrossEncoderReranker:
    """A sentence-transformers cross-encoder on this machine; see `load_reranker`."""

    def __init__(self, model: CrossEncoder) -> None:
        self._model = model
        # Its tokenizer is no two threads' at once, and one pass uses what there is of the processor.
        self._lock = threading.Lock()

    def scores(self, question: str, passages: Sequence[str]) -> NDArray[Any]:
        pairs = [(question, passage) for passage in passages]
        with self._lock:
            return np.asarray(self._model.predict(pairs, show_progress_bar=False))


def load_reranker(model: str) -> Reranker:
    """Load a cross-encoder by name or path, without asking the network where it is at hand.

    It reads MAX_TOKENS of question and passage together, or fewer where it can't
    read as many. Raises `EncoderError`.
    """
    import torch
    from sentence_transformers import CrossEncoder
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()  # type: ignore[no-untyped-call]

    def load(*, local: bool) -> CrossEncoder:
        loaded: CrossEncoder = CrossEncoder(
            model,
            device="cpu" if not torch.cuda.is_available() else None,
            local_files_only=local,
            model_kwargs={"dtype": torch.float32},
        )
        return loaded

    try:
        try:
            loaded = load(local=True)
        except OSError:
            if Path(model).exists():
                raise
            loaded = load(local=False)
        judges = _gives_one_trained_figure(loaded)
        loaded.max_seq_length = min(loaded.max_seq_length or MAX_TOKENS, MAX_TOKENS)
    except Exception as error:
        raise errors.EncoderError(
            f"The reranker {model!r} can't be loaded ({type(error).__name__}); check its name, or give the path of "
            "a folder that holds it."
        ) from error
    if not judges:
        raise errors.EncoderError(
            f"The reranker {model!r} is no cross-encoder that gives one score for a question and a passage; "
            "name one that does."
        )
    return CrossEncoderReranker(loaded)


def _gives_one_trained_figure(model: CrossEncoder) -> bool:
    """An embedding model loads as well, with a head of random weights; a classifier gives several figures."""
    architectures = (model.config and model.config.architectures) or ()
    trained = any(name.endswith("ForSequenceClassification") for name in architectures)
    return model.num_labels == 1 and (trained or len(model) > 1)


def no_reranker() -> errors.UsageError:
    return errors.UsageError(
        "No reranker is set; name a cross-encoder by the setting reranker (KGMEM_RERANKER), or search without rerank."
    )


def judged(store: Store, reranker: Reranker, question: str, refs: Sequence[Ref]) -> dict[Ref, float]:
    """The reranker's score of each of the first RERANKED chunks that are still there. Raises `EncoderError`."""
    stored = store.chunks(refs[:RERANKED])
    if not stored:
        return {}
    # As the encoder reads it: title, headings and speaker first.
    passages = [Passage(found.chunk.context, found.chunk.text).whole for found in stored]
    scores = np.asarray(reranker.scores(question, passages), np.float64)
    if scores.shape != (len(stored),) or not np.isfinite(scores).all():
        raise errors.EncoderError(
            f"The reranker gave {scores.size} scores for {len(stored)} passages, or some that are no numbers; "
            "use another one."
        )
    return {found.ref: float(score) for found, score in zip(stored, scores, strict=True)}


def reranked(refs: Sequence[Ref], scores: Mapping[Ref, float]) -> list[Ref]:
    """Those with a score, best first, then the others; among equals, and among those without, the order stays."""
    return sorted(refs, key=lambda ref: (ref not in scores, -scores.get(ref, 0.0)))


__all__ = ["CrossEncoderReranker", "Reranker", "judged", "load_reranker", "no_reranker", "reranked"]
