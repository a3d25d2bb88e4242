# SPDX-License-Identifier: Apache-2.0
"""Passes the C library's log to Python's logging. A thread that logs writes into a pipe (native.c) without waiting for
Python; a thread of Python reads it, so that handlers may do anything."""
from __future__ import annotations

import atexit
import logging
import os
import sys
import threading
from typing import Any, Optional, Union

from ._native import ffi, lib
from ._progress import LOG
from ._status import check

LEVELS = {lib.UH_LOG_ERROR: logging.ERROR, lib.UH_LOG_WARN: logging.WARNING, lib.UH_LOG_INFO: logging.INFO,
          lib.UH_LOG_TRACE: logging.DEBUG}


def capture_log(level: Union[None, int, str] = logging.INFO) -> None:
    """
    Passes the C library's log to the logger "unihist", as `logging.captureWarnings` does with warnings.

    Parameters
    ----------
    level : int or str, optional
        The minimum level of `logging`: ERROR has failed calls, which are also raised; WARNING fallbacks; INFO devices,
        queues and modules; DEBUG each submission and each call of Level Zero, with its time. None ends the capture,
        once all messages have been passed.

    Notes
    -----
    During a capture the library does not log to standard error (`UNIHIST_LOG`). A separate thread calls the handlers,
    with the time and thread of the message. Messages that come faster than handlers take them are counted.
    A fork waits until no handler is running; the forked process captures with its own thread.

    Examples
    --------
    >>> import logging
    >>> import unihist
    >>> logging.basicConfig(level=logging.INFO)
    >>> unihist.capture_log("INFO")
    >>> unihist.histogram([1, 2, 1], [1, 2, 3], device="host")[0]
    array([2, 1])
    >>> unihist.capture_log(None)
    """
    number = logging.getLevelName(level) if isinstance(level, str) else level
    if not isinstance(number, (int, type(None))):
        raise ValueError(f"level is {level!r}, expected one of logging's")
    with _capture.lock:
        if number is None:
            _capture.end()
        else:
            _capture.begin(max((of_c for of_c, of_python in LEVELS.items() if of_python >= number),
                               default=lib.UH_LOG_OFF))


class _Capture:
    """The thread that passes messages to handlers, during a capture."""

    PATIENCE = 10.0  # seconds that a fork waits for a handler, which may be waiting for the forking thread

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.thread: Optional[threading.Thread] = None
        self.gate, self.busy = threading.Lock(), threading.Lock()
        self.held: list[threading.Lock] = []

    def pass_on(self, message: Any) -> None:
        with self.gate:  # a waiting fork goes first
            pass
        with self.busy:
            _pass_on(message)

    def before_fork(self) -> None:
        """Waits until no handler is running: a lock that it holds, such as that of a stream, would never be free in the
        child."""
        if self.thread not in (None, threading.current_thread()):
            self.held = [lock for lock in (self.gate, self.busy) if lock.acquire(timeout=self.PATIENCE)]

    def after_fork(self) -> None:
        if threading.current_thread() is not self.thread:
            while self.held:
                self.held.pop().release()

    def begin(self, level: Any) -> None:
        check(lib.uhpy_log_begin(level))
        if self.thread is None:
            self._start()

    def _start(self) -> None:
        self.thread = threading.Thread(target=_pass_all, name="unihist-log", daemon=True)
        self.thread.start()

    def end(self) -> None:
        if self.thread is not None:
            lib.uhpy_log_end()
            self.thread.join()
            self.thread = None

    def forked(self) -> None:
        self.lock, self.gate, self.busy = threading.Lock(), threading.Lock(), threading.Lock()
        self.held = []
        if self.thread is not None:
            self._start()


def _pass_all() -> None:
    while (message := lib.uhpy_log_take()) != ffi.NULL:
        try:
            _capture.pass_on(message)
        except Exception:  # raised by a handler; the next message may succeed
            threading.excepthook(threading.ExceptHookArgs((*sys.exc_info(), threading.current_thread())))
        finally:
            lib.uhpy_log_drop(message)


def _pass_on(message: Any) -> None:
    if message.lost:
        LOG.warning("%d messages of the library are lost: they came faster than handlers took them", message.lost)
    level = LEVELS[message.level]
    if not LOG.isEnabledFor(level):
        return
    text = ffi.string(message.text).decode(errors="replace")
    record = LOG.makeRecord(LOG.name, level, "unihist", 0, text, (), None)
    later = record.created - message.time
    record.created, record.relativeCreated = message.time, record.relativeCreated - 1000 * later
    record.msecs = message.time % 1 * 1000
    record.thread = message.thread
    record.threadName = next((thread.name for thread in threading.enumerate() if thread.ident == message.thread), "")
    LOG.handle(record)


_capture = _Capture()
os.register_at_fork(before=_capture.before_fork, after_in_parent=_capture.after_fork, after_in_child=_capture.forked)
atexit.register(capture_log, None)  # the thread ends before the interpreter does
