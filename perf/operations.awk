# SPDX-License-Identifier: Apache-2.0
# awk -f operations.awk HELP: what `unihist-perf ... --help` says of each operation, as a list for the manual: the text
# "operations" of man.awk.
FNR == 1 { print "@ operations\n.Bl -tag -width histogramdd"; next }
/^LISTs/ { print ".El"; exit }
/^[a-z]+: / {
    print ".It Cm " substr($1, 1, length($1) - 1)
    sub(/^[a-z]+: /, "")
}
{
    gsub(/[.] /, ".\n")
    print
}
