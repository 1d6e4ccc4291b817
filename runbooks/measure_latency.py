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
# # How long a service takes to answer
#
# **Purpose.** Ask a small web service a hundred times and see how long its answers take. It is here for teams
# without a GPU: put the address of a service of yours into the second cell, and a claim such as *p95 below
# 20 ms* into one of your records.
#
# **Time and risk.** A second or two, no risk.
#
# **What it changes.** On the node it starts a tiny web server on a free port of loopback, which ends at the
# last cell, or by itself after `seconds`. Nothing is written there.
#
# **How to undo.** Nothing is left.
#
# **The decision this belongs to**: record 0020, *general steps and facts of a notebook*.

# %% [markdown]
# ## Parameters
#
# Unlike the other runbooks this one is at home on the machine that runs it. On simulated nodes the server
# answers as well, but in a time that somebody made up.

# %% tags=["parameters"]
nodes: str = "local"  # a machine file: its name under runbooks/nodes, or its path
requests: int = 100  # how often the service is asked; p95 needs 20 answers, p99 needs 100
seconds: int = 60  # after how long the example server ends by itself

# %% [markdown]
# ## Something to look at
#
# `start_example_server` is a step of this project's own: eight lines in `runbooks/steps/example_server.py`.

# %%
import reaffirm
from reaffirm import steps

cluster = reaffirm.connect(nodes, runbook="measure_latency")
server = steps.start_example_server(cluster, seconds=seconds, name="server").expect("pass")
server

# %% [markdown]
# ## Ask it
#
# One request after the other, each on a connection of its own, from the node on which the service runs: what
# is measured is the service and not the way to it. A percentile is only given where enough answers speak
# for it.

# %%
answers = steps.http(
    cluster, server["url"], name="latency", repeat=requests, facts={"says": {"json": "says"}}
)
answers

# %% [markdown]
# ## A fact of our own
#
# What a notebook works out by itself becomes a fact too. It says so: `by: notebook`.

# %%
reaffirm.fact("slowest.latency", max(answers.latencies, default=None), "ms")

# %% [markdown]
# ## Leave nothing behind

# %%
steps.http(cluster, f"{server['url']}/stop", name="stopped")
