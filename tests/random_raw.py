# SPDX-License-Identifier: Apache-2.0
"""Writes the library's random numbers to standard output without end, as raw words of 32 bits, for programs that judge
generators (dieharder -g 200). Of a float the bits that are random are written, one after the other: 24 of a float32, 53
of a float64. With --across-seeds N, number i is element i div N of seed S + i mod N; streams alike."""
import argparse
import sys

from library import DTYPES, QUEUE, Stream, call, np

BLOCK = 1 << 16
KINDS = {"u32": ("u4", 32), "u64": ("u8", 64), "f32": ("f4", 24), "f64": ("f8", 53)}  # types, and random bits
GENERATORS = ["philox4x32", "philox4x64"]  # uh_generator


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("--generator", choices=GENERATORS, default=GENERATORS[0])
    for name, default in (("--seed", 0), ("--stream", 0), ("--across-seeds", 1), ("--across-streams", 1)):
        parser.add_argument(name, type=int, default=default)
    return parser.parse_args()


def main():
    source = read_arguments()
    dtype, bits = KINDS[source.kind]
    sources = [(source.seed + seed, source.stream + stream)
               for stream in range(source.across_streams) for seed in range(source.across_seeds)]
    made = np.empty((len(sources), BLOCK), dtype)
    for offset in range(0, 2**63, BLOCK):
        for row, (seed, stream) in zip(made, sources):
            call("uh_random", QUEUE, Stream(GENERATORS.index(source.generator), seed, stream, offset), 0,
                 DTYPES[row.dtype], row, BLOCK)
        numbers = made.T.ravel()
        if dtype[0] == "f":
            octets = np.ldexp(numbers, bits).astype("<u8").view("u1").reshape(-1, 8)
            numbers = np.packbits(np.unpackbits(octets, axis=1, bitorder="little")[:, :bits], bitorder="little")
        sys.stdout.buffer.write(numbers.tobytes())


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:  # the reader has had enough
        sys.stderr.close()
