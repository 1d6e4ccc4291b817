# %% [markdown]
# # Connects and does one step

# %% tags=["parameters"]
nodes: str = "simulated"  # machines to run on
fail: bool = False  # whether to fail after the step

# %%
import reaffirm
from reaffirm import steps

cluster = reaffirm.connect(nodes)

# %% [markdown]
# ## Look for what is not there

# %%
steps.cleanup(cluster, "nobody")

# %%
cluster.head.run(["hostname"]).stdout

# %%
if fail:
    raise RuntimeError("told to")
