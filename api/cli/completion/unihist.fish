# SPDX-License-Identifier: Apache-2.0
# Completion of the unihist command in fish. Commands, options and values are those that the command itself tells:
# see `help --completion` in unihist(1).

# Prints what may stand where `begun` is, behind `before`. `values`: what the command says of it.
function __unihist_values --argument-names program values before begun
    if string match -q ',*' -- $values; and string match -q '*,*' -- $begun
        set before $before(string replace -r '[^,]*$' '' -- $begun)
        set begun (string replace -r '.*,' '' -- $begun)
    end
    for word in (string split -n ' ' -- (string trim -l -c , -- $values))
        set -l fixed (string replace -r '\*.*' '' -- $word)
        if test $word = @devices
            printf "$before%s\n" (command $program devices 2>/dev/null | string match -rg '^(\S+) ')
        else if string match -q '*:\**' -- $word; and string match -q "$fixed*" -- $begun
            printf "$before%s\n" $fixed(__fish_complete_path (string replace -- $fixed '' $begun))
        else if string match -q '*:\**' -- $word; or not string match -q '*\**' -- $word
            echo $before$fixed
        else
            for file in (__fish_complete_path $begun)
                set -l name (string split -f1 \t -- $file)
                if string match -q '*/' -- $name; or string match -q -- $word $name
                    echo $before$name
                end
            end
        end
    end
end

function __unihist_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l previous $words[-1]
    set -l program (string replace -r '^~' $HOME -- $words[1])
    type -q $program; or set program unihist
    set -l command -
    test (count $words) -lt 2; or set command $words[2]
    set -l rows (command $program help --completion 2>/dev/null)
    set -l wanted
    for row in $rows
        set -l part (string split \t -- $row)
        if test $part[1] = $command; and string match -q '=*' -- $part[4]
            contains -- $previous $part[2] $part[3]; and set wanted (string sub -s 2 -- $part[4]) '' $current
            string match -q -- "$part[3]=*" $current
            and set wanted (string sub -s 2 -- $part[4]) "$part[3]=" (string replace -r '^[^=]*=' '' -- $current)
        end
    end
    if set -q wanted[1]
        __unihist_values $program $wanted
        return
    end
    for row in $rows
        set -l part (string split \t -- $row)
        if test $part[3] = -
            if test $command = -
                printf '%s\t%s\n' $part[1] $part[5]
            else if test $part[1] = $command; and not string match -q -- '-*' $current
                test $part[4] = -; or test $part[4] = @commands; or __unihist_values $program $part[4] '' $current
            else if test $command = help -a $part[1] != help
                printf '%s\t%s\n' $part[1] $part[5]
            end
        else if test $part[1] = $command; and string match -q -- '-*' $current
            printf '%s\t%s\n' $part[3] $part[5]
        end
    end
end

complete -c unihist -f -a '(__unihist_complete)'
