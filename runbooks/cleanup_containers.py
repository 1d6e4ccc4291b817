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
# # Clear containers away without losing what they knew
#
# **Purpose.** Remove containers by name from both nodes: after a launch that failed, before the next one, or
# to take a service down. `docker rm -f` deletes a container *with its log*, and with it what would tell why a
# launch failed. So here all logs and the output of `docker inspect` are saved first.
#
# **Time and risk.** Seconds to a minute. What is removed is gone: a service that is named here goes down.
#
# **What it changes.** It removes the containers in `names`, on every node where they are, and nothing else.
# Left at their default these are the containers of both engines, `sglang-head` and `sglang-worker` too: to
# take down vLLM alone, pass `-p names vllm-head,vllm-worker`. On real machines each removal needs consent
# that names the node and the container, such as `-p consent 'spark-1/vllm-head,spark-2/vllm-worker'`.
# Without it, nothing is changed and the run says what to pass.
#
# **How to undo.** A removed container cannot be brought back. The saved `.inspect.json` has its image and
# its command line. To start vLLM again, [`launch_vllm`](launch_vllm.py):
# `reaffirm run launch_vllm -p nodes mine`, with the name of your machine file.
#
# **On your own machines.** `-p names vllm-head,vllm-worker` takes down what `launch_vllm` started, and
# nothing else; look at what would go first.
#
# **The decision this belongs to**: record 0011, *save logs before removing containers*.

# %% [markdown]
# ## Parameters
#
# Pass them with `-p name value`. They are typed: an unknown name or a wrong type stops the run before it
# starts.

# %% tags=["parameters"]
nodes: str = "simulated-serving"  # a machine file: its name under runbooks/nodes, or its path
names: list[str] = ["sglang-head", "sglang-worker", "vllm-head", "vllm-worker"]  # the containers to remove
consent: str = ""  # real machines only: node/container pairs that may be removed, with commas

# %% [markdown]
# ## Who is there
#
# Unless told otherwise, these are two simulated nodes on which vLLM has been serving for a while, so that
# there is something to clear away.

# %%
import reaffirm
from reaffirm import steps

cluster = reaffirm.connect(nodes, consent=consent, runbook="cleanup_containers")

# %% [markdown]
# ## Save, then remove
#
# Nothing is removed before *all* logs are saved; a log that cannot be read stops the step. A name that is
# not there is *absent*, which is no error, so this can be run twice. Containers of ours that were not named
# are *left alone*, and listed. At the end the step waits until the ports of what it removed are free.

# %%
steps.cleanup(cluster, *names)

# %% [markdown]
# ## Where the logs are
#
# In the folder beside this notebook that ends in `.run`, under `logs/<node>/`. Secrets that look like one
# were taken out before anything was written; look yourself before you send a log to anybody.
