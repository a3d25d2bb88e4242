# SPDX-License-Identifier: Apache-2.0
"""How much hypothesis tries, less in a coarse run, as those of toolchain/test are; and Ctrl-C."""
import gc
import os
import signal
import threading
import time

import hypothesis
import pytest

examples = 40 if "UNIHIST_TEST_COARSE" in os.environ else 400
hypothesis.settings.register_profile("unihist", max_examples=examples, deadline=None, derandomize=True, database=None,
                                     suppress_health_check=list(hypothesis.HealthCheck))
hypothesis.settings.load_profile("unihist")


@pytest.fixture
def interrupted():
    """A function that makes a call and returns its CPU seconds after Ctrl-C, which comes after 0.3 of them. Python loses
    an exception that it raises in a finalizer, and garbage of other tests may have some: it is not collected here."""
    def run(call):
        begin, at = time.process_time(), []

        def press():
            while time.process_time() < begin + 0.3:
                time.sleep(0.01)
            at.append(time.process_time())
            os.kill(os.getpid(), signal.SIGINT)

        before = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored if the tests run in the background
        thread = threading.Thread(target=press)
        thread.start()
        gc.disable()
        try:
            with pytest.raises(KeyboardInterrupt):
                call()
            thread.join()
        finally:
            gc.enable()
            signal.signal(signal.SIGINT, before)
        return time.process_time() - at[0]

    return run
