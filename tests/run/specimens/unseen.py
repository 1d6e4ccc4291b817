# %% [markdown]
# # A step whose report nobody shows

# %% tags=["parameters"]
nodes: str = "simulated"  # machines to run on

# %%
import reaffirm
from reaffirm import steps

cluster = reaffirm.connect(nodes)

# %% [markdown]
# ## Fail unseen

# %%
result = steps.command(cluster, ["false"])
print("went on")
