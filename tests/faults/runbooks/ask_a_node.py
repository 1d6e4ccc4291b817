# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Ask a node something
#
# **Purpose.** One command on one node, for faults of the way to it. It changes nothing.

# %% tags=["parameters"]
nodes: str = "simulated"  # a machine file: its name under runbooks/nodes, or its path
argv: list[str] = ["true"]  # the command
timeout: float = 30.0  # seconds that it may take

# %% [markdown]
# ## Who is there

# %%
import reaffirm
from reaffirm import steps

cluster = reaffirm.connect(nodes, runbook="ask_a_node")

# %% [markdown]
# ## Ask

# %%
answer = steps.command(cluster, argv, timeout=timeout, changes="nothing")
answer.expect("pass")
