"""What other programs read of a site: the board, the records, the feed of changes, signatures of failures."""

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from reaffirm.site.addresses import address
from reaffirm.site.assemble import Site
from reaffirm.site.feed import feed
from reaffirm.site.make_failures import signature_files
from reaffirm.site.settings import SiteSettings
from reaffirm.store.reading import report


def for_programs(site: Site, settings: SiteSettings) -> dict[str, str]:
    """Return the text of each such file by its address."""
    made = {"claims.json": _json(site.board.as_json()), "records.json": _json(_records(site, settings))}
    if settings.directory_urls:
        where = f"{settings.address.rstrip('/')}/" if settings.address else ""
        made["feed.xml"] = feed(settings.name, site.changes, site=where, today=site.board.today)
    return made | signature_files(site.plan)


def _records(site: Site, settings: SiteSettings) -> dict[str, Any]:
    """What ``reaffirm records --format json`` prints; each record with its page, and its verdicts counted."""
    collection = site.plan.found.collection
    counts: dict[str, Counter[str]] = {}
    against: dict[str, list[str]] = {}
    for row in site.board.rows:
        if row.standing.against:
            against.setdefault(row.record.key, []).append(row.claim.id)
        counts.setdefault(row.record.key, Counter())[str(row.standing.verdict)] += 1
    found = report.as_json(collection)
    pages = site.plan.records
    for record, data in zip(collection.records, found["records"], strict=True):
        if page := pages.get(record.key):
            data["page"] = address(page, directory_urls=settings.directory_urls)
        data["verdicts"] = dict(sorted(counts.get(record.key, {}).items()))
        data["against"] = against.get(record.key, [])
    return found


def _json(data: Mapping[str, Any]) -> str:
    """One line for each thing of a list: it can be compared line by line, and is written quickly."""
    lines = [f"{json.dumps(key)}: {_value(value)}" for key, value in data.items()]
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    # Names of files may hold what UTF-8 has no place for; an escape has.
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _value(value: Any) -> str:
    if isinstance(value, list) and value:
        return "[\n" + ",\n".join(json.dumps(one, ensure_ascii=False) for one in value) + "\n]"
    return json.dumps(value, ensure_ascii=False)
