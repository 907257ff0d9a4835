"""Text, Markdown, charsets, CSV and repairs."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgmem.errors import EmptyDocument, TooLarge, Unsupported
from kgmem.ingest.load import clean_text, load_bytes
from kgmem.model import Document

ZH = "北京大学是中国著名的高等学府，位于北京市海淀区。它创建于一八九八年。"
ZH_TW = "臺灣大學位於臺北市，是一所著名的國立大學。人人生而自由，在尊嚴和權利上一律平等。"
JA = "東京大学は日本の国立大学である。すべての人間は生まれながらにして自由である。"
KO = "서울대학교는 대한민국의 국립 대학이다. 모든 인간은 태어날 때부터 자유롭다."
RU = "Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом."


def load(data: bytes | str, name: str = "a.txt") -> Document:
    return load_bytes(data.encode() if isinstance(data, str) else data, uri=f"file:///x/{name}", name=name)


@given(st.text(st.characters() | st.sampled_from("\x00\ud800\udfff\r\n\u0301😀")))
def test_clean_text_keeps_length_and_can_be_encoded(text: str) -> None:
    cleaned = clean_text(text)
    assert len(cleaned) == len(text)
    assert "\x00" not in cleaned
    cleaned.encode("utf-8")
    assert all(new in (old, "\ufffd") for old, new in zip(text, cleaned, strict=True))


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00\x1b"), min_size=1))
def test_utf8_text_stays_as_it_is(text: str) -> None:
    text = "x" + text
    assert load(text).text == text


@pytest.mark.parametrize(("text", "encoding"), [
    (ZH, "gb18030"), (ZH, "gbk"), ("北京大学", "gb18030"), (f"Peking University (北京大学)\r\n{ZH}", "gb18030"),
    (ZH_TW, "big5"), (ZH_TW, "gb18030"), ("國立臺灣大學", "big5"),
    (JA, "shift_jis"), (JA, "euc_jp"), (JA, "iso2022_jp"), (KO, "euc_kr"), (RU, "cp1251"), (RU, "koi8_r"),
    ("L'été était très chaud, 3,50 € — déjà vu", "cp1252"), ("café", "cp1252"),
    ("Die schöne Größe für ÄÖÜ", "latin-1"), ("¿Qué? ¡Sí! El niño", "cp1252"),
    (ZH, "utf-16"), ("plain words", "utf-16-le"), ("plain words", "utf-16-be"), (ZH, "utf-32"), (ZH, "utf-8-sig"),
])
@pytest.mark.parametrize("times", [1, 50])
def test_undeclared_charsets(text: str, encoding: str, times: int) -> None:
    assert load((text * times).encode(encoding)).text == text * times


def test_utf8_with_a_bad_byte_stays_utf8() -> None:
    assert load((ZH * 20).encode() + b"\xe5\x8c").text.startswith(ZH * 20)


@pytest.mark.parametrize("encoding", ["gb18030", "big5"])
def test_one_bad_byte_in_a_chinese_file_costs_one_character(encoding: str) -> None:
    text = ZH_TW * 2000
    data = text.encode(encoding)
    found = load(data[:-7] + b"\xff" + data[-7:]).text
    assert found[:-20] == text[: len(found) - 20]


def test_line_ends_and_unicode_forms_stay() -> None:
    text = "one\r\ntwo\rthree\n e\u0301 \u00e9 \ufb01\n"
    assert load(text).text == text


def test_nul_and_surrogate_bytes_are_repaired_with_the_length_kept() -> None:
    assert load(b"ab\x00cd").text == "ab\ufffdcd"
    assert load(b"plain words and \xed\xa0\x80 more of them" * 5).text.startswith("plain words and ")


@pytest.mark.parametrize("data", [b"", b"\n\n\n", b"\xef\xbb\xbf", " \u200b\ufeff\u3000".encode(), b"\x00\x00\x00\x00"])
def test_nothing_to_read_is_empty(data: bytes) -> None:
    with pytest.raises(EmptyDocument, match="no text"):
        load(data)


def test_front_matter_becomes_title_time_tags_and_metadata() -> None:
    found = load("---\ntitle: \"Marie Curie: a life\"\ndate: 2024-05-01T10:00:00+02:00\ntags: [physics, 'chemistry']\n"
                 "author: Ève\nlist:\n  - one\n  - two\n---\n# Heading\n\ntext\n", "a.md")
    assert found.title == "Marie Curie: a life"
    assert found.text == "# Heading\n\ntext\n"
    assert found.timestamp == datetime(2024, 5, 1, 8, tzinfo=UTC)
    assert found.tags == ("physics", "chemistry")
    assert found.metadata["author"] == "Ève"
    assert found.metadata["list"] == ["one", "two"]


def test_toml_front_matter() -> None:
    found = load("+++\ntitle = \"T\"\ndate = 2024-05-01\ntags = [\"a\"]\n+++\nx", "a.md")
    assert (found.title, found.text, found.tags) == ("T", "x", ("a",))
    assert found.timestamp == datetime(2024, 5, 1, tzinfo=UTC)


def test_rules_at_the_start_are_no_front_matter() -> None:
    text = "---\n\nJust a paragraph between rules.\n\n---\n# Real\n"
    found = load(text, "a.md")
    assert found.text == text
    assert found.title == "Real"


def test_markdown_title_is_the_first_heading_outside_of_code() -> None:
    assert load("```sh\n# not this\n```\ntext\n\n## This one ##\n", "a.md").title == "This one"
    assert load("Set so\n======\n", "a.md").title == "Set so"
    assert load("no heading", "notes.md").title == "notes"


def test_no_time_unless_the_document_states_it() -> None:
    assert load("plain").timestamp is None


def test_naive_dates_are_in_the_default_zone() -> None:
    data = b"---\ndate: 2024-05-01 08:00\n---\nx"
    found = load_bytes(data, uri="u:a.md", name="a.md", default_zone=ZoneInfo("Asia/Shanghai"))
    assert found.timestamp == datetime(2024, 5, 1, tzinfo=UTC)


@pytest.mark.parametrize("text", ["# a" + " " * 300_000 + "b", "---\nk" + " " * 300_000 + "\n---\n", "- " * 200_000])
def test_long_lines_take_no_quadratic_time(text: str) -> None:
    start = time.process_time()
    load(text, "a.md")
    assert time.process_time() - start < 5


def test_source_code_is_text_as_it_is() -> None:
    code = "def f():\n\treturn '<b>'\n"
    found = load(code, "m.py")
    assert (found.text, found.media_type, found.title) == (code, "text/x-python", "m")


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_csv_delimiters(delimiter: str) -> None:
    rows = [["name", "note"], ["Ann", f'"a{delimiter} ""b"""'], ["Bob", "c"]]
    found = load("\r\n".join(delimiter.join(row) for row in rows), "t.csv")
    note = f'a{delimiter} "b"'.replace("|", "\\|").replace("\t", " ").replace("  ", " ")
    assert found.text == f"| name | note |\n| --- | --- |\n| Ann | {note} |\n| Bob | c |"


def test_csv_of_one_column_and_of_odd_rows() -> None:
    assert load("name\nAnn\nBob", "t.csv").text == "| name |\n| --- |\n| Ann |\n| Bob |"
    assert load("a,b\n1,2,3\n\n,\n4", "t.csv").text.endswith("| 1 | 2 | 3 |\n| 4 |")
    assert load("sep=;\na;b\n1,5;2", "t.csv").text.endswith("| 1,5 | 2 |")


def test_csv_with_an_open_quote_and_a_huge_field_loses_nothing() -> None:
    assert "end" in load('a,b\n"' + "x" * 200_000 + "\n1,end", "t.csv").text


def test_csv_in_chinese_charset() -> None:
    table = "名称,地址\n北京大学,海淀区\n清华大学,海淀区\n"
    assert "| 北京大学 | 海淀区 |" in load(table.encode("gb18030"), "t.csv").text


def test_too_large_names_size_and_option() -> None:
    with pytest.raises(TooLarge, match=r"2000 bytes.*1000 bytes.*--max-bytes"):
        load_bytes(b"x" * 2000, uri="u:a", max_bytes=1000)


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\n....", b"GIF89a...", b"\x1f\x8b\x08\x00", b"\x7fELF\x02",
                                  b"abc\x00\x01\x02\x03def", bytes(range(256)) * 4, b"{\\rtf1 hello}"])
def test_binary_is_unsupported(data: bytes) -> None:
    with pytest.raises(Unsupported, match="convert"):
        load(data, "thing")


def test_kind_by_content_where_the_name_says_nothing() -> None:
    assert load("<!DOCTYPE html><title>T</title><p>x", "page").media_type == "text/html"
    assert load("<?xml version='1.0'?><a><b>x</b></a>", "feed").text == "x"
    assert load("just words", "README").media_type == "text/plain"


def test_name_and_title_from_the_uri() -> None:
    assert load_bytes(b"# Hi", uri="https://example.org/a%20b.md?x=1").title == "Hi"
    assert load_bytes(b"x", uri="https://example.org/a%20b.txt").title == "a b"


def test_media_type_given_wins_over_the_name() -> None:
    found = load_bytes("<p>été".encode("latin-1"), uri="u:x", media_type="text/html; charset=iso-8859-1")
    assert (found.text, found.media_type) == ("été", "text/html")
    with pytest.raises(Unsupported, match="image/png"):
        load_bytes(b"x", uri="u:x", media_type="image/png")
