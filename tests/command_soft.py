# SPDX-License-Identifier: Apache-2.0
"""The command on the driver of soft_gpu/: what the tests of it share."""
import functools
import os
import re
import tempfile

from command import CommandTest, run

# NAME=VALUE|NAME=VALUE: what puts the soft driver in the place of others.
SOFT = dict(pair.split("=", 1) for pair in os.environ.get("UNIHIST_SOFT_GPU", "").split("|") if pair)

# What would make a run depend on where the tests run.
OTHERS = ("SOFT_GPU", "SOFT_GPU_FAIL", "SOFT_GPU_LOSE", "ONEAPI_DEVICE_SELECTOR", "UNIHIST_LOG", "UNIHIST_CACHE",
          "ZE_ENABLE_NULL_DRIVER", "ZE_ENABLE_VALIDATION_LAYER", "UNIHIST_ISA")

CACHE = tempfile.TemporaryDirectory()


def soft(settings="", **variables):
    """The environment in which the soft driver is the only one. A run that leaks handles or misuses one exits with 99."""
    kept = {name: "" for name in OTHERS}
    return {**kept, **SOFT, "UNIHIST_LEVEL_ZERO": "on", "SOFT_GPU": settings, "SOFT_GPU_LEAKS": "fatal", "XDG_CACHE_HOME": CACHE.name, **variables}


@functools.lru_cache(None)
def why_not():
    """Why the soft driver cannot be used; "" where it can."""
    if not SOFT:
        return "the soft driver is not built"
    if b"level_zero:0" not in run("devices", env=soft()).stdout:
        return "there is no Level Zero loader"
    return ""


class SoftTest(CommandTest):
    def fails(self, *arguments, words=(), code=1, **options):
        return self.refuse(code, words, *arguments[1:], command=arguments[0], **options)

    def calls(self, *arguments, env):
        """The names of the Level Zero calls that a run of the command makes, in order."""
        result = self.succeed(*arguments, env={**env, "UNIHIST_LOG": "trace"})
        found = re.findall(rb"trace: (ze\w+): ZE_RESULT", result.stderr)
        self.assertTrue(found)
        return [name.decode() for name in found]
