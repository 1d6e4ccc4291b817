# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Count the things

# %% tags=["parameters"]
nodes: str = "here"

# %%
import reaffirm
from reaffirm import steps

cluster = reaffirm.connect(nodes, runbook="count_things")
steps.command(cluster, ["cat", "count.json"], name="things", facts={"count": {"json": "count"}})
