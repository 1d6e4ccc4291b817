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
# # The pivot from SGLang to vLLM
#
# **Purpose.** Serve `Qwen3.5-122B-A10B-FP8` on two DGX Sparks. This runbook re-enacts how that was first
# tried with SGLang, where it stopped, which ways out there were, and how it was done with vLLM in the end.
# Each cell does one thing and says what it sent to which machine, so that you can paste it into a terminal
# yourself.
#
# **Time and risk.** On simulated nodes: seconds, no risk. On the lab: some minutes, with a tiny model;
# the list of published runs says how long each took. On real Sparks nobody has timed it. It launches up
# to three times, each launch that gets so far loads 127 GB of weights, and of a first compilation alone
# others report up to about 36 minutes: keep hours free.
#
# **What it changes.** The cleanup steps remove the containers `sglang-head`, `sglang-worker`, `vllm-head` and
# `vllm-worker` and nothing else, after saving their logs. On real machines a cleanup step removes nothing
# without `consent`; a launch that breaks off saves and removes what it started itself, and needs none. At
# the end vLLM is left running.
#
# **How to undo.** The end of this page says how to take down what is left running. After that the machines
# are as they were, apart from files in caches.
#
# **On your own machines.** The whole of it needs three images on both nodes: `sglang`, `vllm-node` and
# `vllm-qwen35`. For the first no source is known, so it ends at *Before anything is started* on machines that
# lack it. The part about vLLM needs `vllm-qwen35` alone, and decides what [record
# 0001](../adrs/0001-serve-with-vllm-instead-of-sglang.md#confirmation) claims of two Sparks: `--from
# launch-vllm --until does-it-answer`, after `reaffirm run preflight_nodes -p nodes mine -p images
# vllm-qwen35`. Such a run counts when it is published with `reaffirm publish --partial`.
#
# **The decision this belongs to**: [record 0001](../adrs/0001-serve-with-vllm-instead-of-sglang.md),
# *serve with vLLM instead of SGLang*; what the stall is taken to be is
# [record 0002](../adrs/0002-what-the-stall-is-taken-to-be.md).

# %% [markdown]
# ## Parameters
#
# Pass them with `-p name value`. They are typed: an unknown name, a wrong type or a number out of its range
# stops the run before it starts.

# %% tags=["parameters"]
from typing import Annotated

nodes: str = "simulated"  # a machine file: its name under runbooks/nodes, or its path
model: str = "Qwen/Qwen3.5-122B-A10B-FP8"  # the model to serve
sglang_image: str = "sglang"  # the image that SGLang is tried with
image_at_hand: str = "vllm-node"  # the vLLM image that was already on the machines
vllm_image: str = "vllm-qwen35"  # the vLLM image that was built for this model
tensor_parallel_size: Annotated[int, "at least 1"] = 2  # ranks that share each layer: one on each node
stall_limit: Annotated[float | None, "above 0"] = None  # both SGLang launches: stuck after this silence, s
launch_timeout: Annotated[float, "above 0"] = 5400.0  # seconds that one launch may take in all
requests: Annotated[int, "at least 1"] = 3  # chat completions to measure at the end
consent: str = ""  # real machines only: node/container pairs that may be removed, with commas

# %% [markdown]
# ## Who is there
#
# `connect` reads the machine file and opens one transport per node. What follows does not know whether a
# node is simulated, a lab host or a Spark; the *kind* of this run comes from the transport and is stamped
# on every result, and the first output below says what that kind can show.

# %%
import reaffirm
from reaffirm import steps

cluster = reaffirm.connect(nodes, consent=consent, runbook="pivot_to_vllm")

# %% [markdown]
# ## A clean table
#
# Containers that an earlier run of this runbook left behind would hold memory and ports. Their logs are
# saved first.

# %%
steps.cleanup(cluster, "sglang-head", "sglang-worker", "vllm-head", "vllm-worker", facts="before")

# %% [markdown]
# ## Before anything is started
#
# Do both nodes answer, do they see each other over the fabric, is everything there that a launch needs? One
# row is worth a second look: **the address the engine would advertise**. On a machine with an office
# network and a fabric, the address that software finds by itself is the one on the default route, and that
# is usually the office.

# %%
steps.preflight(cluster, images=[sglang_image, image_at_hand, vllm_image], model=model)

# %% [markdown]
# ## First try: SGLang, set up as it was then
#
# The fabric interface is named for NCCL and for Gloo, the rendezvous address is the head's fabric address.
# What was *not* set then is the address that each rank itself gives to the others. None of the SGLang
# recipes for two Sparks that we have read and that are older than August 2026 set it.

# %%
stall = steps.launch(
    cluster,
    "sglang",
    image=sglang_image,
    model=model,
    tensor_parallel_size=tensor_parallel_size,
    host_address=False,
    limits={"group-created": stall_limit},
    timeout=launch_timeout,
    facts="stall",
)
stall

# %% [markdown]
# ## What is seen, and what is not known
#
# The picture shows how far each rank got, the line above it how the launch ended. This part is about one
# ending: *stuck*, both ranks silent after “Group created”, no error, no time-out. That is how it ended in the
# story. If the launch above ended otherwise, this run has not met the stall and says nothing about its cause.
#
# Which line is the last one depends on the machines. With GPUs it is the one about the disabled fast path
# (`CustomAllreduce is disabled …`, before 0.5.10 `Custom allreduce is disabled …`). Known from the source of
# SGLang 0.5.9 and 0.5.10: when a rank prints *that* line, its NCCL communicator is made, one all-reduce has
# crossed the wire, and Gloo works between the nodes. Without kernels for a GPU, as on the lab, SGLang prints
# `Setup Custom allreduce failed with …` in its place; there is no NCCL then, and the line tells of Gloo only.
# On both, what comes next is a hand-shake over a message queue (ZeroMQ) that has no time-out and prints
# nothing at the usual log level.
#
# **Not** known from this: why the machines of the story stopped there. The texts that this project grew
# from name a deadlock between NCCL communicators. The log order speaks against it, nothing was measured
# then that decides it. Record 0002 holds four hypotheses side by side; a check on two Sparks would tell
# them apart for those two, and none was run.

# %% [markdown]
# ## Save, then clean up
#
# In the story both containers were removed with `docker rm -f` and their logs went with them. Here nothing
# is removed before its log and its `docker inspect` are saved beside this notebook.

# %%
steps.cleanup(cluster, "sglang-head", "sglang-worker")

# %% [markdown]
# ## What is in the vLLM image at hand?
#
# An engine serves a model when the model's *architecture class* is in its registry. The probe reads the
# registry's source inside the image; it needs no GPU and imports nothing.

# %%
steps.probe_image(cluster, image_at_hand, model=model)

# %% [markdown]
# ## Way out 1: SGLang once more, with one thing changed
#
# Each rank is told its own fabric address (`SGLANG_HOST_IP`). Nothing else differs from the first try. If
# that one was stuck and this one gets past its groups, the address made the difference, as far as one boot
# of each can tell. If the first one was not stuck, nothing follows about the address.

# %%
retry = steps.launch(
    cluster,
    "sglang",
    image=sglang_image,
    model=model,
    tensor_parallel_size=tensor_parallel_size,
    limits={"group-created": stall_limit},
    timeout=launch_timeout,
    facts="retry",
)
retry

# %%
steps.cleanup(cluster, "sglang-head", "sglang-worker", facts="after_retry")

# %% [markdown]
# ## Way out 2: a newer Transformers inside the image at hand
#
# It looks cheap: `pip install -U transformers` in the image. Where the probe of that image says
# `supports_model = False`, it cannot help: for this model vLLM runs its own class, and the registry that the
# probe has read belongs to vLLM, not to Transformers. vLLM's generic Transformers backend is no way round
# either: the model's class in Transformers 5.2.0 does not declare the attention interface that the backend
# asks for. So that fact decides this way out; nothing has to be installed to know.

# %% [markdown]
# ## Way out 3: an image made for this model
#
# The same probe, on the image that claims to have the class.

# %%
steps.probe_image(cluster, vllm_image, model=model)

# %% [markdown]
# ## Launch vLLM
#
# One rank per node, no Ray: the head serves HTTP, the worker runs `--headless`. Each rank is told its own
# fabric address (`VLLM_HOST_IP`), as the public vLLM recipes for two Sparks do.

# %%
serving = steps.launch(
    cluster,
    "vllm",
    image=vllm_image,
    model=model,
    tensor_parallel_size=tensor_parallel_size,
    timeout=launch_timeout,
)
serving.expect("ready")

# %% [markdown]
# ## Does it answer?
#
# Health, the list of models, then a few chat completions, streamed. The model first emits its reasoning,
# then its answer, and both must arrive. The speeds below are those of *this* run and of its kind: simulated
# speeds say nothing about a Spark.

# %%
steps.verify(cluster, model=model, requests=requests)

# %% [markdown]
# ## Conclusion
#
# Every way out with what this run found about it.

# %%
steps.conclude(cluster, image_at_hand=image_at_hand, vllm_image=vllm_image)

# %% [markdown]
# **Taken then:** give SGLang up and serve with vLLM from an image made for this model (record 0001).
#
# **Would it be taken now?** Read it off the table above, with the kind of this run in mind.
#
# - *Serves, with reasoning and content*: with *yes*, the decision works on these machines. With anything
#   else this run does not bear it out.
# - *The address decides*: with *yes*, SGLang stalled until each rank was told its address, and “SGLang cannot
#   be fixed by configuration” is no reason for the decision here. With *no*, it stalled either way. With
#   *unknown*, the first try did not stall, or the second ended in another way, and nothing follows.
#
# Choosing between the two engines would rest on measured speed and upkeep on the real machines, which no run
# of kind *simulated* or *lab* can give.

# %% [markdown]
# ## To take it down
#
# vLLM is left running when this notebook ends; simulated nodes are gone with it. To take it down later:
#
# ```bash
# papermill runbooks/cleanup_containers.py -p nodes lab -p names vllm-head,vllm-worker
# ```
#
# or, in any Python that was started in this project:
#
# ```python
# import reaffirm
# from reaffirm import steps
# steps.cleanup(reaffirm.connect("lab"), "vllm-head", "vllm-worker")
# ```
#
# Name the machine file that was used here instead of `lab`. Real machines ask for consent as well:
# `-p consent spark-1/vllm-head,spark-2/vllm-worker`, in Python
# `connect("mine", consent="spark-1/vllm-head,spark-2/vllm-worker")`. The logs are saved before anything
# is removed: beside the notebook, from Python under `runs/interactive/`.
