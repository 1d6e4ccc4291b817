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
# # Launch vLLM on both nodes
#
# **Purpose.** Start vLLM across both nodes and follow it until it serves, or until it is clear why not. One
# rank per node, no Ray: the head serves HTTP, the worker runs `--headless`.
#
# **Time and risk.** On simulated nodes: seconds. On the lab: a minute or two, with a tiny model; the list
# of published runs says how long each took. On real Sparks nobody has timed this runbook; loading 127 GB
# of weights and compiling take the most, and of a first compilation alone others report up to about 36
# minutes. The model takes more than half of the memory of both machines.
#
# **What it changes.** It starts the containers `vllm-head` and `vllm-worker` and **leaves them running**.
# Files in caches may be added. Nothing is removed but what a launch that fails had started itself: when
# containers of these names are there already, or somebody answers on the port, it stops before it starts
# anything.
#
# **How to undo.** [`cleanup_containers`](cleanup_containers.py) saves the logs, then removes both. On
# machines of yours that `runbooks/nodes/mine.toml` names:
#
# ```bash
# reaffirm run cleanup_containers -p nodes mine -p names vllm-head,vllm-worker
# ```
#
# On real machines it asks before it removes. Where nobody can be asked, give consent for each container on
# its node: `-p consent 'spark-1/vllm-head,spark-2/vllm-worker'`.
#
# **On your own machines.** The machine file, the model and an image on both nodes come first, and a look at
# the machines: steps 4 to 8 of [two Sparks](../docs/how-to/two-sparks.md).
#
# **The decision this belongs to**: [record 0001](../adrs/0001-serve-with-vllm-instead-of-sglang.md),
# *serve with vLLM instead of SGLang*.

# %% [markdown]
# ## Parameters
#
# Pass them with `-p name value`. They are typed: an unknown name or a wrong type stops the run before it
# starts.

# %% tags=["parameters"]
nodes: str = "simulated"  # a machine file: its name under runbooks/nodes, or its path
model: str = "Qwen/Qwen3.5-122B-A10B-FP8"  # the model to serve
image: str = "vllm-qwen35"  # an image whose vLLM has the model's class
tensor_parallel_size: int = 2  # ranks that share each layer: one on each node
ports: list[int] = [8000, 29501]  # TCP ports that are to be free: those of the machine file, or vLLM's
launch_timeout: float = 5400.0  # seconds that the launch may take in all
keep: bool = False  # leave the containers of a launch that fails, to look at them

# %% [markdown]
# ## Who is there

# %%
import reaffirm
from reaffirm import steps

cluster = reaffirm.connect(nodes, runbook="launch_vllm")

# %% [markdown]
# ## Before anything is started
#
# When a check fails the run ends here, and nothing was changed.

# %%
steps.preflight(cluster, images=[image], model=model, ports=ports)

# %% [markdown]
# ## Does the image know the model?

# %%
steps.probe_image(cluster, image, model=model)

# %% [markdown]
# ## Launch
#
# Each rank is told its own fabric address (`VLLM_HOST_IP`). Without it, vLLM takes the address of the default
# route, which the other node may not reach, and falls silent ([`reproduce_stall`](reproduce_stall.py)).
#
# The picture shows when each rank reached which stage. A stage may be silent only for so long, and how long
# depends on the stage: compiling is slow, forming groups is not. `expect("ready")` makes the run fail unless
# the head answers `/health` in the end; then the logs of both ranks are saved and their containers removed,
# so that nothing holds the machines over night. `-p keep true` leaves them for you to look at.

# %%
serving = steps.launch(
    cluster,
    "vllm",
    image=image,
    model=model,
    tensor_parallel_size=tensor_parallel_size,
    timeout=launch_timeout,
    keep=keep,
)
serving.expect("ready")

# %% [markdown]
# ## It runs
#
# `/health` says that a server is up, not that it answers well. **Next**:
# [`verify_endpoint`](verify_endpoint.py) asks it. (On simulated nodes the service ends with this run.)
