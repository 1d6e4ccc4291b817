# %% tags=["parameters"]
model: str  # the model to serve
api_key: str | None = None  # never stored

# %%
print(model, len(api_key or ""))
print("the key is", api_key)
