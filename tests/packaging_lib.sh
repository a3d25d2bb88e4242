# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by packaging_*.sh: a scratch folder that goes away, and steps that are quiet unless they fail.
: "${CMAKE:=cmake}" "${CC:=cc}" "${CXX:=c++}" "${GENERATOR:=Ninja}"
export CC CXX CMAKE_GENERATOR=$GENERATOR # where CMake takes them from
tests=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck disable=SC2034 # for the scripts
root=$(dirname "$tests")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

skip() { echo "skipped: $*" && exit 77; }
fail() { echo "FAILED: $*" && exit 1; }

# step NAME COMMAND...: runs it; its output is in $scratch/log, and shown when it fails.
step() {
    local name=$1
    shift
    if ! "$@" >"$scratch/log" 2>&1; then
        cat "$scratch/log"
        fail "$name"
    fi
    echo "ok: $name"
}

# refused NAME TEXT COMMAND...: the command fails, and its output, taken as one line, holds the text.
refused() {
    local name=$1 text=$2
    shift 2
    if "$@" >"$scratch/log" 2>&1; then
        fail "$name: was not refused"
    fi
    log_holds "$text" || fail "$name: the output above does not say '$text'"
    echo "ok: $name"
}

# log_holds TEXT: whether the last step's output holds it, however CMake has broken the line; else shows the output.
log_holds() { tr -s '[:space:]' ' ' <"$scratch/log" | grep -F -- "$1" >/dev/null || { cat "$scratch/log" && return 1; }; }
