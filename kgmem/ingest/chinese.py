"""Chinese text without a trained pipeline: sentences by their marks, names by jieba's tags and by patterns."""

from __future__ import annotations

import regex
import rjieba

from kgmem.ingest.analysis import Analysis, Name, sentence_spans
from kgmem.ingest.facts import RawFact
from kgmem.model import EntityType

_SENTENCE = regex.compile(r"[^。！？!?\n]*[。！？!?]*[”’」』）)]*\n?")
_TITLE = regex.compile(r"《([^《》\n]{1,60})》")
_LATIN = regex.compile(r"[A-Z][\w.&'’-]*(?:[ ·][A-Z0-9][\w.&'’-]*)*[+#]*")
_HAN = regex.compile(r"\p{Han}")
_DOTS = "·•‧"
_TAGS: dict[str, EntityType] = {
    "nr": "PERSON",
    "nrt": "PERSON",
    "nrfg": "PERSON",
    "ns": "PLACE",
    "nt": "ORG",
    "nz": "OTHER",
}
_ORG_ENDINGS = (
    "大学",
    "学院",
    "公司",
    "集团",
    "银行",
    "医院",
    "出版社",
    "研究所",
    "研究院",
    "协会",
    "委员会",
    "基金会",
    "博物馆",
    "图书馆",
    "中学",
    "小学",
    "俱乐部",
    "乐队",
    "电视台",
    "杂志社",
    "报社",
    "党",
    "队",
)
_PLACE_ENDINGS = (
    "省",
    "市",
    "县",
    "区",
    "镇",
    "乡",
    "村",
    "州",
    "岛",
    "河",
    "江",
    "湖",
    "山",
    "路",
    "街",
    "站",
    "机场",
    "寺",
    "庙",
    "公园",
    "广场",
    "桥",
    "运河",
    "海峡",
    "高原",
    "半岛",
)
_JOINS = frozenset(("n", "ns", "nr", "nz", "nt", "j", "vn", "b", "f", "m", "a", "nrt", "x", "eng", "l", "s"))
_NAME_TAGS = frozenset(("nr", "nrt", "nrfg", "nz"))
_ASPECT = ("了", "过", "着")
_VERBS = frozenset(("v", "vd", "vn", "vg"))
_NOT = ("不", "没", "未", "无", "非")
_CLAUSE = regex.compile(r"[^，,；;。！？!?\n]+")
_PATTERN_CONFIDENCE = 0.5


def chinese_sentences(text: str) -> list[tuple[int, int]]:
    """Spans of the sentences of a Chinese text, ended by its own marks or a line's end, trimmed."""
    return sentence_spans(text, (m.span() for m in _SENTENCE.finditer(text) if m.end() > m.start()))


def analyse_chinese(text: str) -> Analysis:
    """Sentences, names and facts of a Chinese text."""
    sentences = chinese_sentences(text)
    words = _tagged(text)
    names = _names(text, words)
    return Analysis(tuple(sentences), tuple(names), tuple(_facts(text, sentences, words, names)))


def _tagged(text: str) -> list[tuple[int, int, str]]:
    words, position = [], 0
    for word, tag in rjieba.tag(text):
        start = text.find(word, position)
        if start < 0:
            continue
        position = start + len(word)
        words.append((start, position, tag))
    return words


def _names(text: str, words: list[tuple[int, int, str]]) -> list[Name]:
    found = [Name(m.start(1), m.end(1), "WORK") for m in _TITLE.finditer(text)]
    found += _foreign_names(text, words)
    found += [Name(m.start(), m.end(), "OTHER") for m in _LATIN.finditer(text) if m.end() - m.start() > 1]
    found += _organisations(text, words)
    for start, end, tag in words:
        if tag in _TAGS and end - start > 1:
            found.append(Name(start, end, _TAGS[tag]))
    chosen: list[Name] = []
    # What comes first above is surer or longer; a later one gives way where they overlap.
    for name in found:
        if all(name.end <= other.start or name.start >= other.end for other in chosen):
            chosen.append(name)
    return sorted(chosen, key=lambda n: n.start)


def _foreign_names(text: str, words: list[tuple[int, int, str]]) -> list[Name]:
    """`约翰·福斯特`: the words around the dots, with the names that the first and the last one broke into."""
    found: list[Name] = []
    i = 1
    while i < len(words) - 1:
        if text[words[i][0] : words[i][1]] not in _DOTS:
            i += 1
            continue
        first = i - 1
        while first > 0 and words[first - 1][2] in _NAME_TAGS and words[first - 1][1] == words[first][0]:
            first -= 1
        while i < len(words) - 1 and text[words[i][0] : words[i][1]] in _DOTS:
            i += 2
        last = i - 1
        while last + 1 < len(words) and words[last + 1][2] in _NAME_TAGS:
            if words[last + 1][0] != words[last][1] or not _HAN.match(text, words[last + 1][0]):
                break
            last += 1
        if _HAN.match(text, words[first][0]):
            found.append(Name(words[first][0], words[last][1], "PERSON"))
    return found


def _organisations(text: str, words: list[tuple[int, int, str]]) -> list[Name]:
    """Runs of nouns that begin with a name and end in what an organisation or a place is called by."""
    found = []
    for i, (start, _, tag) in enumerate(words):
        if tag not in _TAGS:
            continue
        best: Name | None = None
        for j in range(i + 1, min(i + 5, len(words))):
            if words[j][2] not in _JOINS or words[j][0] != words[j - 1][1]:
                break
            word = text[words[j][0] : words[j][1]]
            if word.endswith(_ORG_ENDINGS):
                best = Name(start, words[j][1], "ORG")
            elif word.endswith(_PLACE_ENDINGS) and len(word) <= 3:
                best = Name(start, words[j][1], "PLACE")
        if best:
            found.append(best)
    return found


def _facts(
    text: str, sentences: list[tuple[int, int]], words: list[tuple[int, int, str]], names: list[Name]
) -> list[RawFact]:
    """Within a clause, a name, the verb after it, and what the clause ends in: name–verb–name where there is one."""
    facts = []
    for sentence in sentences:
        for match in _CLAUSE.finditer(text, *sentence):
            start, end = match.span()
            inside = [n for n in names if start <= n.start and n.end <= end]
            if not inside:
                continue
            subject = inside[0]
            verbs = [
                w
                for w in words
                if subject.end <= w[0] < end and (w[2] in _VERBS or text[w[0] : w[1]] in ("是", "为", "在"))
            ]
            if not verbs:
                continue
            first = verbs[0]
            last = first
            while (following := next((w for w in verbs if w[0] == last[1]), None)) is not None:
                last = following
            verb_end = last[1] + text.startswith(_ASPECT, last[1])
            rest = text[verb_end:end].strip()
            after = [n for n in inside if n.start >= verb_end]
            if not rest or not after:
                continue
            object_start = text.index(rest, verb_end)
            facts.append(
                RawFact(
                    text[subject.start : subject.end],
                    text[first[0] : verb_end],
                    (rest,),
                    _PATTERN_CONFIDENCE,
                    any(mark in text[subject.end : first[1]] for mark in _NOT),
                    (subject.start, subject.end),
                    ((object_start, object_start + len(rest)),),
                    sentence,
                )
            )
    return facts
