# SPDX-License-Identifier: Apache-2.0
"""The C library's log goes through Python's."""
import concurrent.futures
import gc
import logging
import os
import re
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import unihist
from unihist._native import ffi, lib


@pytest.fixture
def attach():
    """Adds functions to the logger, to be called with each record of a level and above."""
    logger, added = logging.getLogger("unihist"), []
    before = logger.level
    logger.setLevel(logging.DEBUG)

    def add(function, level=logging.DEBUG):
        added.append(logging.Handler(level))
        added[-1].emit = function
        logger.addHandler(added[-1])

    yield add
    unihist.capture_log(None)
    for handler in added:
        logger.removeHandler(handler)
    logger.setLevel(before)


@pytest.fixture
def records(attach):
    """The logger's records, complete once the capture has ended."""
    found = []
    attach(found.append)
    return found


def run(script, *arguments, **environment):
    """Runs a script, and returns the ended process."""
    return subprocess.run([sys.executable, "-W", "ignore", "-c", script, *arguments], capture_output=True, text=True,
                          timeout=60, env={**os.environ, **environment})


def fail(number):
    """Logs an error with this number, above 1000."""
    assert lib.uh_enum_from_name(number, b"", ffi.new("unsigned *")) == lib.UH_ERROR_INVALID_ARGUMENT


def work():
    """Logs messages of each level but warnings, for which the library has no simple cause."""
    fail(1000)
    with pytest.raises(ValueError, match="no-such-device"):
        unihist.histogram([1], device="no-such-device")
    unihist._queue.Queue("host", 1)
    unihist.histogram(np.zeros(100_000, "f4"), [0.0, 1.0], device="host", threads=2)


def capture(level, function=work):
    unihist.capture_log(level)
    function()
    unihist.capture_log(None)


def test_levels_are_those_of_logging(records):
    for level, expected in [("DEBUG", {10, 20, 40}), (5, {10, 20, 40}), (logging.INFO, {20, 40}), ("WARNING", {40}),
                            (logging.ERROR, {40}), (logging.CRITICAL, set())]:
        capture(level)
        assert {record.levelno for record in records} == expected
        assert all(record.name == "unihist" for record in records)
        records.clear()
    work()
    assert not records


def test_a_record_has_text_thread_and_time(records):
    begin = time.time()
    thread = threading.Thread(target=work)
    capture("INFO", lambda: thread.start() or thread.join())
    texts = [record.getMessage() for record in records]
    assert any('selector is "no-such-device"' in text for text in texts)
    assert any(text.startswith("queue on host:0 with 1 thread") for text in texts)
    assert all(record.thread == thread.ident and begin <= record.created <= time.time() for record in records)
    assert all(abs(record.created % 1 * 1000 - record.msecs) < 1e-3 for record in records)


def test_the_logger_has_the_last_word(records):
    logging.getLogger("unihist").setLevel(logging.ERROR)
    capture("DEBUG")
    assert {record.levelno for record in records} == {logging.ERROR}


def test_handlers_may_call_the_library_fail_and_collect_garbage(records, attach, monkeypatch):
    raised = []
    monkeypatch.setattr(threading, "excepthook", raised.append)

    def handle(record):
        gc.collect()
        if unihist.histogram([1, 1], [0, 1])[0] == [2]:
            raise ZeroDivisionError

    attach(handle, logging.ERROR)
    capture("INFO")
    capture("INFO")
    assert [failure.exc_type for failure in raised] == [ZeroDivisionError] * 2
    assert sum(record.levelno == logging.ERROR for record in records) == 2


def test_all_threads_messages_arrive_in_their_order(records):
    def fail_often(first):
        for number in range(500):
            fail(first + number)

    firsts = [10_000, 20_000, 30_000, 40_000]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        capture("ERROR", lambda: list(pool.map(fail_often, firsts)))
    numbers = [int(re.search(r"kind is (\d+)", record.getMessage())[1]) for record in records]
    for first in firsts:
        assert [n for n in numbers if n // 10_000 == first // 10_000] == list(range(first, first + 500))


def test_messages_that_come_too_fast_are_counted(records, attach):
    free, number = threading.Event(), 50_000
    attach(lambda record: free.wait(60))
    unihist.capture_log("ERROR")
    for _ in range(number):
        fail(1000)
    free.set()
    deadline = time.monotonic() + 60
    while len(records) < 8000 or len(records) > before:
        before = len(records)
        time.sleep(0.05)
        assert time.monotonic() < deadline
    fail(1000)
    unihist.capture_log(None)
    lost = int(re.match(r"(\d+) messages of the library are lost", records[-2].getMessage())[1])
    assert 0 < lost and len(records) - 2 + lost == number


def test_standard_error_has_it_again_afterwards():
    script = ("import unihist, logging\nlogging.basicConfig(format='python %(message)s')\n"
              "from unihist._native import ffi, lib\n"
              "def fail(number): lib.uh_enum_from_name(number, b'', ffi.new('unsigned *'))\n"
              "fail(1001)\nunihist.capture_log('ERROR')\nfail(1002)\nunihist.capture_log(None)\nfail(1003)\n")
    done = run(script, UNIHIST_LOG="error")
    lines = done.stderr.splitlines()
    assert [line.split(":")[0] for line in lines] == ["unihist", "python uh_enum_from_name", "unihist"], done.stderr
    assert all(name in line for name, line in zip(["1001", "1002", "1003"], lines))


ENDS = """
import logging, os, sys, threading, unihist
from unihist._native import ffi, lib
logging.basicConfig(level=logging.DEBUG, format="%(message)s")
unihist.capture_log("DEBUG")
def work(times):
    for _ in range(times):
        lib.uh_enum_from_name(1000, b"", ffi.new("unsigned *"))
for _ in range(2):
    threading.Thread(target=work, args=(10**9,), daemon=True).start()
work(100)
if sys.argv[1] == "fork":
    for _ in range(5):
        pid = os.fork()
        if pid == 0:
            work(10)
            unihist.capture_log(None)
            os._exit(7)
        assert os.waitpid(pid, 0)[1] == 7 << 8
print("ended", flush=True)
"""


@pytest.mark.parametrize("how", ["end", "fork"])
@pytest.mark.parametrize("times", range(3))
def test_an_interpreter_ends_and_forks_while_threads_log(how, times):
    done = run(ENDS, how)
    assert done.returncode == 0 and done.stdout.startswith("ended")


def test_a_fork_waits_for_the_handler_at_work():
    """A lock such as that of a stream, if held at that moment, would never be free in the child."""
    handler = ("class Slow(logging.Handler):\n    lock_of_a_stream = threading.Lock()\n    def emit(self, record):\n"
               "        import time\n        with self.lock_of_a_stream:\n            time.sleep(0.002)\n"
               "logging.getLogger().handlers[:] = [Slow()]\n")
    script = ENDS.replace('unihist.capture_log("DEBUG")', handler + 'unihist.capture_log("ERROR")') + "os._exit(0)\n"
    done = run(script, "fork")
    assert done.stdout == "ended\n", done.stderr


def test_a_forked_process_logs_by_a_thread_of_its_own():
    script = ENDS.replace("range(2)", "range(0)").replace("range(5)", "range(1)").replace(
        "work(100)", "").replace('format="%(message)s"', 'format=f"%(process)d"')
    script = script.replace('capture_log("DEBUG")', 'capture_log("ERROR")').replace(
        "work(10)", "print(os.getpid(), flush=True); work(10)")
    done = run(script, "fork")
    child = done.stdout.split()[0]
    assert done.stderr.split() == [child] * 10 and done.stdout.split()[1:] == ["ended"]
