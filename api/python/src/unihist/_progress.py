# SPDX-License-Identifier: Apache-2.0
"""Long work in pieces: progress is reported after each, and Ctrl-C ends the work between them."""
from __future__ import annotations

import contextlib
import importlib
import logging
import time
from collections.abc import Callable, Iterator
from typing import Any, Optional, Union

from ._native import ffi

Progress = Union[bool, Callable[[int, int], object]]

STRIDE = 1 << 24  # elements of a piece: some ten milliseconds of work
LOG = logging.getLogger("unihist")


def _bar(what: str, total: int) -> Any:
    try:
        return importlib.import_module("tqdm.auto").tqdm(total=total, desc=what, unit_scale=True)
    except ImportError:
        return None


@contextlib.contextmanager
def progress_of(progress: Progress, what: str, total: int) -> Iterator[Callable[[int], None]]:
    """A function to be called with the number of elements completed since its last call."""
    done, begin = 0, time.perf_counter()
    bar = _bar(what, total) if progress is True else None

    def advance(more: int) -> None:
        nonlocal done
        done += more
        if bar is not None:
            bar.update(more)
        elif progress is True:
            LOG.info("%s: %d of %d", what, done, total)
        elif progress:
            progress(done, total)

    try:
        yield advance
        if LOG.isEnabledFor(logging.DEBUG):
            LOG.debug("%s: %d in %.3g s", what, done, time.perf_counter() - begin)
    finally:
        if bar is not None:
            bar.close()


def spans(size: int) -> Iterator[slice]:
    """The pieces of this number of elements."""
    return (slice(at, min(at + STRIDE, size)) for at in range(0, size, STRIDE))


class Watch:
    """Receives reports from C. An exception that a report raises, Ctrl-C for example, ends the work and is raised again
    at the end of the block."""

    def __init__(self, report: Callable[[Any, int], object] = lambda done, total: None) -> None:
        self.report = report
        self.raised: Optional[BaseException] = None
        self.handle = ffi.new_handle(self)

    def called(self, done: Any, total: int) -> int:
        """Returns 0, to continue; after an exception 1, because others may still report."""
        if self.raised is None:
            self.report(done, total)
        return int(self.raised is not None)

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *error: object) -> None:
        if self.raised is not None:
            raise self.raised


def keep_raised(kind: object, raised: BaseException, traceback: Any) -> None:
    """For `onerror` of a callback whose `context` is the handle of an object: stores the exception there. Ctrl-C may be
    raised anywhere, also before a `try`."""
    ffi.from_handle(traceback.tb_frame.f_locals["context"]).raised = raised


@ffi.def_extern(error=1, onerror=keep_raised)  # type: ignore[untyped-decorator]
def uhpy_progress(done: int, total: int, context: Any) -> int:
    return ffi.from_handle(context).called(done, total)  # type: ignore[no-any-return]


@ffi.def_extern(error=1, onerror=keep_raised)  # type: ignore[untyped-decorator]
def uhpy_report(iteration: Any, context: Any) -> int:
    return ffi.from_handle(context).called(iteration, 0)  # type: ignore[no-any-return]
