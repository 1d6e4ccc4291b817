"""Tell which models lie in a Hugging Face cache on this machine, and how big they are.

Looks at names and sizes of files only. It changes nothing, downloads nothing, writes nothing.

Usage: ``python3 - HF-CACHE < list_models.py``. The last line is one JSON object::

    {"cache": "/home/u/.cache/huggingface", "there": true, "hf_home": null,
     "models": [{"name": "Qwen/Qwen3.5-122B-A10B-FP8", "bytes": 127100000000, "unfinished": 0}], "more": 0}

``cache`` is the given cache as an absolute path, whether it is there or not; ``hf_home`` is the variable
``HF_HOME`` of this session, null where it is not set. ``unfinished`` counts downloads that were broken off.
``more`` counts the models beyond the first hundred. Needs Python 3.9 or newer and nothing else.
"""

import json
import os
import sys

# A machine may hold many models; nobody reads more than these.
MOST = 100


def size_of(folder):
    """Return (bytes of the files, number of unfinished downloads) of one model's folder."""
    blobs = os.path.join(folder, "blobs")
    total = unfinished = 0
    try:
        entries = list(os.scandir(blobs))
    except OSError:
        return 0, 0
    for entry in entries:
        if entry.name.endswith(".incomplete"):
            unfinished += 1
        elif entry.is_file(follow_symlinks=False):
            total += entry.stat(follow_symlinks=False).st_size
    return total, unfinished


def main():
    """Look into the cache and print the answer."""
    cache = os.path.abspath(os.path.expanduser(sys.argv[1]))
    found = {}
    for base in (os.path.join(cache, "hub"), cache):
        try:
            names = sorted(os.listdir(base))
        except OSError:
            continue
        for name in names:
            if name.startswith("models--") and name not in found:
                found[name] = os.path.join(base, name)
    models = []
    for name, folder in sorted(found.items())[:MOST]:
        size, unfinished = size_of(folder)
        model = name[len("models--") :].replace("--", "/", 1)
        models.append({"name": model, "bytes": size, "unfinished": unfinished})
    answer = {
        "cache": cache,
        "there": os.path.isdir(cache),
        "hf_home": os.environ.get("HF_HOME"),
        "models": models,
        "more": max(len(found) - MOST, 0),
    }
    print(json.dumps(answer))


main()
