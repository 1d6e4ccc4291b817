"""One page of every kind of page that a site of ours has."""

from pathlib import Path

#: Kind of page → pattern of its file, and words on it; the first match in order of names is looked at.
KINDS = {
    "front": ("index.html", ""),
    "decisions": ("decisions/index.html", ""),
    "still true": ("still-true/index.html", ""),
    "decision with claims": ("decisions/0001-*/index.html", ""),
    "decision without": ("decisions/0003-*/index.html", ""),
    "runbook": ("runbooks/pivot*/index.html", ""),
    "runs": ("runs/index.html", ""),
    "two runs": ("runs/*/*/beside-*/index.html", ""),
    "run on simulated nodes": ("runs/pivot_to_vllm/*/index.html", "Simulated run: "),
    "run on the lab": ("runs/pivot_to_vllm/*/index.html", "Lab run: "),
    "failures": ("failures/index.html", ""),
    "failure": ("failures/silent-stall-nccl/index.html", ""),
    "images": ("container-images/index.html", ""),
    "image": ("container-images/*/index.html", ""),
    "tutorial": ("tutorial/1-*/index.html", ""),
    "how-to": ("how-to/*/index.html", ""),
    "reference": ("reference/site/index.html", ""),
    "explanation": ("explanation/the-stall/index.html", ""),
    "page of a rule": ("reference/lint/*/index.html", ""),
}


def one_of_each(folder: Path) -> dict[str, str]:
    """Return the path of one page of each kind that a built site has."""
    return {
        kind: found[0].relative_to(folder).as_posix().removesuffix("index.html")
        for kind, (pattern, words) in KINDS.items()
        if (found := [one for one in sorted(folder.glob(pattern)) if words in one.read_text()])
    }
