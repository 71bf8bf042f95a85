"""Why there is no result: one class for each exit code of the command line."""

from typing import ClassVar


class Error(Exception):
    """The base of all errors of this package."""

    exit_code: ClassVar[int]


class InputError(Error):
    """This side's table or arguments are wrong."""

    exit_code = 2


class TermsError(Error):
    """The two parties do not agree on the terms."""

    exit_code = 3


class NetworkError(Error):
    """The network failed, a deadline passed, or the run was stopped."""

    exit_code = 4


class PeerError(Error):
    """The peer broke the protocol."""

    exit_code = 5


class PolicyError(Error):
    """Somebody refused: the terms were declined, the run would take too much memory, or a key is not the pinned one."""

    exit_code = 6


class InternalError(Error):
    """A bug in this package."""

    exit_code = 70


BY_EXIT_CODE: dict[int, type[Error]] = {
    kind.exit_code: kind
    for kind in (InputError, TermsError, NetworkError, PeerError, PolicyError, InternalError)
}
