"""Requests: calls that a program begins in one place and ends in another."""

from __future__ import annotations

from typing import Any, Dict, List, Sequence

from ._error import Error

#: Buffers of calls that have not ended, also when the program has dropped their requests.
_kept: Dict[int, Any] = {}


class Request:
    """A call on its way (Igather ...), or one that can be started again and again (Gather_init ...).

    It keeps its buffers alive until it has ended, or is freed if it is persistent.
    """

    def __init__(self, handle: int, keep: Any, persistent: bool) -> None:
        self._handle, self._persistent = handle, persistent
        _kept[handle] = keep

    def __bool__(self) -> bool:
        """Whether there is a call: false after Wait, or Free."""
        return self._handle != 0

    def _live(self) -> int:
        if not self._handle:
            raise Error("the request has ended or is freed, begin another call")
        return self._handle

    def _ended(self) -> None:
        if not self._persistent:
            _kept.pop(self._handle, None)
            self._handle = 0

    def Wait(self) -> None:
        """Waits until the call has ended here; at once if it has."""
        from . import _calls

        if self._handle:
            _calls.wait(self._handle)
            self._ended()

    def Test(self) -> bool:
        """Whether the call has ended here or is not active. Never waits."""
        from . import _calls

        if not self._handle:
            return True
        if not _calls.test(self._handle):
            return False
        self._ended()
        return True

    def Parts(self, parts: int) -> None:
        """Cuts the send buffer of a persistent call into so many parts for Pready, from the next start on."""
        from . import _calls

        _calls.request_parts(self._live(), parts)

    def Start(self) -> None:
        """Hands over the receive buffer of a persistent call."""
        from . import _calls

        _calls.start(self._live())

    def Pready(self, part: int) -> None:
        """Hands over one finished part of the send buffer, from 0."""
        from . import _calls

        _calls.pready(self._live(), part)

    def Ready(self) -> None:
        """Hands over the send buffer, or what is left of it: the process has arrived."""
        from . import _calls

        _calls.ready(self._live())

    def Free(self) -> None:
        """Frees a persistent request. Collective."""
        from . import _calls

        handle = self._live()
        _calls.request_free(handle)
        _kept.pop(handle, None)
        self._handle = 0

    @staticmethod
    def _take(requests: Sequence[Request], handles: List[int]) -> None:
        for request, handle in zip(requests, handles):
            if request._handle and not handle:
                request._ended()

    @staticmethod
    def Waitall(requests: Sequence[Request]) -> None:
        """Wait for all of them."""
        from . import _calls

        Request._take(requests, _calls.waitall([request._handle for request in requests]))

    @staticmethod
    def Testall(requests: Sequence[Request]) -> bool:
        """Whether all have ended or are not active; else none is changed. Never waits."""
        from . import _calls

        flag, handles = _calls.testall([request._handle for request in requests])
        Request._take(requests, handles)
        return flag

    @staticmethod
    def Waitany(requests: Sequence[Request]) -> int:
        """Waits until one of those that are active has ended, and says which; -1: none is active."""
        from . import _calls

        index, handles = _calls.waitany([request._handle for request in requests])
        Request._take(requests, handles)
        return index

    @staticmethod
    def Testany(requests: Sequence[Request]) -> tuple[bool, int]:
        """(True, which) if one has ended, (True, -1) if none is active, else (False, -1). Never waits."""
        from . import _calls

        flag, index, handles = _calls.testany([request._handle for request in requests])
        Request._take(requests, handles)
        return flag, index
