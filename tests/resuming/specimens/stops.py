# %% tags=["parameters"]
nodes: str = "local"

# %%
import reaffirm
from reaffirm import steps

cluster = reaffirm.connect(nodes)

# %% step="ask"
said = steps.command(cluster, ["answer-of-a-program-of-ours"])
if not said.stdout:
    raise ValueError(f"no number in {said.stdout!r}")
number = int(said.stdout)

# %% step="use-it"
steps.command(cluster, ["echo", str(number)])

# %% step="shell"
!uname

# %% step="last"
steps.command(cluster, ["uname"])
