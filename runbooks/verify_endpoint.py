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
# # Does the endpoint answer as it should?
#
# **Purpose.** Ask a service that is running: is it healthy, which model does it say it serves, do answers
# come with reasoning and content apart, and how fast? Run it after every launch, and again whenever somebody
# says that it got slow.
#
# **Time and risk.** Seconds on simulated nodes and on the lab (6.7 s in the published run, of a tiny model);
# on real Sparks nobody has timed it. Little risk: it sends `requests` chat completions of a few hundred
# tokens each, one after the other. Other users of the service make its figures worse, and it makes theirs a
# little worse.
#
# **What it changes.** Nothing. No container is started or removed.
#
# **How to undo.** There is nothing to undo.
#
# **The decision this belongs to**: [record 0001](../adrs/0001-serve-with-vllm-instead-of-sglang.md),
# *serve with vLLM instead of SGLang*.

# %% [markdown]
# ## Parameters
#
# Pass them with `-p name value`. They are typed: an unknown name or a wrong type stops the run before it
# starts.

# %% tags=["parameters"]
nodes: str = "simulated-serving"  # a machine file: its name under runbooks/nodes, or its path
model: str = "Qwen/Qwen3.5-122B-A10B-FP8"  # the model that should be served
requests: int = 3  # chat completions to measure
max_tokens: int = 256  # tokens that each may have, unless the machine file says how many

# %% [markdown]
# ## Who is there
#
# A service must be running on the head: [`launch_vllm`](launch_vllm.py) starts one and leaves it. Simulated
# nodes begin anew with every run, so on `simulated` nothing ever serves. The default, `simulated-serving`,
# are the same nodes a quarter of an hour after vLLM was started on them.

# %%
import reaffirm
from reaffirm import steps

cluster = reaffirm.connect(nodes, runbook="verify_endpoint")

# %% [markdown]
# ## Ask
#
# `/health`, `/v1/models`, then the chat completions, streamed, from the head itself: the network between you
# and the head is not in the figures. The model first emits its reasoning, then its answer. `expect("pass")`
# makes the run fail when the service does not answer, serves another model, or cannot be measured.

# %%
answers = steps.verify(cluster, model=model, requests=requests, max_tokens=max_tokens)
answers.expect("pass")

# %% [markdown]
# ## How to read it
#
# Each figure is the median over the requests, by the head's clock. *Time to first token* is what a person
# waits for; *tokens per second* is how fast text then comes, for one user alone. What some request could not
# give is *unknown*. Figures of a simulated run are made up, and those of the lab are of another model on
# other hardware: neither says anything about a Spark.
