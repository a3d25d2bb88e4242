# SPDX-License-Identifier: Apache-2.0
"""soft_kernels.py PROGRAM VARIANTS: runs every test of PROGRAM on the devices of the rungs of Oclgrind, but with the
kernels compiled, and fails, naming it, if a kernel of the list VARIANTS was never launched."""
import os
import pathlib
import subprocess
import sys
import tempfile

from oclgrind_kernels import missing

# All in local memory, the counts alone there, all in global memory.
DEVICES = [f"eus=1,threads=3,group=16,slm={slm}" for slm in (1 << 20, 2048, 64)]


def main():
    program, variants = sys.argv[1:]
    tests = subprocess.run([program], check=True, capture_output=True, text=True).stdout.split()
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
