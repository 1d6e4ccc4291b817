# %% [markdown]
# # A night run
#
# ## Parameters

# %% tags=["parameters"]
nodes: str = "simulated"
words: str = "hello"
later: str = "x"  # only the last step reads it
hf_token: str = ""

# %% [markdown]
# ## Connect

# %%
import time
from pathlib import Path

import reaffirm
from reaffirm import steps

cluster = reaffirm.connect(nodes)

# %% [markdown]
# ## First

# %%
first = steps.command(cluster, ["echo", words], name="first")
first

# %% [markdown]
# ## Second
#
# Hangs while there is a file `hangs`, and fails while there is none of the name `fixed`.

# %%
while Path("hangs").exists():
    time.sleep(0.05)
if not Path("fixed").exists():
    raise RuntimeError("not fixed")
steps.command(cluster, ["echo", later, first.stdout.strip()], name="second")

# %% [markdown]
# ## Third

# %%
steps.command(cluster, ["echo", "third"], name="third")
