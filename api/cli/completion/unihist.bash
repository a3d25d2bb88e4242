# SPDX-License-Identifier: Apache-2.0
# Completion of the unihist command in bash.

# Sets COMPREPLY to the files that $1 begins, and to the folders on the way to them. $2: a pattern for their names.
_unihist_files() {
    local file pattern=${2:-*}
    COMPREPLY=()
    compopt -o filenames 2>/dev/null
    while IFS= read -r file; do
        # shellcheck disable=SC2053  # a pattern, meant to match as one
        if [[ -d $file || $file == $pattern ]]; then
            COMPREPLY+=("$file")
        fi
    done < <(compgen -f -- "$1")
}

# Sets COMPREPLY to those of the words after $1 that it begins.
_unihist_words() {
    local current=$1
    shift
    mapfile -t COMPREPLY < <(compgen -W "$*" -- "$current")
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

# Sets COMPREPLY to the values of option $1 that $2 begins; fails where it is none that takes a value. $3: the command.
_unihist_value() {
    case $1 in
    --edges | -e | --weights | -w | --sample) _unihist_files "$2" ;;
    --bins | -b) _unihist_words "$2" log: quantile: sqrt rice sturges doane scott fd stone auto
        [[ ${COMPREPLY[0]:-} != *: ]] || compopt -o nospace 2>/dev/null || true ;;
    --dtype | -t | --vtype) _unihist_words "$2" f32 f64 i8 i16 i32 i64 u8 u16 u32 u64 ;;
    --method | -m) _unihist_words "$2" auto mesh binary uniform logarithm piecewise compare packed ;;
    --device | -d) _unihist_words "$2" auto cpu gpu "$(unihist devices 2>/dev/null | sed -n 's/^\([^ ]*\) .*/\1/p')" ;;
    --output | -o)
        if [[ $3 == digitize ]]; then
            _unihist_files "$2" '*.@(npy|csv|txt)'
        else
            _unihist_files "$2" '*.@(npy|csv|json|uh)'
        fi ;;
    --storage) _unihist_words "$2" count sum weighted mean u8 u16 ;;
    --colour) _unihist_words "$2" auto linear log ;;
    --plot | -p) _unihist_files "$2" '*.@(png|svg)' ;;
    --range | -r | --column | --columns | -c | --row | --leaf | --threads | -j) COMPREPLY=() ;;
    *) return 1 ;;
    esac
}

_unihist() {
    local line current previous command words
    # The words as the shell sees them, not as readline divides them at colons and equal signs.
    line=${COMP_LINE:0:COMP_POINT}
    current=${line##*[[:space:]]}
    read -r -a words <<<"${line%"$current"}"
    previous=${words[-1]}
    command=${words[1]:-}
    COMPREPLY=()
    if ((${#words[@]} < 2)); then
        _unihist_words "$current" histogram histogramdd digitize merge devices help --help --version
        return
    fi
    if [[ $current == --*=* ]]; then
        _unihist_value "${current%%=*}" "${current#*=}" "$command"
        _unihist_after_colon "${current#*=}"
        return
    fi
    case $command in
    histogram | histogramdd | digitize)
        if _unihist_value "$previous" "$current" "$command"; then
            _unihist_after_colon "$current"
            return
        fi
        if [[ $current == -* ]]; then
            local options=(--edges --bins --range --right --dtype --method --device --threads --output --help)
            [[ $command == histogramdd ]] || options+=(--column --leaf)
            [[ $command == digitize ]] || options+=(--weights --vtype --fast --density --plot --stats)
            [[ $command != histogram ]] || options+=(--cumulative)
            [[ $command != histogramdd ]] || options+=(--sample --storage --columns --row --colour)
            _unihist_words "$current" "${options[@]}"
        else
            _unihist_files "$current"
        fi ;;
    merge)
        if _unihist_value "$previous" "$current" "$command"; then
            return
        fi
        if [[ $current == -* ]]; then
            _unihist_words "$current" --density --cumulative --output --plot --help
        else
            _unihist_files "$current" '*.uh'
        fi ;;
    devices) _unihist_words "$current" --json --help ;;
    help) _unihist_words "$current" histogram histogramdd digitize merge devices ;;
    esac
}

complete -F _unihist unihist
