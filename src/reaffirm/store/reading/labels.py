"""The names that fields have: in front matter, tables, lists and headings, in the languages seen."""

import re
from enum import Enum, auto
from functools import lru_cache


class Field(Enum):
    """What a record says of itself."""

    STATUS = auto()
    DATE = auto()
    CREATED = auto()
    UPDATED = auto()
    CHANGELOG = auto()
    DECIDERS = auto()
    CONSULTED = auto()
    INFORMED = auto()
    SUPERSEDES = auto()
    SUPERSEDED_BY = auto()
    TITLE = auto()
    ID = auto()
    TAGS = auto()
    REVIEW_BY = auto()


_NAMES: dict[Field, str] = {
    Field.STATUS: "status|consensus|consensus status|adr status|decision status"
    "|current status|statut|état|etat|estado|situação"
    "|situacao|ステータス|状態|状况|状态",
    Field.DATE: "date|decision date|date decided|decided on|decided|date of decision|accepted date"
    "|date accepted|datum|fecha|data|日付|決定日|日期|date de décision|entscheidungsdatum"
    "|revdate|decision made on",
    Field.CREATED: "created|date created|creation date|start date|created on|erstellt|criado em|作成日",
    Field.UPDATED: "last updated|updated|last modified|lastmod|date modified|modified|aktualisiert|更新日",
    Field.CHANGELOG: "changelog|change log|history|revision history|änderungen|historique|変更履歴|更新履歴",
    Field.DECIDERS: "deciders|decider|decision makers|decision maker|decided by|decisionmakers|approvers"
    "|approved by|décideurs|decideurs"
    "|entscheider|entscheidungsträger|decisores|responsables|decididores"
    "|決定者|意思決定者|決定者たち",
    Field.CONSULTED: "consulted|consulté|konsultiert|相談先",
    Field.INFORMED: "informed|informé|informiert|報告先",
    Field.SUPERSEDES: "supersedes|supercedes|superseding|replaces|obsoletes|ersetzt|remplace|reemplaza"
    "|substitui"
    "|sustituye a|置き換える|置き換え対象",
    Field.SUPERSEDED_BY: "superseded by|superceded by|supersededby|replaced by|obsoleted by|overridden by"
    "|ersetzt durch|remplacé par|remplacée par|reemplazado por|sustituido por"
    "|substituído por|substituido por"
    "|後継",
    Field.TITLE: "title|feature name|titel|titre|título|titulo|タイトル",
    Field.ID: "id|pep|kep number|rfc|rfd|adr id|adr|number|adr number|no|nr|record|番号",
    Field.TAGS: "tags|labels|categories|keywords|tag",
    Field.REVIEW_BY: "review by|reviewby|review date|expires|valid until|review on",
}
_BY_NAME = {name: field for field, names in _NAMES.items() for name in names.split("|")}
#: Headings under which the fields of a record stand.
ABOUT = frozenset(
    [
        "metadata",
        "meta",
        "meta data",
        "metadaten",
        "métadonnées",
        "metadatos",
        "metadados",
        "about",
        "document information",
        "document info",
        "details",
        "information",
        "info",
        "summary",
        "overview",
        "header",
        "record",
        "adr",
        "メタデータ",
        "メタ情報",
        "基本情報",
    ]
)
_NUMBERED = re.compile(r"\A\s*(?:\d+[.)]|[ivxIVX]+\.)\s+")
_PLURAL = re.compile(r"\((?:e?s|r)\)\Z")


@lru_cache(maxsize=20_000)
def plain_label(text: str) -> str:
    """Return a label as it is looked up: small letters, one space, no punctuation around it."""
    text = _NUMBERED.sub("", text)
    text = re.sub(r"[^\w\s()/-]", " ", text.casefold(), flags=re.UNICODE)
    text = re.sub(r"[\s_-]+", " ", text).strip()
    return _PLURAL.sub("", text).strip(" ()/")


@lru_cache(maxsize=20_000)
def field_of(text: str) -> Field | None:
    """Return the field that a text names, and nothing else: ``Status of the API`` names none."""
    if len(text) > 60:
        return None
    label = plain_label(text)
    return _BY_NAME.get(label) or _BY_NAME.get(f"{label}s")


def is_about(text: str) -> bool:
    """Whether a heading is the one that a record's fields stand under."""
    return plain_label(text) in ABOUT
