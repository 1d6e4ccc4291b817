"""Tell whether the weights of a model are complete on this machine, without reading them all.

Looks in a folder, or in the Hugging Face cache for a model id. Reads ``config.json``, the list of shards
in ``model.safetensors.index.json`` and the small header at the start of each ``*.safetensors`` file, and
compares the size that the header promises with the size of the file. It reads a few megabytes, however
big the model is. It changes nothing, downloads nothing, writes nothing.

Usage: ``python3 - PATH-OR-MODEL-ID HF-CACHE < check_weights.py``. The last line is one JSON object::

    {"found": true, "cache": "/home/u/.cache/huggingface", "path": "…/snapshots/abc", "files": 39,
     "bytes": 127100000000, "missing": [], "incomplete": [],
     "architectures": ["Qwen3_5MoeForConditionalGeneration"], "digest": "sha256:…"}

``cache`` is the given cache as an absolute path, whether it is there or not. ``missing`` are shards that
the index names and that are not there; ``incomplete`` are files that are cut short, have a broken header,
or are unfinished downloads. ``digest`` is a SHA-256 over names, sizes and headers of the shards, never over
the data: two machines that hold the same files have the same one, but the same one does not prove that the
data are equal. Needs Python 3.9 or newer and nothing else.
"""

import hashlib
import json
import os
import struct
import sys

# A header bigger than this is not a header (the format's own limit is 100 MB).
HEADER_LIMIT = 100_000_000


def snapshot(model, cache):
    """Return (folder or None, unfinished downloads) of a model id in the Hugging Face cache."""
    name = "models--" + model.replace("/", "--")
    for base in (os.path.join(cache, "hub", name), os.path.join(cache, name)):
        snapshots = os.path.join(base, "snapshots")
        if not os.path.isdir(snapshots):
            continue
        blobs = os.path.join(base, "blobs")
        cut = (
            sorted(f for f in os.listdir(blobs) if f.endswith(".incomplete")) if os.path.isdir(blobs) else []
        )
        try:
            with open(os.path.join(base, "refs", "main"), encoding="utf-8") as ref:
                folder = os.path.join(snapshots, ref.read().strip())
        except OSError:
            found = sorted(os.listdir(snapshots))
            folder = os.path.join(snapshots, found[-1]) if found else ""
        return (folder if os.path.isdir(folder) else None), cut
    return None, []


def read_json(path):
    """Return the JSON object in a file, or None when it is not there or not one."""
    try:
        with open(path, encoding="utf-8") as handle:
            data = json.load(handle)
    except (OSError, ValueError):
        return None
    return data if isinstance(data, dict) else None


def header(path):
    """Return (header bytes, size the header promises), or (None, 0) when the header is broken."""
    try:
        with open(path, "rb") as handle:
            (length,) = struct.unpack("<Q", handle.read(8))
            if length > HEADER_LIMIT:
                return None, 0
            raw = handle.read(length)
        tensors = json.loads(raw)
        ends = [t["data_offsets"][1] for n, t in tensors.items() if n != "__metadata__"]
    except (OSError, ValueError, struct.error, KeyError, TypeError, IndexError, AttributeError):
        return None, 0
    return raw, 8 + length + max(ends, default=0)


def check(folder):
    """Return what is there, what is missing, what is cut short, and the digest of one model folder."""
    index = read_json(os.path.join(folder, "model.safetensors.index.json"))
    there = sorted(f for f in os.listdir(folder) if f.endswith(".safetensors"))
    wanted = (
        sorted(set(index["weight_map"].values()))
        if index and isinstance(index.get("weight_map"), dict)
        else there
    )
    missing, incomplete = [], []
    digest, total = hashlib.sha256(), 0
    for shard in wanted:
        path = os.path.join(folder, shard)
        if not os.path.exists(path):
            missing.append(shard)
            continue
        size = os.path.getsize(path)
        raw, promised = header(path)
        if raw is None or size != promised:
            incomplete.append(shard)
        digest.update(f"{shard}\0{size}\0".encode())
        digest.update(raw or b"")
        total += size
    incomplete += sorted(f for f in os.listdir(folder) if f.endswith((".incomplete", ".part")))
    if not wanted:
        missing.append("*.safetensors")
    config = read_json(os.path.join(folder, "config.json"))
    if config is None:
        missing.append("config.json")
    architectures = (config or {}).get("architectures") or []
    return {
        "files": len(wanted) - sum(1 for shard in missing if shard in wanted),
        "bytes": total,
        "missing": missing,
        "incomplete": incomplete,
        "architectures": [str(a) for a in architectures] if isinstance(architectures, list) else [],
        "digest": "sha256:" + digest.hexdigest(),
    }


def main():
    """Find the folder, check it, print the answer."""
    model, cache = sys.argv[1], os.path.expanduser(sys.argv[2])
    given = os.path.expanduser(model)
    cut = []
    folder = given if os.path.isdir(given) else None
    if folder is None and not os.path.isabs(given):
        folder, cut = snapshot(model, cache)
    answer = {
        "found": folder is not None,
        "cache": os.path.abspath(cache),
        "path": folder,
        "files": 0,
        "bytes": 0,
        "missing": [],
        "incomplete": cut,
        "architectures": [],
        "digest": None,
    }
    if folder is not None:
        answer.update(check(folder))
        answer["incomplete"] = answer["incomplete"] + cut
    print(json.dumps(answer))


main()
