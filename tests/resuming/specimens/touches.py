# %% [markdown]
# # Touch

# %% tags=["parameters"]
nodes: str = "local"
place: str = ""  # the file to make

# %%
import reaffirm
from reaffirm import steps

cluster = reaffirm.connect(nodes)

# %% step="make-it"
steps.command(cluster, ["touch", place])
