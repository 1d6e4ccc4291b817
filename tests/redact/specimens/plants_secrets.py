# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Secrets in every place that a run writes
#
# In prose, too: «in_prose».

# %% tags=["parameters"]
from typing import Annotated

nodes: str = "local"
planted: str  # a file of texts to write, each with a secret in it
server: str  # the address of a server that answers with secrets
api_key: str = ""
ticket: Annotated[str, "secret"] = ""
ports: list[str] = []
stop: bool = True

# %%
import json
import os
import subprocess
import sys

import reaffirm
from IPython.display import HTML, JSON, display
from reaffirm import steps
from reaffirm.model.exchange import HttpRequest

in_source = "«in_source»"  # «in_comment»
login = dict(user="me", password="«in_call»")
with open(planted) as file:
    texts = json.load(file)
cluster = reaffirm.connect(nodes)
node = cluster.one("here")

# %% [markdown]
# ## What cells write

# %%
for text in texts["any"]:
    print(text)
    print(text, file=sys.stderr)
    for piece in (text[: len(text) // 2], text[len(text) // 2 :]):
        sys.stdout.write(piece)
        sys.stdout.flush()
    print(repr(text), json.dumps(text), ascii(text.encode()))
subprocess.run(["cat", planted])
print(dict(os.environ), api_key, ticket)

# %%
for text in texts["any"]:
    display({"text/plain": text, "text/html": f"<pre>{text}</pre>"}, raw=True)
    display(HTML(f"<b>{text}</b>"), JSON({"deep": [{"text": text}]}), metadata={"note": text})

# %%
texts

# %% [markdown]
# ## What goes to nodes and comes back

# %%
for number, text in enumerate(texts["any"]):
    steps.command(cluster, ["printf", "%s\n", text], name=f"printed.t{number}", changes="nothing")
    node.run(["cat"], stdin=text)
    node.run(["sh", "-c", 'cat >&2; printf "%s" "$0"', text], stdin=text)
    cluster.context.save(f"logs/here/{number}.log", text)
    cluster.context.save(f"inspect/{number}.json", json.dumps([{"Config": {"Env": [text], "Cmd": [text]}}]))
    reaffirm.fact(f"planted.text{number}", text)
    reaffirm.fact(f"planted.list{number}", [text, "plain"])
for words in texts["commands"]:
    node.run(["echo", *words])
    steps.command(cluster, ["echo", *words], name=f"echoed.t{len(words)}", changes="nothing")

# %%
for lines in texts["logs"]:
    stream = node.follow(["printf", "%s\n", *lines], timeout=20)
    while stream.exit is None:
        stream.read(0.2)
    stream.close()

# %%
for number, path in enumerate(texts["paths"]):
    headers = dict(texts["headers"])
    body = json.dumps({"messages": texts["any"][:3], "api_key": api_key})
    node.http(HttpRequest("POST", f"{server}{path}", headers, body))
    steps.http(cluster, f"{server}{path}", name=f"asked.t{number}", headers=headers, changes="nothing")

# %% [markdown]
# ## How it ends

# %%
if stop:
    with open(texts["dynamic"]) as file:
        db_password = file.read()
    node.run(["echo", "now it is known", db_password])
    raise RuntimeError("it failed with " + " and ".join(texts["any"]) + db_password)
