"""Names two operators of torchvision just before it is first imported.

torchvision from the registry is built for CUDA; beside a CPU torch its compiled library does not load, and
`import torchvision` then ends in "operator torchvision::nms does not exist". Naming the operators is enough
for an import; calling one would still fail. A .pth file imports this, and nothing happens until torchvision
is wanted.
"""

import sys


class _Finder:
    def find_spec(self, name, path=None, target=None):
        """Define the operators when torchvision is looked for; the real finders then find it."""
        if name == "torchvision":
            sys.meta_path.remove(self)
            import torch

            library = torch.library.Library("torchvision", "DEF")
            library.define("nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
            library.define(
                "qnms(Tensor dets, Tensor scores, float iou_threshold, bool sorted=False) -> Tensor"
            )
            sys.modules[__name__].kept = library  # a library that is collected takes its operators away


sys.meta_path.insert(0, _Finder())
