# %% tags=["parameters"]
how: str = "raise"  # how the second cell ends

# %% [markdown]
# ## Begin

# %%
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

print("begun")

# %% [markdown]
# ## The end

# %% step="middle" timeout=1
subprocess.Popen(["sleep", "300"])
Path("child").write_text(str(os.getpid()))
os.write(1, b"from C\n")
print("last words", end="")
match how:
    case "raise":
        raise ValueError("told to")
    case "exit":
        sys.exit(0)
    case "exit 3":
        sys.exit(3)
    case "_exit":
        os._exit(0)
    case "segfault":
        os.kill(os.getpid(), signal.SIGSEGV)
    case "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    case "late":
        time.sleep(60)
    case "late, await":
        import asyncio

        await asyncio.sleep(60)
    case "stubborn":
        until = time.monotonic() + 60
        while time.monotonic() < until:
            try:
                time.sleep(60)
            except KeyboardInterrupt:
                print("no")
    case "swallows":
        try:
            time.sleep(60)
        except KeyboardInterrupt:
            print("tidied")

# %%
print("never reached")

# %% [markdown]
# ## Tidy

# %% tags=["finally"]
print("finally", how)
if how == "raise":
    raise RuntimeError("the tidying failed as well")

# %% tags=["finally"]
print("finally again")
