# ---
# jupyter:
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---

# %% [markdown]
# # Measure the latency
#
# Sends requests and reads the percentiles. Belongs to [the decision](../adrs/0001-keep-the-cache.md).

# %% tags=["parameters"]
nodes: str = "simulated"  # machines to run on
