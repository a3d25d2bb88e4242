# SPDX-License-Identifier: Apache-2.0
# Completion of the unihist command in bash. Commands, options and values are those that the command itself tells:
# see `help --completion` in unihist(1).

# Adds to COMPREPLY the files that $2 begins, and the folders on the way to them, each behind $1. $3...: patterns.
_unihist_files() {
    local before=$1 begun=$2 file pattern
    shift 2
    compopt -o filenames 2>/dev/null
    while IFS= read -r file; do
        for pattern in "$@"; do
            # shellcheck disable=SC2053  # a pattern, meant to match as one
            if [[ -d $file || $file == $pattern ]]; then
                COMPREPLY+=("$before$file")
                break
            fi
        done
    done < <(compgen -f -- "$begun")
}

# Adds to COMPREPLY what $2 may become; $1: what the command says of the values; $3: the command.
_unihist_values() {
    local before='' begun=$2 word words patterns=()
    if [[ $1 == ,* && $begun == *,* ]]; then
        before=${begun%,*},
        begun=${begun##*,}
    fi
    read -r -a words <<<"${1#,}"
    for word in "${words[@]}"; do
        if [[ $word == @devices ]]; then
            mapfile -t words < <("$3" devices 2>/dev/null | sed -n 's/^\([^ ]*\) .*/\1/p')
            mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -P "$before" -W "${words[*]}" -- "$begun")
        elif [[ $word == *:\** && $begun == "${word%%\**}"* ]]; then
            _unihist_files "$before${word%%\**}" "${begun#*:}" "${word#*:}"
        elif [[ $word == *:\** || $word != *\** ]]; then
            word=${word%%\**}
            [[ $word != "$begun"* ]] || COMPREPLY+=("$before$word")
        else
            patterns+=("$word")
        fi
    done
    ((${#patterns[@]} == 0)) || _unihist_files "$before" "$begun" "${patterns[@]}"
    [[ ${COMPREPLY[0]:-} != *: ]] || compopt -o nospace 2>/dev/null
}

# The colon of log:N and host:0 divides words for readline: gives back what comes after it.
_unihist_after_colon() {
    local i prefix
    [[ $1 == *:* && $COMP_WORDBREAKS == *:* ]] || return 0
    prefix=${1%"${1##*:}"}
    for i in "${!COMPREPLY[@]}"; do
        COMPREPLY[i]=${COMPREPLY[i]#"$prefix"}
    done
}

_unihist() {
    local line current previous command program words name letter option values attached='' taken='' operands=-
    local commands=() options=()
    # The words as the shell sees them, not as readline divides them at colons and equal signs.
    line=${COMP_LINE:0:COMP_POINT}
    current=${line##*[[:space:]]}
    read -r -a words <<<"${line%"$current"}"
    previous=${words[-1]}
    command=${words[1]:--}
    program=${words[0]/#\~/$HOME}
    [[ -n $(type -P "$program") ]] || program=unihist
    COMPREPLY=()
    while IFS=$'\t' read -r name letter option values _; do
        if [[ $option == - ]]; then
            commands+=("$name")
            [[ $name != "$command" ]] || operands=$values
        elif [[ $name == "$command" ]]; then
            options+=("$option")
            [[ $values != =* || ($previous != "$option" && $previous != "$letter") ]] || taken=$values
            [[ $values != =* || $current != "$option="* ]] || attached=$values
        fi
    done < <("$program" help --completion 2>/dev/null)
    if ((${#commands[@]} == 0)); then
        _unihist_files '' "$current" '*'
    elif [[ $attached ]]; then
        current=${current#*=}
        _unihist_values "${attached#=}" "$current" "$program"
    elif [[ $taken ]]; then
        _unihist_values "${taken#=}" "$current" "$program"
    elif [[ $command == - ]]; then
        _unihist_values "${commands[*]} ${options[*]}" "$current" "$program"
    elif [[ $current == -* ]]; then
        _unihist_values "${options[*]}" "$current" "$program"
    elif [[ $operands == @commands ]]; then
        unset 'commands[-1]'
        _unihist_values "${commands[*]}" "$current" "$program"
    elif [[ $operands != - ]]; then
        _unihist_values "$operands" "$current" "$program"
    fi
    _unihist_after_colon "$current"
}

complete -F _unihist unihist
