#compdef unihist
# SPDX-License-Identifier: Apache-2.0
# Completion of the unihist command in zsh. Commands, options and values are those that the command itself tells:
# see `help --completion` in unihist(1).

# Adds the values of which the command says $1.
_unihist_values() {
    local values=$1 word ret=1
    local -a whole open patterns
    if [[ $values == ,* ]]; then
        values=${values#,}
        compset -P '*,'
    fi
    for word in ${=values}; do
        case $word in
        @devices) whole+=(${(f)"$("$program" devices 2>/dev/null | sed -n 's/^\([^ ]*\) .*/\1/p')"}) ;;
        *:\**)
            if compset -P "${word%%\**}"; then
                _files
                return
            fi
            open+=("${word%%\**}") ;;
        *\**) patterns+=("$word") ;;
        *:) open+=("$word") ;;
        *) whole+=("$word") ;;
        esac
    done
    (($#whole)) && compadd -a whole && ret=0
    (($#open)) && compadd -S '' -a open && ret=0
    (($#patterns > 1)) && patterns=("(${(j:|:)patterns})")
    (($#patterns)) && _files -g "$patterns" && ret=0
    return ret
}

_unihist() {
    local program=${words[1]/#\~/$HOME} command=- row text
    local -a rows part names specs
    local -A known
    (($+commands[$program])) || [[ -x $program ]] || program=unihist
    ((CURRENT == 2)) || command=$words[2]
    rows=(${(f)"$("$program" help --completion 2>/dev/null)"})
    if ((!$#rows)); then
        _files
        return
    fi
    for row in $rows; do
        part=("${(@ps:\t:)row}")
        text=${part[5]//\\/\\\\}
        if [[ $part[3] == - ]]; then
            names+=("$part[1]:$text")
            [[ $part[1] != $command ]] || known[operands]=$part[4]
            continue
        fi
        [[ $part[1] == $command ]] || continue
        text=${${${text//:/\\:}//\[/\\[}//\]/\\]}
        local exclude="($part[2] $part[3])" value=
        [[ $part[3] != --help ]] || exclude='(- *)'
        if [[ $part[4] == "="* ]]; then
            known[$part[3]]=${part[4]#"="}
            value=":value:{_unihist_values \"\$known[$part[3]]\"}"
            specs+=("$exclude$part[3]=[$text]$value")
            [[ $part[2] == - ]] || specs+=("$exclude$part[2]+[$text]$value")
        else
            specs+=("$exclude$part[3][$text]")
            [[ $part[2] == - ]] || specs+=("$exclude$part[2][$text]")
        fi
    done
    if [[ $command == - ]]; then
        _describe command names
        [[ $PREFIX != -* ]] || compadd -- --help --version --completion
        return
    fi
    case ${known[operands]:--} in
    -) ;;
    @commands) specs+=('1:command:{_describe command names}') ;;
    *) specs+=('*:input:{_unihist_values "$known[operands]"}') ;;
    esac
    shift words
    ((CURRENT--))
    _arguments -s $specs
}

_unihist "$@"
