# %% [markdown]
# # Slow

# %%
print("begun", flush=True)

# %% [markdown]
# ## Wait for long

# %%
import time

print("waiting", flush=True)
open("waiting", "w").close()
time.sleep(60)

# %%
print("never reached")
