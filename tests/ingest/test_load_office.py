"""PDF, DOCX, PPTX, XLSX and EPUB made by hand: content, damage, bombs."""

from __future__ import annotations

import io
import threading
import time
import zipfile
from datetime import UTC, datetime

import pytest
from load_help import W, make_docx, make_pdf, make_zip, paragraph
from openpyxl import Workbook
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from kgmem.errors import EmptyDocument, Encrypted, LoadError, TooLarge, Unsupported
from kgmem.ingest.load import is_markdown, load_bytes
from kgmem.model import Document


def load(data: bytes, name: str, **options: int) -> Document:
    return load_bytes(data, uri=f"file:///x/{name}", name=name, **options)


def test_pdf_pages_title_author_and_time() -> None:
    info = "/Title (Annual Report) /Author (Ann) /CreationDate (D:20240501120000+02'00')"
    found = load(make_pdf(["First page."], [], ["Third page."], info=info), "r.pdf")
    assert found.text == "First page.\n\nThird page."
    assert found.pages == (0, 11, 13)
    assert found.text[found.pages[2]:] == "Third page."
    assert found.title == "Annual Report"
    assert found.timestamp == datetime(2024, 5, 1, 10, tzinfo=UTC)
    assert found.metadata == {"pages": 3, "author": "Ann"}
    assert not is_markdown(found.media_type)


@pytest.mark.parametrize("title", ["untitled", "Microsoft Word - x.doc", "report.docx", "", "Document1"])
def test_titles_put_in_by_programs_are_passed_over(title: str) -> None:
    assert load(make_pdf(["x"], info=f"/Title ({title})"), "real-name.pdf").title == "real-name"


@pytest.mark.parametrize(("lines", "joined"), [
    (["dense retrie-", "val works"], "retrieval works"),
    (["in the Lucene-", "BM25 system"], "Lucene-BM25"),
    (["the year 2019-", "2020 was"], "2019-2020"),
    (["well-known here", "and well-", "known there"], "and well-known there"),
    (["dual model and encoder model", "a dual-", "encoder"], "a dual-encoder"),
    (["us-", "ing it"], "using it"),
])
def test_pdf_words_split_at_line_ends(lines: list[str], joined: str) -> None:
    assert joined in " ".join(load(make_pdf(lines), "a.pdf").text.split())


def test_pdf_without_text_layer_is_empty_with_its_page_count() -> None:
    with pytest.raises(EmptyDocument, match=r"no_text_layer \(12 pages, 0 characters\)"):
        load(make_pdf(*[[]] * 12), "scan.pdf")


def test_pdf_by_content_and_damaged() -> None:
    assert load(make_pdf(["hello"]), "a.txt").media_type == "application/pdf"
    with pytest.raises(LoadError, match="damaged"):
        load(b"%PDF-1.7\nrubbish", "a.pdf")


def test_pdf_in_threads() -> None:
    data = make_pdf(*[[f"page {number}"] for number in range(30)])
    texts: list[str] = []
    threads = [threading.Thread(target=lambda: texts.append(load(data, "a.pdf").text)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(texts) == 8
    assert len(set(texts)) == 1


def test_docx_structure_and_properties() -> None:
    table = ("<w:tbl><w:tr><w:tc>" + paragraph("A|x") + "</w:tc><w:tc>" + paragraph("B") + "</w:tc></w:tr><w:tr><w:tc>"
             + paragraph("1") + "</w:tc><w:tc>" + paragraph("2") + "</w:tc></w:tr></w:tbl>")
    core = ("<dc:title>The Title</dc:title><dc:creator>Ann</dc:creator>"
            "<dcterms:created>2024-05-01T10:00:00Z</dcterms:created>")
    found = load(make_docx(paragraph("Héllo 北京") + table, core=core), "a.docx")
    assert found.text == "Héllo 北京\n\n| A\\|x | B |\n| --- | --- |\n| 1 | 2 |"
    assert (found.title, found.metadata["author"]) == ("The Title", "Ann")
    assert found.timestamp == datetime(2024, 5, 1, 10, tzinfo=UTC)
    assert is_markdown(found.media_type)


def test_docx_too_deep_for_the_converter_still_gives_its_text() -> None:
    body = "<w:tbl><w:tr><w:tc>" * 3000 + paragraph("here") + "</w:tc></w:tr></w:tbl>" * 3000
    assert load(make_docx(body), "a.docx").text == "here"


def test_docx_broken_inside_is_a_load_error() -> None:
    with pytest.raises(LoadError, match="damaged"):
        load(make_zip({"word/document.xml": "<w:document"}), "a.docx")


@pytest.mark.parametrize("codec", ["utf-8", "utf-16"])
def test_entities_in_office_files_are_refused(codec: str) -> None:
    bomb = f"<!DOCTYPE d [<!ENTITY a 'x'>]><w:document {W}/>".encode(codec)
    with pytest.raises(LoadError, match="entities"):
        load(make_zip({"word/document.xml": bomb}), "a.docx")


def test_empty_docx() -> None:
    with pytest.raises(EmptyDocument):
        load(make_docx(paragraph("")), "a.docx")


@pytest.mark.parametrize("name", ["a.docx", "a.xlsx", "a.pptx", "a.epub"])
def test_cut_off_archive(name: str) -> None:
    with pytest.raises(LoadError, match="cut off or damaged"):
        load(make_docx(paragraph("x"))[:-60], name)


def test_zip_bombs_are_refused_before_unpacking() -> None:
    bomb = make_zip({"word/document.xml": b"\x00" * (60 * 2**20)})
    assert len(bomb) < 100_000
    start = time.process_time()
    with pytest.raises(TooLarge, match=r"unpacks to 60\.0 MB"):
        load(bomb, "a.docx")
    assert time.process_time() - start < 1
    with pytest.raises(TooLarge, match=r"unpacks to .* of markup.*--max-bytes"):
        load(make_docx(paragraph("x" * 100_000)), "a.docx", max_bytes=50_000)


def test_other_zip_files_are_unsupported() -> None:
    with pytest.raises(Unsupported):
        load(make_zip({"a.txt": "x"}), "a.zip")


def test_old_and_encrypted_office_files() -> None:
    ole = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)
    with pytest.raises(Unsupported, match="before 2007"):
        load(ole, "a.doc")
    with pytest.raises(Encrypted, match="password"):
        load(ole + "EncryptedPackage".encode("utf-16-le"), "a.docx")


def save(document: object) -> bytes:
    stream = io.BytesIO()
    document.save(stream)  # type: ignore[attr-defined]
    return stream.getvalue()


def test_pptx_groups_tables_charts_and_notes() -> None:
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "The Slide"
    group = slide.shapes.add_group_shape()
    inner = group.shapes.add_group_shape()
    inner.shapes.add_textbox(0, 0, Inches(1), Inches(1)).text_frame.text = "deep inside"
    table = slide.shapes.add_table(2, 2, 0, 0, Inches(2), Inches(1)).table
    for row in range(2):
        for column in range(2):
            table.cell(row, column).text = f"r{row}c{column}"
    data = CategoryChartData()
    data.categories = ["Q1", "Q2"]
    data.add_series("Sales", (1.5, 2))
    slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, 0, 0, Inches(2), Inches(2), data)
    slide.notes_slide.notes_text_frame.text = "say this"
    found = load(save(deck), "a.pptx")
    assert found.text == (
        "## The Slide\n\ndeep inside\n\n| r0c0 | r0c1 |\n| --- | --- |\n| r1c0 | r1c1 |\n\n"
        "|  | Sales |\n| --- | --- |\n| Q1 | 1.5 |\n| Q2 | 2 |\n\nNotes: say this")
    assert found.timestamp is None, "the date of python-pptx's own template says nothing"
    assert found.title == "a"


def test_pptx_that_the_library_refuses_gives_its_bare_text() -> None:
    drawing = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
    slide = f"<p {drawing}><a:p><a:r><a:t>one </a:t></a:r><a:r><a:t>line</a:t></a:r></a:p><a:p><a:t>two</a:t></a:p></p>"
    found = load(make_zip({"ppt/slides/slide1.xml": slide, "ppt/slides/slide2.xml": slide}), "a.pptx")
    assert found.text == "## Slide 1\n\none line\ntwo\n\n## Slide 2\n\none line\ntwo"


def test_xlsx_sheets_values_and_empty_sheets() -> None:
    book = Workbook()
    first = book.active
    first.title = "People"
    first.append(["name", "born", "share", "ok"])
    first.append(["Ann", datetime(2024, 5, 1), 2.0, True])
    first["A9"] = "far | below"
    book.create_sheet("Nothing")
    book.create_sheet("More")["C3"] = 0.25
    found = load(save(book), "a.xlsx")
    assert found.text == ("## People\n\n| name | born | share | ok |\n| --- | --- | --- | --- |\n"
                          "| Ann | 2024-05-01 | 2 | TRUE |\n| far \\| below |\n\n"
                          "## More\n\n|  |  | 0.25 |\n| --- | --- | --- |")


def test_empty_workbook() -> None:
    with pytest.raises(EmptyDocument):
        load(save(Workbook()), "a.xlsx")


def sheet_with(rows: str) -> bytes:
    """A workbook whose only sheet has these rows as its markup."""
    book = Workbook()
    book.active["A1"] = "x"
    parts = {}
    with zipfile.ZipFile(io.BytesIO(save(book))) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts["xl/worksheets/sheet1.xml"] = (
        '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
        f"<dimension ref='A1:XFD1048576'/><sheetData>{rows}</sheetData></worksheet>").encode()
    return make_zip(parts)


def test_a_sheet_that_claims_a_vast_size_takes_little_time() -> None:
    cell = '<row r="{0}"><c r="XFD{0}" t="inlineStr"><is><t>here</t></is></c></row>'
    start = time.process_time()
    assert "here" in load(sheet_with(cell.format(1) + cell.format(1048576)), "a.xlsx").text
    assert "here" in load(sheet_with(cell.format(1) + cell.format(10**12)), "a.xlsx").text
    assert time.process_time() - start < 20


def test_a_sheet_that_repeats_one_long_text_is_too_large() -> None:
    rows = "".join(f'<row r="{row}"><c r="A{row}" t="s"><v>0</v></c></row>' for row in range(1, 2000))
    with zipfile.ZipFile(io.BytesIO(sheet_with(rows))) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts["xl/sharedStrings.xml"] = (
        '<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
        f"<si><t>{'x' * 100_000}</t></si></sst>").encode()
    parts["[Content_Types].xml"] = parts["[Content_Types].xml"].replace(
        b"</Types>", b'<Override PartName="/xl/sharedStrings.xml" ContentType="application/vnd.openxmlformats-'
                     b'officedocument.spreadsheetml.sharedStrings+xml"/></Types>')
    with pytest.raises(TooLarge, match="--max-bytes"):
        load(make_zip(parts), "a.xlsx", max_bytes=2**20)


OPF = ('<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata>'
       "<dc:title>The Book</dc:title><dc:creator>Ann</dc:creator><dc:date>1998-03</dc:date></metadata><manifest>"
       '<item id="a" href="a%20b.xhtml" media-type="application/xhtml+xml"/>'
       '<item id="z" href="../z.xhtml" media-type="application/xhtml+xml"/>'
       '<item id="gone" href="gone.xhtml" media-type="application/xhtml+xml"/>'
       '<item id="n" href="n.xhtml" properties="nav" media-type="application/xhtml+xml"/></manifest>'
       '<spine><itemref idref="n"/><itemref idref="z"/><itemref idref="gone"/><itemref idref="a"/></spine></package>')
BOOK = {
    "mimetype": "application/epub+zip",
    "META-INF/container.xml": '<container><rootfiles><rootfile full-path="O/p.opf"/></rootfiles></container>',
    "O/p.opf": OPF, "O/a b.xhtml": "<!DOCTYPE html><html><body><h1>Second</h1><p>two</p></body></html>",
    "z.xhtml": "<?xml version='1.0'?><html><body><h1>First</h1><p>one</p></body></html>", "O/n.xhtml": "<p>toc</p>",
}


def test_epub_follows_the_spine() -> None:
    found = load(make_zip(BOOK), "b.epub")
    assert found.text == "# First\n\none\n\n# Second\n\ntwo"
    assert (found.title, found.metadata["author"]) == ("The Book", "Ann")
    assert found.timestamp == datetime(1998, 3, 1, tzinfo=UTC)


def test_epub_with_drm_and_without_package() -> None:
    locked = '<encryption><EncryptedData><EncryptionMethod Algorithm="x#aes128-cbc"/></EncryptedData></encryption>'
    with pytest.raises(Encrypted, match="DRM"):
        load(make_zip({**BOOK, "META-INF/encryption.xml": locked}), "b.epub")
    with pytest.raises(LoadError, match="package file"):
        load(make_zip({"META-INF/container.xml": BOOK["META-INF/container.xml"]}), "b.epub")
