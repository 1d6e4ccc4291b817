# %% [markdown]
# # Slow

# %%
print("begun", flush=True)

# %% [markdown]
# ## Wait for long

# %%
import time

print("waiting", flush=True)
time.sleep(0.5)  # so that the line has arrived when somebody sees the file
open("waiting", "w").close()
time.sleep(60)

# %%
print("never reached")
