"""One party of the cluster's tests: a process with a Ray cluster of its own. A line of JSON in is a run, a line out its end."""

from __future__ import annotations

import gc
import json
import logging
import os
import signal
import sys
from typing import Any

import pyarrow
import ray
import ray._private.state
import veilset
import veilset.ray


class Killer:
    """Kills the processes of all workers of this side once, when the stage has begun and is not done."""

    def __init__(self, stage: str) -> None:
        self._stage = stage

    def __call__(self, step: str, done: int, total: int) -> None:
        if step == self._stage and 0 < done < total:
            self._stage = ""
            workers = [
                actor
                for actor in ray._private.state.actors().values()
                if actor["ActorClassName"] == "Host" and actor["State"] == "ALIVE"
            ]
            for worker in workers:
                os.kill(worker["Pid"], signal.SIGKILL)


class Heard(logging.Handler):
    """How many errors Ray has logged because nobody asked for them."""

    count = 0

    def emit(self, record: logging.LogRecord) -> None:
        self.count += "Unhandled error" in record.getMessage()


HEARD = Heard()


def die(terms: veilset.Terms) -> bool:
    os.kill(os.getpid(), signal.SIGKILL)
    return True


def blocks(columns: dict[str, Any], count: int) -> Any:
    """A dataset of several blocks."""
    table = pyarrow.table(columns)
    step = max(-(-table.num_rows // count), 1)
    return ray.data.from_arrow([table.slice(n * step, step) for n in range(count)])


def end(task: dict[str, Any], party: veilset.Party) -> dict[str, Any]:
    """What comes of a run."""
    options: Any = {
        "party": party,
        "on": "email",
        "preset": "email",
        "workers": 1,
        **task["options"],
    }
    if task.get("kill"):
        options["progress"] = Killer(task["kill"])
    if task.get("die"):
        options["confirm"] = die
    if task.get("declines"):
        options["confirm"] = lambda terms: False
    if task.get("stops"):
        options["stop"] = stop = veilset.Stop()
        options["progress"] = lambda step, done, total: stop.stop() if done else None
    gc.collect()  # what earlier runs left
    HEARD.count = 0
    data: Any = task.get("file") or blocks(task["columns"], task.get("blocks", 3))
    try:
        result = getattr(veilset.ray, task["operation"])(data, **options)
    except veilset.Error as error:
        return {"error": type(error).__name__, "text": str(error)}
    rows = None if result.table is None else result.table.take_all()
    sums = None if result.sums is None else {name: str(sum_) for name, sum_ in result.sums.items()}
    numbers = {"count": result.count, "matches": result.matches, "sums": sums}
    return {**numbers, "rows": rows, "report": result.report, "unhandled": HEARD.count}


def main() -> None:
    # Ray prints to standard output what becomes of workers.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    party = veilset.Party.load(sys.argv[1])
    ray.init(
        num_cpus=2,
        include_dashboard=False,
        object_store_memory=100_000_000,
        log_to_driver=False,
        logging_level=logging.ERROR,
    )
    logging.getLogger("ray._private.worker").addHandler(HEARD)
    ray.data.DataContext.get_current().enable_progress_bars = False
    print("{}", file=answers, flush=True)
    for line in sys.stdin:
        print(json.dumps(end(json.loads(line), party)), file=answers, flush=True)
    ray.shutdown()


if __name__ == "__main__":
    main()
