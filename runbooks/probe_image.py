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
# # Which of these images knows the model?
#
# **Purpose.** Find out, before 127 GB are loaded, whether an image can serve a model at all. An engine serves
# a model when the model's *architecture class* (named in its `config.json`) is in the engine's *registry*.
# Both can be read in seconds.
#
# **Time and risk.** Seconds per image on simulated nodes and on the lab; the same is expected of real Sparks.
# No risk.
#
# **What it changes.** Nothing that lasts. For each image a container runs for a moment, without network and
# without GPU, and Docker removes it when it ends. The engine is not started and not even imported.
#
# **How to undo.** There is nothing to undo.
#
# **On your own machines.** `-p images vllm-qwen35` asks for the one image that
# [two Sparks](../docs/how-to/two-sparks.md) brings; without it the runbook also wants `vllm-node`, the one of
# the story. Separate several with commas.
#
# **The decision this belongs to**: [record
# 0010](../adrs/0010-a-purpose-built-image-instead-of-an-upgrade.md), *a purpose-built image instead of an
# upgrade*.

# %% [markdown]
# ## Parameters
#
# Pass them with `-p name value`. They are typed: an unknown name or a wrong type stops the run before it
# starts.

# %% tags=["parameters"]
nodes: str = "simulated"  # a machine file: its name under runbooks/nodes, or its path
images: list[str] = ["vllm-node", "vllm-qwen35"]  # the images to look into; they must be on the head
model: str = "Qwen/Qwen3.5-122B-A10B-FP8"  # the model to look for; its config.json is on the head

# %% [markdown]
# ## Who is there

# %%
import reaffirm
from reaffirm import steps

cluster = reaffirm.connect(nodes, runbook="probe_image")

# %% [markdown]
# ## Look into each image
#
# An image may be named as a page under `docs/container-images` names it, or by any reference that Docker
# knows, such as `registry.example/vllm:0.17.0`. A small program goes into the container on standard input and
# reads the registry as *source text*.

# %%
steps.probe_images(cluster, images, model=model)

# %% [markdown]
# ## How to read it
#
# * *yes*: the exact class is in the registry. Whether the kernels run on your GPU, and whether the model fits
#   into memory, is another question; [`launch_vllm`](launch_vllm.py) answers it.
# * *no*: the engine has no code for the model and will refuse it ("… are not supported for now"). A newer
#   Transformers in that image does not change it: for this model vLLM runs its own code.
# * *unknown*: a part of the registry is computed while it runs, or another package in the image may add
#   models when the engine starts. The rows say which.
