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
# # Can these machines serve this model?
#
# **Purpose.** Ask both nodes, before anything is started, whether a launch can work: do they answer, do they
# reach each other over the cable, are the images and the whole weights on both, is there memory, disk and a
# free port? Half an hour of loading that ends in an error is what this saves.
#
# **Time and risk.** Seconds on simulated nodes and on the lab; the same is expected of real Sparks. No risk.
#
# **What it changes.** Nothing. It reads, and it opens a TCP connection from one node to the other and closes
# it again.
#
# **How to undo.** There is nothing to undo.
#
# **On your own machines.** `-p images vllm-qwen35` asks for the one image that a launch of vLLM needs.
# Without it the runbook asks for all three images of the story, and fails where one is missing; no source is
# known for the one called `sglang`.

# %% [markdown]
# ## Parameters
#
# Pass them with `-p name value`. They are typed: an unknown name or a wrong type stops the run before it
# starts.

# %% tags=["parameters"]
nodes: str = "simulated"  # a machine file: its name under runbooks/nodes, or its path
model: str = "Qwen/Qwen3.5-122B-A10B-FP8"  # the model that is to be served
images: list[str] = ["sglang", "vllm-node", "vllm-qwen35"]  # the images that are to be on every node
ports: list[int] = [8000, 30000]  # TCP ports that are to be free on every node
need_disk_gib: float = 10.0  # GiB that are to be free where the weights lie
need_memory_gib: float | None = None  # GiB to be available on each node; none: from the size of the weights

# %% [markdown]
# ## Who is there
#
# `connect` reads the machine file and opens one transport per node. What follows does not know whether a
# node is simulated, a lab host or a Spark; the *kind* of this run comes from the transport and is stamped on
# every result.

# %%
import reaffirm
from reaffirm import steps

cluster = reaffirm.connect(nodes, runbook="preflight_nodes")

# %% [markdown]
# ## All checks
#
# Everything is asked before anything is judged, so one run tells all that is wrong. Each row says what was
# seen and, where it is not good, what to do. *Unknown* means that the question got no usable answer; it is
# never counted as a pass. When a check fails the run fails, after this table.

# %%
steps.preflight(
    cluster,
    images=images,
    model=model,
    ports=ports,
    need_disk_gib=need_disk_gib,
    need_memory_gib=need_memory_gib,
)

# %% [markdown]
# ## How to read it
#
# Three rows have cost people most:
#
# * **fabric.** A Spark shows each socket of its fast cable twice. The two halves must be on two subnets, and
#   the launch must be told the interface of the cable, not that of the office.
# * **advertised address.** The address that an engine takes for its own when nobody tells it one: that of the
#   default route. A *warning* here means that the other node cannot reach it. Nothing has to be mended for
#   that: the launches of this project tell each rank its fabric address. A launch that does not may fall
#   silent, see [`reproduce_stall`](reproduce_stall.py).
# * **weights.** Every shard is compared with its own header and with the other node, by name, size and
#   header. The data itself is not read: that would take as long as loading it.
#
# **Next**: [`probe_image`](probe_image.py) tells whether an image knows the model,
# [`launch_vllm`](launch_vllm.py) starts it.
