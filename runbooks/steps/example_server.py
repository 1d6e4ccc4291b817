"""A tiny web server on the node itself, so that there is something to look at where nothing else serves."""

import json

import reaffirm


@reaffirm.step(changes="runs a command")
def start_example_server(step: reaffirm.Step, seconds: int = 60) -> None:
    """Start it on a free port of loopback. It ends by itself after ``seconds``, or with GET /stop."""
    answer = step.run(["python3", "-", str(seconds)], program="example_server.py")
    port = json.loads(answer.stdout)["port"] if answer.ok else None
    step.fact("url", f"http://127.0.0.1:{port}" if port else None)
    step.judge(answer.ok, f"serves on port {port}" if port else f"did not start: {answer.stderr.strip()}")
