# %% tags=["parameters"]
alpha = 1
beta = "two"  # no types: papermill's own rules

# %%
print(repr(alpha), repr(beta))
