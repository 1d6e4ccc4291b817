"""SGLang's own group formation, on a CPU: the part of a start in which the stall of the sources happens.

Sent into a container of the SGLang image as `python3 -c "<this text>" --rank R --world-size 2
--init tcp://HEAD:PORT`, one per node. It calls SGLang's `init_distributed_environment` and
`initialize_model_parallel` with Gloo. SGLang's log lines are SGLang's own, in the format of its scheduler
processes; every line of this program begins with `reaffirm:`. When the groups have formed it adds up ones
over the TP group, says what came out, and stays for a while so that the container can be looked at.

Where the head's message queue binds is decided by SGLang alone: SGLANG_HOST_IP, else the address of the
default route. With it unset on nodes whose default routes do not meet, both ranks wait in silence for ever.

Exit codes: 0 the groups formed, 1 the sum was wrong; SGLang's own errors pass through.
"""

import argparse
import time
from types import SimpleNamespace


def main() -> int:
    """Form the groups, add up ones, stay."""
    parser = argparse.ArgumentParser(prog="sglang_groups.py")
    parser.add_argument("--rank", type=int, required=True)
    parser.add_argument("--world-size", type=int, default=2)
    parser.add_argument("--init", required=True, help="tcp://HEAD:PORT")
    parser.add_argument("--log-level", default="info", help="debug shows the address of the queue")
    parser.add_argument("--stay", type=float, default=600, help="seconds to stay once the groups have formed")
    asked, unknown = parser.parse_known_args()

    import torch
    from sglang.srt.distributed import parallel_state
    from sglang.srt.utils import configure_logger
    from sglang.version import __version__

    print(
        f"reaffirm: rank {asked.rank} of {asked.world_size}: SGLang {__version__}'s group formation and "
        f"message queue over Gloo, torch {torch.__version__}; no server, no model, no kernels, no NCCL"
        + (f"; not used: {' '.join(unknown)}" if unknown else ""),
        flush=True,
    )
    configure_logger(SimpleNamespace(log_level=asked.log_level), prefix=f" TP{asked.rank}")
    print(f"reaffirm: init_distributed_environment over {asked.init}", flush=True)
    parallel_state.init_distributed_environment(
        world_size=asked.world_size,
        rank=asked.rank,
        distributed_init_method=asked.init,
        local_rank=0,
        backend="gloo",
    )
    print("reaffirm: the world has formed; initialize_model_parallel", flush=True)
    parallel_state.initialize_model_parallel(tensor_model_parallel_size=asked.world_size, backend="gloo")

    total = torch.ones(1)
    torch.distributed.all_reduce(total, group=parallel_state.get_tp_group().cpu_group)
    print(f"reaffirm: all_reduce of ones gave {total.item()}", flush=True)
    if total.item() != asked.world_size:
        return 1
    print(f"reaffirm: staying {asked.stay:.0f} s", flush=True)
    time.sleep(asked.stay)
    return 0


raise SystemExit(main())
