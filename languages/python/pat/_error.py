"""What PAT raises."""

from __future__ import annotations

from typing import Optional


class Error(RuntimeError):
    """PAT refuses something: one sentence that names the thing and the remedy.

    ``code`` is the MPI error code, for ``MPI.Get_error_class(code)``; None where MPI has no part in it.
    """

    def __init__(self, sentence: str, code: Optional[int] = None) -> None:
        super().__init__(sentence)
        self.code = code
