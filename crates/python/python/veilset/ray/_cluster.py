"""This side's own Ray cluster: connecting to it, and what its failures are to a run."""

from __future__ import annotations

from typing import Any

import ray
import ray.exceptions

from ..errors import Error, InternalError, NetworkError

#: Seconds that a result which nobody needs is waited for.
PATIENCE = 1.0


def join() -> None:
    """Connects to the cluster that the environment names, or starts one on this machine."""
    if not ray.is_initialized():
        ray.init()


def processors() -> float:
    """How many the cluster has."""
    resources: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
    return resources.get("CPU", 1.0)


def fetch(refs: Any) -> Any:
    """What tasks have come to; their errors as this package's."""
    try:
        return ray.get(refs)
    except ray.exceptions.RayError as error:
        settle(several(refs))
        raise reason(error) from None


def settle(refs: list[Any]) -> None:
    """Takes the results of calls that failed or were ended: Ray logs an error that nobody asked for."""
    for ref in refs:
        try:
            ray.get(ref, timeout=PATIENCE)
        except ray.exceptions.GetTimeoutError:
            return
        except ray.exceptions.RayError:
            continue


def reason(error: Exception) -> Error:
    """Why a task or a worker has no result."""
    cause = getattr(error, "cause", None)
    if isinstance(cause, Error):
        return cause
    if isinstance(error, Error):
        return type(error)(str(error))
    if isinstance(error, ray.exceptions.RayTaskError):
        # Its text may hold data.
        return InternalError(f"a task failed: {type(cause).__name__}")
    kind = type(error).__name__
    return NetworkError(f"this side's Ray cluster lost a task or its data ({kind}): run again")


def several(refs: Any) -> list[Any]:
    """A task's results, of which Ray hands out one alone as itself."""
    return refs if isinstance(refs, list) else [refs]
