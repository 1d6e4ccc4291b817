# %% tags=["parameters"]
image: str = "toy-image"

# %%
import reaffirm
from reaffirm import steps

import steps_of_ours

cluster = reaffirm.connect("simulated")
steps.cleanup(cluster, "a", facts="before")
steps.probe_image(cluster, image, model="m")
steps.launch(cluster, "vllm", image=image, model="m", facts="stall")
steps.launch(cluster, "vllm", image=image, model="m")
steps_of_ours.count_files(cluster, name="files")
reaffirm.fact("search.recall", 0.9)
for size in (1, 2):
    reaffirm.fact(f"search.size_{size}", size)
steps.http(cluster, "http://127.0.0.1:1/", name="query", facts={"hits": {"json": "hits"}})
steps.file(cluster, "/etc/x")
steps.experiment(cluster, "sglang")
