# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # A small runbook

# %% tags=["parameters"]
from typing import Literal

nodes: Literal["simulated", "lab"] = "simulated"  # which machines
count: int = 3  # how many times
dry_run: bool = False  # only say what would be done
sha: str = "abc"  # a commit; "0123" stays what it is
limit: float | None = None  # seconds; none: no limit
images: list[str] = ["a", "b"]  # names of images

# %% [markdown]
# ## Look around

# %%
import json
import os

print(
    json.dumps(
        {
            "values": [nodes, count, dry_run, sha, limit, images],
            "cwd": os.getcwd(),
            "env": {k: v for k, v in os.environ.items() if k.startswith("REAFFIRM_")},
        }
    )
)

# %% [markdown]
# ## Fail when told to

# %%
if count == 13:
    raise ValueError("thirteen is unlucky")
