import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from kgmem.errors import UsageError
from kgmem.ingest.encode import Encoder, packaged_tokenizer
from kgmem.ingest.split import Headings, Splitter

TOKENIZER = packaged_tokenizer()
odd = st.one_of(
    st.text(max_size=600),
    st.text(alphabet="ab \n\r\t", max_size=900),
    st.text(alphabet="北京大学。，\n", max_size=600),
    st.text(alphabet="👩‍👧🇫🇷e\u0301\u0300z", max_size=300),
    st.text(alphabet="|-` #x\n", max_size=500),
    st.integers(1, 3000).map(lambda n: "x" * n),
    st.lists(
        st.sampled_from(("| a | b |\n", "| - | - |\n", "```\n", "code line\n", "# Head\n", "Word. ")), max_size=80
    ).map("".join),
)


@given(text=odd, size=st.integers(4, 60), overlap=st.integers(0, 3))
@settings(deadline=None, max_examples=300)
def test_offsets_are_exact_and_nothing_but_white_space_is_lost(text: str, size: int, overlap: int) -> None:
    splitter = Splitter(TOKENIZER, size, overlap)
    pieces = splitter.split(text)
    covered = bytearray(len(text))
    for piece in pieces:
        assert 0 <= piece.start < piece.end <= len(text)
        assert text[piece.start : piece.end].strip()
        # One character that the encoder cuts into many tokens can't be split.
        assert splitter.size(text[piece.start : piece.end]) <= size or regex.fullmatch(
            r"\X", text, pos=piece.start, endpos=piece.end
        )
        covered[piece.start : piece.end] = b"1" * (piece.end - piece.start)
    assert not "".join(c for c, seen in zip(text, covered, strict=True) if not seen).strip()
    assert [p.start for p in pieces] == sorted(p.start for p in pieces)


def test_chunks_are_filled() -> None:
    text = " ".join(
        f"Sentence number {i} has exactly twenty words in it so that sizes can be counted by hand here now."
        for i in range(300)
    )
    tokens = Splitter(TOKENIZER, 100_000).size(text)
    count = len(Splitter(TOKENIZER, 254).split(text))
    assert tokens / 254 <= count <= tokens / 254 * 1.15 + 1


def test_short_text_is_one_chunk() -> None:
    assert [(p.start, p.end) for p in Splitter(TOKENIZER, 50).split("  A short text. \n")] == [(2, 15)]


def test_a_table_is_split_between_rows_with_its_header_as_context() -> None:
    header = "| city | river |\n| --- | --- |\n"
    rows = [f"| Town {i} | River number {i} |\n" for i in range(60)]
    text = "Intro.\n\n" + header + "".join(rows) + "\nEnd."
    pieces = Splitter(TOKENIZER, 80).split(text)
    assert len(pieces) > 3
    for piece in pieces:
        for line in text[piece.start : piece.end].splitlines():
            assert not line.startswith("|") or line + "\n" in (*rows, *header.splitlines(keepends=True))
        if piece.header:
            assert piece.header == header
            assert header not in text[piece.start : piece.end]
    assert sum(bool(p.header) for p in pieces) >= len(pieces) - 3


def test_code_is_not_split_inside_a_line() -> None:
    lines = [f"    value_{i} = compute(value_{i - 1}, option=True)" for i in range(80)]
    text = "```python\n" + "\n".join(lines) + "\n```\n"
    for piece in Splitter(TOKENIZER, 60).split(text):
        assert set(text[piece.start : piece.end].splitlines()) <= {
            *lines,
            *(line.strip() for line in lines),
            "```python",
            "```",
        }


def test_an_endless_word_ends() -> None:
    pieces = Splitter(TOKENIZER, 16).split("z" * 10_000)
    assert "".join("z" * (p.end - p.start) for p in pieces) == "z" * 10_000


def test_joined_characters_stay_together() -> None:
    family = "👩‍👩‍👧‍👦"
    text = family * 400
    for piece in Splitter(TOKENIZER, 20).split(text):
        assert (piece.end - piece.start) % len(family) == 0


@pytest.mark.parametrize(("size", "overlap"), [(512, 512), (10, 11), (0, 0), (5, -1)])
def test_impossible_sizes_are_refused(size: int, overlap: int) -> None:
    with pytest.raises(UsageError, match=f"{overlap if size else size}"):
        Splitter(TOKENIZER, size, overlap)


def test_headings_above_an_offset() -> None:
    text = "# A\n\nx\n\n## B\n\ny\n\n```\n# no heading\n```\n\n# C\n\nz"
    headings = Headings(text)
    assert headings.above(text.index("x")) == ("A",)
    assert headings.above(text.index("y")) == ("A", "B")
    assert headings.above(text.index("z")) == ("C",)
    assert Headings("plain").above(3) == ()


def test_room_for_a_context_is_left(encoder: Encoder) -> None:
    narrow = Splitter(TOKENIZER, 100).leaving(30)
    assert narrow.capacity <= 70


SENTENCES = [
    "The poet said \"good morning\" to the keeper's dog and didn't wait for it to answer.",
    "Then ‘the rest’ of “the others” came, and O'Brien's boat lay behind the James's yard.",
    "It cost $5 -- not *much* by **our** measure -- and the_long_name went to [the bank](http://a.example/b_c).",
    "With p<0.01 and ~3 of `these`, AT&T wrote C:\\temp and 2^8 so... nobody could tell [1] why.",
    '"It is," she said.',
    "他说“我们明天'一定'去北京大学”，然后就在“老地方”等着他们一起走。",
    '「先生」与『学生』都说"可以"，于是《红楼梦》就放在那张桌子上了。',
    "“好。”",
]


@pytest.mark.parametrize("size", [60, 90])
@pytest.mark.parametrize("sentences", [SENTENCES[:5], SENTENCES[5:], SENTENCES[::-1], SENTENCES[1:4]])
def test_prose_is_cut_between_sentences_whatever_marks_are_in_them(sentences: list[str], size: int) -> None:
    text = " ".join(sentences * 9)
    starts = {m.start() for s in sentences for m in regex.finditer(regex.escape(s), text)}
    pieces = Splitter(TOKENIZER, size).split(text)
    assert len(pieces) > 5
    assert {piece.start for piece in pieces} <= starts


def test_blocks_are_still_cut_where_markdown_has_them() -> None:
    items = [f'- **Item {i}** is "the one" that\'s on the list of items' for i in range(12)]
    text = "# Head\n\n" + "\n".join(items) + "\n\n***\n\n> It's quoted.\n> So's this.\n\n<p>It's a \"paragraph\"</p>\n"
    for piece in Splitter(TOKENIZER, 40).split(text):
        for line in text[piece.start : piece.end].splitlines():
            assert line in text.splitlines()
