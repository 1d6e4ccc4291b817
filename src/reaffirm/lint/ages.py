"""What time has made of records: proposals that nobody decided, reviews that nobody held."""

from collections.abc import Iterator

from reaffirm.lint.subject import Subject
from reaffirm.model.finding import Finding
from reaffirm.model.record import Status
from reaffirm.store.reading.dates import read_date


def ages(subject: Subject) -> Iterator[Finding]:
    """Yield proposals that wait too long and review dates that have passed."""
    limit = subject.settings.proposed_days
    for document, record in subject.records:
        if record.status in (Status.PROPOSED, Status.DRAFT) and record.date is not None:
            days = (subject.today - record.date).days
            if days > limit:
                line = record.lines.get("status", record.line)
                message = f"{record.status} for {days} days, since {record.date}"
                hint = f"decide it, or say why it waits (limit: {limit} days)"
                yield Finding(document.path, line, "proposed-long", message, hint)
        line, words = document.review_by
        day = record.review_by or (read_date(words)[0] if words else None)
        if day is not None and day < subject.today and record.status is not Status.SUPERSEDED:
            message = f"the review was due on {day}"
            hint = "look at the decision again, and write the next date"
            yield Finding(document.path, line or record.line, "review-passed", message, hint)
