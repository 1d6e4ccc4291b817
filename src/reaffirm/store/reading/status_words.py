"""The words for a status: ours, how they are misspelt, and the same in other languages.

A word that is not here is a house word: its status is ``other``, and what was written is kept. The
words beside ours are those that teams use for the same state; ``tests/dialects/README.md`` has the table.
"""

import re

from reaffirm.model.record import Status

_WORDS: dict[Status, str] = {
    Status.DRAFT: "draft|in draft|wip|work in progress|entwurf|brouillon|borrador|rascunho|bozza"
    "|下書き|ドラフト|草案|草稿",
    Status.PROPOSED: "proposed|proposal|pending|to be reviewed|review|in review|under review|discussing"
    "|in discussion|under discussion|vorgeschlagen|vorschlag|proposé|proposée|propuesto|propuesta"
    "|proposto|proposta|提案中|提案済み|提案済|提案|提议|已提议",
    Status.ACCEPTED: "accepted|accept|approved|adopted|decided|agreed|done|implemented|implementable|final"
    "|active|accepted-provisional|akzeptiert|angenommen|accepté|acceptée|acceptee|adopté|adoptée|approuvé"
    "|approuvée|aceptado|aceptada|aprobado|aprobada|aceito|aceita|aceite|aprovado|aprovada|accettato"
    "|accettata|承認済み|承認済|承認|採用|採択|受理|已接受|已采纳|接受",
    Status.REJECTED: "rejected|reject|declined|withdrawn|abgelehnt|verworfen|zurückgewiesen|rejeté|rejetée"
    "|refusé|refusée|rechazado|rechazada|rejeitado|rejeitada|recusado|recusada|rifiutato|rifiutata"
    "|却下|拒否|不採用|已拒绝|拒绝",
    Status.DEPRECATED: "deprecated|obsolete|retired|veraltet|déprécié|dépréciée|obsolète|deprecado|deprecada"
    "|obsoleto|obsoleta|depreciado|depreciada|descontinuado|descontinuada|非推奨|廃止|已弃用|弃用",
    Status.SUPERSEDED: "superseded|superceded|superseeded|replaced|replaced by|overridden by|obsoleted by"
    "|abgelöst|ersetzt|ersetzt durch|abgelöst durch|remplacé|remplacée|remplacé par|remplacée par|reemplazado"
    "|reemplazada|reemplazado por|reemplazada por|sustituido|sustituida|sustituido por|substituído"
    "|substituída|substituido|substituído por|substituída por|sostituito"
    "|置き換え済み|置き換えられた|置き換え|置換|已取代|已替代|取代",
}
_BY_WORD = {word: status for status, words in _WORDS.items() for word in words.split("|")}
_ASCII = "|".join(re.escape(w) for w in sorted(_BY_WORD, key=len, reverse=True) if w[0] < "\u2e80")
_CJK = "|".join(re.escape(w) for w in sorted(_BY_WORD, key=len, reverse=True) if w[0] >= "\u2e80")
#: A status at the start of a text. A word joined to another by a dash is another word.
_START = re.compile(rf"(?:(?P<word>{_ASCII})(?![\w'’])(?!-\w)|(?P<sign>{_CJK}))", re.IGNORECASE)
_ANY = re.compile(rf"(?<![\w-])(?:{_ASCII})(?![\w-])|(?:{_CJK})", re.IGNORECASE)


def status_at(text: str) -> tuple[Status | None, str]:
    """Return the status that a text begins with, and what follows; None when it begins with none."""
    match = _START.match(text)
    if not match:
        return None, text
    return _BY_WORD[match[0].lower()], text[match.end() :]


def statuses_in(text: str) -> list[Status]:
    """Return every status that a text names, each once, in its order."""
    return list(dict.fromkeys(_BY_WORD[match[0].lower()] for match in _ANY.finditer(text[:500])))
