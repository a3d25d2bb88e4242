#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# packaging_exports.sh LIBRARY HEADERS MAJOR NEEDED: the shared library exports what the headers mark with UH_API and
# nothing else, under version UNIHIST_MAJOR; its SONAME is its name with MAJOR; it needs only what NEEDED, a regular
# expression, and the C library are. No function that the headers declare has more than six parameters.
set -euo pipefail
library=$1 headers=$2 major=$3 needed=$4
source "$(dirname "${BASH_SOURCE[0]}")/packaging_lib.sh"
name=$(basename "$library" | sed 's/\.so.*//').so

# The declared names: each UH_API declaration, joined to one line, up to its first parenthesis.
cat "$headers"/*.h | sed -e 's:/\*.*\*/::' -e '/^ *\*/d' -e '/^ *#/d' | tr '\n' ' ' | grep -o 'UH_API [^;]*;' \
    >"$scratch/declarations"
grep -o '^[^(]*(' "$scratch/declarations" |
    grep -o 'uh_[a-z0-9_]*($\|uh_[a-z0-9_]* *($' | tr -d ' (' | sort >"$scratch/declared"
marks=$(grep -hc '^UH_API ' "$headers"/*.h | awk '{ sum += $1 } END { print sum }')
declared=$(wc -l <"$scratch/declared")
((declared == marks && marks >= 3)) || fail "read $declared names from $marks UH_API marks in $headers"
[ -z "$(uniq -d "$scratch/declared")" ] || fail "declared twice: $(uniq -d "$scratch/declared" | tr '\n' ' ')"
! grep -E '(,[^,]*){6}' "$scratch/declarations" || fail "above: more than six parameters"

nm --dynamic --defined-only --with-symbol-versions "$library" | awk '$2 != "A" { print $3 }' | sort >"$scratch/symbols"
sed 's/@.*//' "$scratch/symbols" | sort >"$scratch/exported"
diff "$scratch/declared" "$scratch/exported" ||
    fail "above: '<' is declared in the headers but not exported, '>' is exported but not declared"
! grep -v "@@UNIHIST_$major\$" "$scratch/symbols" || fail "above: symbols without version UNIHIST_$major"

readelf -dW "$library" >"$scratch/dynamic"
soname=$(sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p' "$scratch/dynamic")
[ "$soname" = "$name.$major" ] || fail "SONAME is '$soname', expected $name.$major"
! sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' "$scratch/dynamic" |
    grep -vE "^(lib($needed|m\.so\.6|c\.so\.6|pthread\.so\.0)|ld-linux-x86-64\.so\.2)\$" ||
    fail "above: libraries that $name should not need"
echo "$declared symbols exported, $marks declared"
