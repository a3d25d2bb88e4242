# SPDX-License-Identifier: Apache-2.0
"""soft_kernels.py PROGRAM VARIANTS: runs every test of PROGRAM on devices like those of the rungs of Oclgrind, but with
the kernels compiled, and fails, naming it, if a kernel of the list VARIANTS was never launched."""
import os
import pathlib
import subprocess
import sys
import tempfile

from oclgrind_kernels import missing

# All in local memory, the counts alone there, all in global memory. Groups are as large as on other rungs, of whose
# kernels PoCL keeps what it has compiled.
DEVICES = ["eus=1,threads=3,slm=1048576", "eus=1,threads=3,slm=2048", "eus=1,threads=12,group=64,slm=64"]


def main():
    program, variants = sys.argv[1:]
    tests = subprocess.run([program], check=True, capture_output=True, text=True).stdout.split()
    tests.remove("test_kernels_passes")  # is for one device, that of its own rung
    with tempfile.TemporaryDirectory() as lists:
        for test in tests:
            for i, device in enumerate(DEVICES):
                environment = {**os.environ, "SOFT_GPU": device, "SOFT_GPU_KERNELS": f"{lists}/{test}{i}"}
                status = subprocess.run([program, test], env=environment, check=False).returncode
                if status:
                    return status
        return missing(pathlib.Path(lists), pathlib.Path(variants))


if __name__ == "__main__":
    sys.exit(main())
