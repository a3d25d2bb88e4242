#compdef unihist
# SPDX-License-Identifier: Apache-2.0
# Completion of the unihist command in zsh.

_unihist_devices() {
    local -a selectors
    selectors=(auto cpu gpu ${(f)"$(unihist devices 2>/dev/null | sed -n 's/^\([^ ]*\) .*/\1/p')"})
    compadd -a selectors
}

_unihist_bins() {
    compadd -S '' log: quantile:
    compadd sqrt rice sturges doane scott fd stone auto
}

_unihist() {
    local -a counting flat drawing cells adding
    counting=(
        '(-e --edges)'{-e,--edges=}'[the edges: a file or a list]:edges:_files'
        '(-b --bins)'{-b,--bins=}'[N, log\:N, quantile\:N or a rule]:bins:_unihist_bins'
        '(-r --range)'{-r,--range=}'[the range that --bins fills]:LO,HI: '
        '--right[a bin holds its right edge]'
        '(-t --dtype)'{-t,--dtype=}'[the type of raw binary values]:type:(f32 f64 i8 i16 i32 i64 u8 u16 u32 u64)'
        '(-m --method)'{-m,--method=}'[how values find their bins]:method:(auto mesh binary uniform logarithm piecewise compare packed)'
        '(-d --device)'{-d,--device=}'[the device to count on]:device:_unihist_devices'
        '(-j --threads)'{-j,--threads=}'[host threads]:number: '
        '(- *)'{-h,--help}'[print a help]'
        '*:input:_files'
    )
    flat=(
        '(-c --column)'{-c,--column=}'[text\: the column to read]:number or name: '
        '--leaf=[bins left to the linear search of the mesh]:number: '
    )
    cells=(
        '--sample=[a number for each point, to take means of]:file:_files'
        '--storage=[what cells keep]:kind:(count sum weighted mean u8 u16)'
        '(-c --columns)'{-c,--columns=}'[the columns that are the axes]:numbers or names: '
        '--row=[raw binary\: how many values a row has]:number: '
        '--colour=[the scale of the colours]:scale:(auto linear log)'
    )
    drawing=(
        '--density[densities instead of counts]'
        '(-w --weights)'{-w,--weights=}'[a weight for each value]:file:_files'
        '--vtype=[the type of raw binary weights]:type:(f32 f64 i8 i16 i32 i64 u8 u16 u32 u64)'
        '--fast[add in float64 in any order]'
        '(-o --output)'{-o,--output=}'[write the result to a file]:file:_files -g "*.(npy|csv|json|uh)"'
        '(-p --plot)'{-p,--plot=}'[draw the histogram to a file]:file:_files -g "*.(png|svg)"'
        '(-s --stats)'{-s,--stats}'[print totals, plan, times and rates]'
    )
    adding=(
        '--density[densities instead of counts]'
        '--cumulative[running sums of the counts]'
        '(-o --output)'{-o,--output=}'[write the sum to a file]:file:_files -g "*.(npy|csv|json|uh)"'
        '(-p --plot)'{-p,--plot=}'[draw the histogram to a file]:file:_files -g "*.(png|svg)"'
        '(- *)'{-h,--help}'[print a help]'
        '*:saved histogram:_files -g "*.uh"'
    )
    if ((CURRENT == 2)); then
        compadd histogram histogramdd digitize merge devices help
        [[ $PREFIX != -* ]] || compadd -- --help --version
        return
    fi
    shift words
    ((CURRENT--))
    case $words[1] in
    histogram) _arguments -s $counting $flat $drawing \
        '--cumulative[running sums of the counts]' ;;
    histogramdd) _arguments -s $counting $drawing $cells ;;
    digitize) _arguments -s $counting $flat \
        '(-o --output)'{-o,--output=}'[write the numbers to a file]:file:_files -g "*.(npy|csv|txt)"' ;;
    merge) _arguments -s $adding ;;
    devices) _arguments '--json[print JSON]' '(- *)'{-h,--help}'[print a help]' ;;
    help) ((CURRENT != 2)) || compadd histogram histogramdd digitize merge devices ;;
    esac
}

_unihist "$@"
