# %% [markdown]
# # Emits facts like a step, and records like a transport

# %%
import json
import os
from pathlib import Path

from IPython.display import display

MIME = "application/vnd.reaffirm.facts+json"


def emit(**facts):
    payload = {
        "step": "toy",
        "kind": "simulated",
        "facts": {k.replace("__", "."): v for k, v in facts.items()},
    }
    display({MIME: payload, "text/plain": ""}, raw=True)


folder = Path(os.environ["REAFFIRM_RUN_DIR"])
folder.mkdir(exist_ok=True)
nodes = [{"name": "spark-1", "kind": "lab"}, {"name": "spark-2", "kind": "simulated"}]
header = {"seq": 0, "op": "begin", "schema": 1, "nodes": nodes, "started": 1780000000.5}
(folder / "recording.jsonl").write_text(json.dumps(header) + "\n")

# %%
emit(toy__seconds={"value": 1.0, "unit": "s"}, toy__ready={"value": False})

# %%
emit(toy__ready={"value": True}, toy__unknown={"value": None})
