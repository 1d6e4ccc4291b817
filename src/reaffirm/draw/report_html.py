"""A step's report as an HTML fragment, for notebooks and for the site. All text is escaped."""

from html import escape

from reaffirm.draw.report_text import KIND_WORDS, fact_text
from reaffirm.model.evidence import Kind
from reaffirm.model.report import Block, Log, Outcome, Picture, Report, Table

_STYLE = """
.rf-report{border:1px solid rgba(127,127,127,.4);border-radius:6px;padding:.7em 1em;margin:.4em 0;
overflow-wrap:break-word}
.rf-report table{border-collapse:collapse;display:block;overflow-x:auto;margin:.3em 0}
.rf-report th,.rf-report td{text-align:left;vertical-align:top;padding:.2em .7em .2em 0;
border-bottom:1px solid rgba(127,127,127,.25);background:none}
.rf-report pre{overflow-x:auto;max-height:22em;white-space:pre-wrap;margin:.3em 0;
background:none;color:inherit}
.rf-report .rf-kind{display:inline-block;border:2px solid currentColor;border-radius:4px;
padding:0 .5em;font-weight:600}
.rf-report .rf-word{white-space:nowrap}
.rf-report .rf-simulated{border-style:dashed}
.rf-report .rf-outcome{font-weight:700;border-left:.4em solid #7d8794;padding-left:.5em}
.rf-report .rf-good{border-color:#1f9d61}.rf-report .rf-hold{border-color:#c77700}
.rf-report .rf-bad{border-color:#d9443a}
""".replace("\n", "")

#: A cell of at most this many characters is not broken.
_SHORT = 16

_TONE = {
    Outcome.PASS: "rf-good",
    Outcome.READY: "rf-good",
    Outcome.REACHED: "rf-good",
    Outcome.UNKNOWN: "rf-hold",
    Outcome.STUCK: "rf-hold",
    Outcome.TIMEOUT: "rf-hold",
    Outcome.FAIL: "rf-bad",
    Outcome.FAILED: "rf-bad",
}


def report_html(report: Report) -> str:
    """Render a report as one ``<div>``; the kind is always visible."""
    simulated = " rf-simulated" if report.kind is Kind.SIMULATED else ""
    parts = [
        f"<style>{_STYLE}</style>",
        f'<p class="rf-kind{simulated}">{escape(KIND_WORDS[report.kind])}</p>',
        f'<p class="rf-outcome {_TONE[report.outcome]}">{escape(report.step)}: '
        f"{escape(report.outcome.upper())}</p>",
        f"<p>{escape(report.summary)}</p>",
    ]
    parts += [_block(block) for block in report.blocks]
    if report.facts:
        rows = "".join(
            f"<tr><td><code>{escape(fact.name)}</code></td><td>{escape(fact_text(fact))}</td></tr>"
            for fact in report.facts
        )
        count = _count(len(report.facts), "fact")
        parts.append(f"<details><summary>{count}</summary><table>{rows}</table></details>")
    if report.sent:
        lines = "\n".join(escape(sent.line) for sent in report.sent)
        count = _count(sum(sent.times for sent in report.sent), "request")
        parts.append(f"<details><summary>{count} sent</summary><pre>{lines}</pre></details>")
    return f'<div class="rf-report">{"".join(parts)}</div>'


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def _cell(text: str) -> str:
    """Escape a cell; short words stay on one line, long paths and lists may break after their separators."""
    if len(text) <= _SHORT:
        return f'<td class="rf-word">{escape(text)}</td>'
    return f"<td>{escape(text).replace('/', '/<wbr>').replace(',', ',<wbr>')}</td>"


def _block(block: Block) -> str:
    title = f"<p><strong>{escape(block.title)}</strong></p>"
    match block:
        case Table():
            head = "".join(f"<th>{escape(column)}</th>" for column in block.columns)
            rows = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in block.rows)
            return f"{title}<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
        case Log():
            return f"{title}<pre>{escape(chr(10).join(block.lines))}</pre>"
        case Picture():
            return f"{title}{block.svg}"
