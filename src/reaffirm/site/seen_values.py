"""What a check saw, beside what it expects: a range that holds was looked at in one place of it."""

from reaffirm.model.claim import Claim, Condition, Operator, Standing, Verdict
from reaffirm.site.report import fact_value

# Of these a reader knows the value from the expectation alone.
_SAID = (Operator.EQUALS, Operator.NOT, Operator.CONTAINS)
_DECIDED = (Verdict.AFFIRMED, Verdict.REFUTED, Verdict.STALE)


def seen(condition: Condition, stands: Standing) -> str:
    """Return ``seen: 0.32.0``, the value held against a range; empty where no run decides."""
    value = _value(condition, stands)
    return f"seen: {value}" if value else ""


def seen_in_range(claim: Claim, stands: Standing) -> str:
    """Return which values of ranges a verdict rests on; empty where the check expects no range."""
    if claim.check is None or stands.verdict not in _DECIDED:
        return ""
    found = [(one, value) for one in claim.check.conditions if (value := _value(one, stands))]
    versions = [value for one, value in found if Operator.VERSION in one.expect.terms]
    others = [value for one, value in found if Operator.VERSION not in one.expect.terms]
    parts = []
    if versions:
        parts.append(
            f"{'one version' if len(versions) == 1 else 'versions'} looked at: {', '.join(versions)}"
        )
    if others:
        parts.append(f"seen: {', '.join(others)}")
    return "; ".join(parts)


def _value(condition: Condition, stands: Standing) -> str:
    if stands.deciding is None or all(operator in _SAID for operator in condition.expect.terms):
        return ""
    found = (one for one in stands.deciding.found if one.fact == condition.fact)
    return next((fact_value(one.value, one.unit, one.by) for one in found), "")
