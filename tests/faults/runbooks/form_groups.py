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
# # Form groups
#
# **Purpose.** The shortest launch that there is on the lab: SGLang's own group formation on two hosts.

# %% tags=["parameters"]
nodes: str = "simulated"  # a machine file: its name under runbooks/nodes, or its path
model: str = "Qwen/Qwen3.5-122B-A10B-FP8"  # the model to serve
image: str = "sglang"  # the image

# %% [markdown]
# ## Who is there

# %%
import reaffirm
from reaffirm import steps

cluster = reaffirm.connect(nodes, runbook="form_groups")

# %% [markdown]
# ## Launch

# %%
formed = steps.launch(cluster, "sglang", image=image, model=model, until="groups-joined", timeout=300)
formed.expect("reached")
