# %% tags=["parameters"]
nodes: str = "local"

# %%
import os

import reaffirm
from reaffirm import steps

cluster = reaffirm.connect(nodes)
early = "".join(("plain-", "but-", "a-secret-later"))

# %% step="before-it-is-known"
steps.command(cluster, ["echo", early])

# %% step="send"
door_code = "".join(("Zebra ", "77 ", "Quartz"))
marked, named = os.environ["HOUSE_MARK"], os.environ["HOUSE_TOKEN"]
notebook_token = early
steps.command(cluster, ["echo", marked, named, notebook_token, door_code])
steps.http(cluster, f"http://127.0.0.1:9/{named}", method="POST", body=f"{marked} {notebook_token}", name="asked")

# %% step="stop"
raise ValueError(f"no answer to {marked}, {named}, {notebook_token}, {door_code}")
