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
# # A title that is a question or a task
#
# **Purpose.** What somebody has after this run that they did not have before, in one or two sentences. This
# file is a complete runbook: copy it to `runbooks/<verb>_<thing>.py`, run it, then change one cell after the
# other. (A file whose name begins with `_` is not listed as a runbook.)
#
# **Time and risk.** How long it takes on simulated nodes, on the lab, on real machines; what can go wrong.
# This one: seconds, and nothing.
#
# **What it changes.** Everything that is different on the machines afterwards. This one: nothing.
#
# **How to undo.** The command or the cell that takes it back. Here there is nothing to undo.
#
# **The decision this belongs to**: record 0000, *its title*. Leave the line out when there is none.

# %% [markdown]
# ## Parameters
#
# One line each: `name: type = default  # what it means`. The comment is the help that people see. Types are
# `str`, `int`, `float`, `bool`, `list[…]`, `Literal[…]`, and `… | None`. A parameter without a default must
# be given.

# %% tags=["parameters"]
nodes: str = "simulated"  # a machine file: its name under runbooks/nodes, or its path
image: str = "vllm-qwen35"  # the image to look into
model: str = "Qwen/Qwen3.5-122B-A10B-FP8"  # the model that it should know

# %% [markdown]
# ## Who is there
#
# Every runbook has this cell. Change the name to that of the file: containers that the run starts are
# labelled with it. A runbook that removes something also has a parameter `consent: str = ""` and passes it on
# here.

# %%
import reaffirm
from reaffirm import steps

cluster = reaffirm.connect(nodes, runbook="template")

# %% [markdown]
# ## One thing per cell
#
# Before each cell: why it is done, in words for somebody who sees it for the first time. In the cell: one
# call of a step, nothing else. No `if`, no loop, no regular expression, no shell text: where you need one,
# the step is missing, and belongs into `src/reaffirm/steps/`. The result of the last line is shown: a table,
# what was sent to which machine, and facts such as `probe.vllm-qwen35.supports_model`, which a claim in a
# record can name.

# %%
steps.probe_image(cluster, image, model=model)

# %% [markdown]
# ## How to read it
#
# What each outcome means and what to do next; and what this run does *not* show.
