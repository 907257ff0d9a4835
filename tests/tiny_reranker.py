"""A cross-encoder of a few thousand weights, trained in seconds to see which animal two texts share."""

from __future__ import annotations

import random
from pathlib import Path

import torch
from tokenizers import Tokenizer, normalizers, pre_tokenizers
from tokenizers.models import WordLevel
from tokenizers.processors import TemplateProcessing
from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast

ANIMALS = ("okapi", "zebra", "walrus", "heron", "badger", "lynx")
MAX_TOKENS = 48
_LEARNT = 0.05
_MOST_STEPS = 5000
_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")


def save_tiny_reranker(folder: Path, *, labels: int = 1) -> Path:
    """Train it and save it there, as a user would have one. With several `labels` it is left untrained."""
    torch.manual_seed(0)
    tokenizer = _tokenizer()
    model = BertForSequenceClassification(
        BertConfig(
            vocab_size=len(tokenizer),
            hidden_size=32,
            num_hidden_layers=2,
            num_attention_heads=4,
            intermediate_size=64,
            max_position_embeddings=MAX_TOKENS,
            hidden_dropout_prob=0.0,
            attention_probs_dropout_prob=0.0,
            initializer_range=0.2,
            num_labels=labels,
        )
    )
    if labels == 1:
        _train(model, tokenizer)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def _tokenizer() -> PreTrainedTokenizerFast:
    vocabulary = {word: i for i, word in enumerate((*_SPECIAL, *ANIMALS))}
    words = Tokenizer(WordLevel(vocabulary, unk_token="[UNK]"))
    words.normalizer = normalizers.Lowercase()
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    words.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(word, vocabulary[word]) for word in ("[CLS]", "[SEP]")],
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=words,
        unk_token="[UNK]",
        pad_token="[PAD]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        model_max_length=MAX_TOKENS,
    )


def _train(model: BertForSequenceClassification, tokenizer: PreTrainedTokenizerFast) -> None:
    """Half of the pairs share their animal; whatever else they say is unknown to the tokenizer."""
    chance = random.Random(0)
    optimiser = torch.optim.AdamW(model.parameters(), lr=1.5e-3)

    def text(animal: str) -> str:
        words = ["word"] * chance.randint(0, 12)
        words.insert(chance.randint(0, len(words)), animal)
        return " ".join(words)

    model.train()
    recent = 1.0
    for _ in range(_MOST_STEPS):
        questions, passages, shared = [], [], []
        for _ in range(32):
            asked = chance.choice(ANIMALS)
            same = chance.random() < 0.5
            others = [animal for animal in ANIMALS if animal != asked]
            told = asked if same else chance.choice([chance.choice(others), "word"])
            questions.append(text(asked))
            passages.append(text(told))
            shared.append(float(same))
        batch = tokenizer(questions, passages, padding=True, truncation=True, return_tensors="pt")
        loss = torch.nn.functional.binary_cross_entropy_with_logits(
            model(**batch).logits.squeeze(-1), torch.tensor(shared)
        )
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        recent = 0.9 * recent + 0.1 * loss.item()
        if recent < _LEARNT:
            break
    assert recent < _LEARNT, f"the reranker of the tests has not learnt: its loss is {recent:.3f}"
    model.eval()
