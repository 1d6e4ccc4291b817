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
# # Reproduce the stall: one variable, two arms
#
# **Purpose.** Find out on *your* machines whether a launch falls silent after group creation because each
# rank has to guess its own address. The same launch is made in two *arms*. In the arm *unset* nobody tells
# a rank its address, as in the story. In the arm *set* each rank is told its fabric address
# (`SGLANG_HOST_IP`, or `VLLM_HOST_IP`). Nothing else differs, so if the arms end differently, that has one
# cause.
#
# **Time and risk.** On simulated nodes: seconds. On the lab: some minutes for three boots of each arm
# (the list of published runs says how long each took); the silence that counts (`stall_limit`) is 60 s.
# On real Sparks nobody has timed it; that silence alone is five minutes there, for each boot that stalls.
# What runs there already is safe: a port that is taken, or too little memory, stops the run before
# anything is started.
#
# **What it changes.** It starts containers named `experiment-head` and `experiment-worker` and removes them
# again after every boot; their logs are saved into the run first. On real machines that needs consent:
# `-p consent spark-1/experiment-head,spark-2/experiment-worker`, with the names of your nodes.
#
# **How to undo.** Nothing is left behind. When the run was interrupted, run the first cleanup cell once more.
#
# **On your own machines.** `-p boots 3` is the least that lets the run conclude anything. The image of the
# engine must be on both nodes. The default engine is SGLang, and no source is known for an image of it that
# is called `sglang`: name yours with `-p sglang_image`. `-p engine vllm` does the same with vLLM and needs
# `vllm-qwen35` alone; it then tells about vLLM on your machines, and decides no claim of record 0002.
#
# **The record this belongs to**: [0002](../adrs/0002-what-the-stall-is-taken-to-be.md), *what the stall is
# taken to be*. This is the experiment that tells its leading hypothesis from the others.

# %% [markdown]
# ## Parameters
#
# Pass them with `-p name value`. They are typed: an unknown name or a wrong type stops the run before it
# starts.

# %% tags=["parameters"]
from typing import Literal

nodes: str = "simulated"  # a machine file: its name under runbooks/nodes, or its path
engine: Literal["sglang", "vllm"] = "sglang"  # the engine to launch
model: str = "Qwen/Qwen3.5-122B-A10B-FP8"  # the model to launch it with
sglang_image: str = "sglang"  # the image when the engine is sglang
vllm_image: str = "vllm-qwen35"  # the image when the engine is vllm
boots: int = 1  # boots of each arm; three are needed before anything is concluded
tensor_parallel_size: int = 2  # ranks that share each layer: one on each node
stall_limit: float | None = None  # seconds of silence that count as stuck; none: the stage's own
boot_timeout: float = 3600.0  # seconds that one boot may take in all
consent: str = ""  # real machines only: node/container pairs that may be removed, with commas

# %% [markdown]
# ## Who is there, and which image

# %%
import reaffirm
from reaffirm import steps

cluster = reaffirm.connect(nodes, consent=consent, runbook="reproduce_stall")
image = {"sglang": sglang_image, "vllm": vllm_image}[engine]

# %% [markdown]
# ## A clean table
#
# Only what an earlier run of this runbook may have left behind.

# %%
steps.cleanup(cluster, "experiment-head", "experiment-worker", facts="before")

# %% [markdown]
# ## A look that may make the rest unnecessary
#
# Look at the rows about the *advertised address*: what would an engine here take for its own address, and
# does the other node reach it? If every node reaches it (`preflight.advertised_address_reachable` is true),
# the trap is not set on these machines, and both arms below should end alike.

# %%
steps.preflight(cluster, images=[image], model=model)

# %% [markdown]
# ## Two arms, in turns
#
# *unset*, *set*, and so on until each arm had its `boots`. They take turns so that what drifts with time
# meets both. A boot ends when every rank has joined its groups (the weights are not waited for), when all
# ranks have been silent too long, or when one fails. Then its logs are saved and its containers removed, and
# the next boot begins from the same table.
#
# Compare the lines under *sent* that begin with `docker run`: they differ in the one variable.

# %%
steps.experiment(
    cluster,
    engine,
    image=image,
    model=model,
    boots=boots,
    tensor_parallel_size=tensor_parallel_size,
    limits={"group-created": stall_limit},
    timeout=boot_timeout,
    name_prefix="experiment",
)

# %% [markdown]
# ## How to read it
#
# **One boot of each arm is not proof.** Whether a start hangs can be a race: the same boot may end otherwise
# next time, and public fixes have been taken back because nobody had booted often enough. Below three boots
# of each arm the conclusion stays *unknown*, however clear the table looks. Run `-p boots 3` to conclude.
#
# | *unset* | *set* | what follows on these machines |
# |---|---|---|
# | always silent | always past | the launch stands or falls with the address |
# | always past | always past | the trap is not set here: if a launch stalled, it was for another reason |
# | always silent | always silent | it is not the address, or not alone: see below |
# | anything else | | read the boots one by one; a *failed* one has an error, which is another story |
#
# Where both arms are silent, start the engine once more and ask it while it hangs: `py-spy dump` on both
# ranks tells whether it waits in the message queue or in NCCL, `ss -tnp state syn-sent` whom it dials in
# vain. Record 0002 has the whole list.
#
# What it does **not** show: that this is what happened on the machines of the story. Nobody can boot those
# again as they were. And a lab without RDMA and NCCL says nothing about RDMA and NCCL.
