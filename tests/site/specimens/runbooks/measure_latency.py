# ---
# jupyter:
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---

# %% [markdown]
# # Measure the latency
#
# **Purpose.** Sends requests and reads *the percentiles*; belongs to [the decision](../adrs/0001-keep-the-cache.md).
#
# **Time and risk**: a second, no risk.
#
# **What it changes.** One file in `/tmp`.
# It goes with the next start.
#
# **How to undo.** `rm` it. <script>alert(1)</script>

# %% tags=["parameters"]
nodes: str = "simulated"  # machines | to run on
names: list[str] = ["a", "b"]  # <b>what</b> to remove
hf_token: str = "hunter2"  # never shown
consent: str = ""  # pairs

# %% [markdown]
# ## Ask it

# %% step="ask"
import reaffirm
from reaffirm import steps

cluster = reaffirm.connect(nodes, runbook="measure_latency")
steps.http(cluster, "http://127.0.0.1:8000/", method="DELETE", changes="writes files")

# %% [markdown]
# ## Clear away

# %%
steps.cleanup(cluster, names=names)
steps.toy(cluster)
steps.unheard_of(cluster)
