# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %%
import time
from pathlib import Path

try:
    Path("begun").touch()
    time.sleep(60)
except KeyboardInterrupt:
    time.sleep(0.5)
    Path("tidied").touch()
    raise

# %%
Path("never").touch()

# %% tags=["finally"]
Path("last").touch()
