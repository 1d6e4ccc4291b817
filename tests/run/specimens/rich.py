# %% [markdown]
# # Everything that a cell can show

# %%
import os
import subprocess
import sys

from IPython.display import HTML, clear_output, display

print("one")
print("two", file=sys.stderr)
print("three")

# %%
_ = display(HTML("<b>bold</b>"), display_id="x")
display({"application/json": {"a": [1, None]}, "text/plain": "plain"}, raw=True)
print("between")
_.update(HTML("<i>changed</i>"))

# %%
class Shown:
    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/plain": "as text", "text/html": "<p>as html</p>", "image/png": b"\x89PNG"}


Shown()

# %%
"not shown";

# %%
%%capture kept
print("captured")

# %%
kept.stdout

# %%
!echo from a shell
words = !echo one; echo two
words

# %%
import asyncio

await asyncio.sleep(0)
asyncio.get_running_loop().is_running()

# %%
for number in range(3):
    clear_output(wait=True)
    print("only the last:", number)
print("\rover\rwritten")
print("ab\bc")

# %%
_ + "!" if isinstance(_, str) else Out[3].__class__.__name__

# %%
print("no newline at the end", end="")

# %%
%%time
pass

# %%
print("\x00 and é and \U0001f600")

# %% tags=["raises-exception"]
import warnings

warnings.filterwarnings("error")
try:
    input("name? ")
except Exception as error:
    print(type(error).__name__)
len?
__name__, len(sys.argv) > 0, sys.path.index("")
