# SPDX-License-Identifier: Apache-2.0
# awk -v command=NAME -f man.awk file=1 options.mdoc file=2 HELP file=3 PAGE: the manual page of a command, PAGE with its
# marked lines filled in. HELP is the output of `unihist NAME --help`, from the options' table: the command's purpose and
# its options with their order, letters and values; for `unihist` itself, the commands. The text of an option is that of
# options.mdoc or, if missing there, of the table.
#
# In all texts a macro in braces may be within a line, followed by punctuation; {--NAME} is an option:
#   {Cm auto}, the default, is what {--method} takes
# In PAGE:
#   $ COMMAND                 an example, a separate block
#   .\" page DATE             the head of a command's page, up to its description
#   .\" commands              the list of the commands
#   .\" options             the list of the options, followed by the shared sections, the text `exit`
#   .\" options FIRST LAST  the list of the options from FIRST to LAST
#   .\" text NAME             the text of that name
# In options.mdoc a text follows a line with its name:
#   @ NAME             a text for `.\" text NAME`
#   @ --OPTION         the text of an option in all pages
#   @ COMMAND --OPTION  the same in one page instead
#   @+ ...             the same, but appended to the text from the table

function fail(why) {
    print "man.awk: " why > "/dev/stderr"
    exit 1
}

# A line with each macro in braces on a line of its own, as mdoc wants it.
function expand(line,    out, mark, before, after) {
    while (match(line, /[{](--|[A-Z][a-z] )[^}]*[}][.,:;)?!]*/)) {
        before = substr(line, 1, RSTART - 1)
        mark = substr(line, RSTART + 1, RLENGTH - 1)
        line = substr(line, RSTART + RLENGTH)
        if (before ~ /[^ ]$/ || line ~ /^[^ ]/) fail("no blank next to {" mark)
        after = substr(mark, index(mark, "}") + 1)
        mark = substr(mark, 1, index(mark, "}") - 1)
        sub(/^--/, "Fl Fl ", mark)
        gsub(/./, " &", after)
        sub(/ $/, "\n", before)
        sub(/^ /, "", line)
        out = out before "." mark after "\n"
    }
    if (line ~ /[{](--|[A-Z][a-z] )/) fail("no } after " line)
    return line == "" && out != "" ? out : out line "\n"
}

file == 1 && /^@/ {
    key = $0
    sub(/^@\+? /, "", key)
    if (/^@\+/) key = "+ " key
    said[key] = ""
    next
}
file == 1 && key != "" { said[key] = said[key] expand($0) }

# The usage, and below it what the command does.
file == 2 && FNR == 1 { operands = $5 }
file == 2 && FNR == 3 { summary = tolower(substr($0, 1, 1)) substr($0, 2, length($0) - 2) }
file == 2 && $0 == "Commands:" { naming = 1; next }
file == 2 && $0 == "" { naming = 0 }
file == 2 && naming {
    names[++commands] = $1
    does[$1] = $0
    sub(/^  [a-z]+ +(CMD +)?/, "", does[$1])
}

# The help's list of options: what is said stands in column 26, in the option's own line or below.
file == 2 && $0 == "Options:" { listing = 1; next }
file == 2 && $0 == "" { listing = 0 }
file == 2 && listing && /^  (-., |    )--/ {
    name = $1 ~ /^--/ ? $1 : $2
    choice = name ~ /\[=/ ? substr(name, index(name, "[=") + 2) : ""
    sub(/\[=.*/, "", name)
    order[++options] = name
    letter[name] = $1 ~ /^--/ ? "" : substr($1, 2, 1)
    left = $0
    sub(/^  (-., |    )--[a-z0-9-]+/, "", left)
    value[name] = left ~ /^ [A-Z]/ ? $(letter[name] == "" ? 2 : 3) : ""
    chosen[name] = substr(choice, 1, length(choice) - 1)
}
file == 2 && listing && length($0) >= 26 && substr($0, 25, 1) == " " && substr($0, 27) != "" {
    help[name] = help[name] (help[name] == "" ? "" : " ") substr($0, 27)
}

# The value's names as arguments: N|NAME, LO,HI, BINS,...
function arguments(names) {
    if (names == "") return ""
    names = tolower(names)
    gsub(/,\.\.\./, " Ns Op , Ns ...", names)
    gsub(/\|/, " Ns | Ns Ar ", names)
    gsub(/,[a-z]/, " , Ns Ar &", names)
    gsub(/Ar ,/, "Ar ", names)
    return " Ar " names
}

# A value's name in italics, wherever it stands as a word.
function italic(text, name,    out, at, before) {
    while ((at = index(text, name)) > 0) {
        out = out substr(text, 1, at - 1)
        before = substr(out, length(out))
        text = substr(text, at + length(name))
        out = out (before text ~ /^[A-Za-z]/ || text ~ /^[A-Za-z]/ ? name : "\\fI" tolower(name) "\\fP")
    }
    return out text
}

# What the help says, as a sentence.
function sentence(name,    text, names, n, i) {
    text = toupper(substr(help[name], 1, 1)) substr(help[name], 2) "."
    gsub(/\\/, "\\e", text)
    n = split(value[name], names, /[|,.]+/)
    for (i = 1; i <= n; i++)
        if (names[i] != "") text = italic(text, names[i])
    return text "\n"
}

function item(name,    own) {
    own = command " " name
    printf ".It %sFl Fl %s%s\n", letter[name] == "" ? "" : "Fl " letter[name] " , ", substr(name, 3),
        chosen[name] == "" ? arguments(value[name]) : " Ns Op = Ns Cm " chosen[name]
    printf "%s", own in said ? said[own] : name in said ? said[name] : sentence(name)
    if ("+ " own in said) printf "%s", said["+ " own]
    else if ("+ " name in said && !(own in said)) printf "%s", said["+ " name]
}

file == 3 && /^\$ / { print (shown ? "" : ".Pp\n") ".Dl " $0; shown = 1; next }
file == 3 && shown { if (!/^\./) print ".Pp"; shown = 0 }
file == 3 && /^\.\\" page / {
    printf ".Dd %s\n.Dt UNIHIST-%s 1\n.Os\n.Sh NAME\n.Nm unihist-%s\n.Nd %s\n.Sh SYNOPSIS\n.Nm unihist %s\n.Op Ar options\n",
        substr($0, 10), toupper(command), command, summary, command
    sub(/\.\.\./, " ...", operands)
    if (operands != "") print ".Ar " tolower(operands)
    printf ".Sh DESCRIPTION\n.Nm unihist %s\n", command
    next
}
file == 3 && /^\.\\" commands/ {
    print ".Bl -tag -width histogram"
    for (i = 1; i <= commands; i++) {
        printf ".It Cm %s\n%s.\n", names[i], does[names[i]]
        if (names[i] != "help") printf "See\n.Xr unihist-%s 1 .\n", names[i]
    }
    print ".El"
    next
}
file == 3 && /^\.\\" options/ {
    on = NF == 2
    printf "%s.Bl -tag -width Ds\n", on ? ".Pp\nThe options are:\n" : ""
    for (i = 1; i <= options; i++) {
        on = on || order[i] == $3
        if (on) item(order[i])
        if (NF > 2 && order[i] == $4) on = 0
    }
    printf ".El\n%s", NF == 2 ? said["exit"] : ""
    next
}
file == 3 && /^\.\\" text / {
    if (!($3 in said)) fail("there is no text " $3)
    printf "%s", said[$3]
    next
}
file == 3 { printf "%s", expand($0) }
