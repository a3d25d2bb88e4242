# SPDX-License-Identifier: Apache-2.0
# Completion of the unihist command in fish.

set -l commands histogram bincount digitize devices
set -l counting '__fish_seen_subcommand_from histogram digitize'
set -l drawing '__fish_seen_subcommand_from histogram'
set -l integers '__fish_seen_subcommand_from bincount'
set -l plotting '__fish_seen_subcommand_from histogram bincount'
set -l reading '__fish_seen_subcommand_from histogram digitize bincount'
set -l first "not __fish_seen_subcommand_from $commands help"

complete -c unihist -n "$first" -f -a histogram -d 'Count values in bins'
complete -c unihist -n "$first" -f -a bincount -d 'Count how often each integer occurs'
complete -c unihist -n "$first" -f -a digitize -d "Print the number of each value's bin"
complete -c unihist -n "$first" -f -a devices -d 'List the devices that can count'
complete -c unihist -n "$first" -f -a help -d 'Print the help of a command'
complete -c unihist -n "$first" -s V -l version -d 'Print the version'
complete -c unihist -n '__fish_seen_subcommand_from help' -f -a "$commands"
complete -c unihist -s h -l help -d 'Print a help'

complete -c unihist -n "$counting" -s e -l edges -r -F -d "The bins' edges: a file or a list"
complete -c unihist -n "$counting" -s b -l bins -x -d 'N, log:N, quantile:N or a rule' \
    -a 'log: quantile: sqrt rice sturges doane scott fd stone auto'
complete -c unihist -n "$counting" -s r -l range -x -d 'LO,HI: the range that --bins fills'
complete -c unihist -n "$counting" -l right -d 'A bin holds its right edge'
complete -c unihist -n "$drawing" -l density -d 'Densities instead of counts'
complete -c unihist -n "$drawing" -l cumulative -d 'Running sums of the counts'
complete -c unihist -n "$reading" -s c -l column -x -d 'Text: the column to read'
complete -c unihist -n "$counting" -s t -l dtype -x -d 'The type of raw binary values' \
    -a 'f32 f64 i8 i16 i32 i64 u8 u16 u32 u64'
complete -c unihist -n "$counting" -s m -l method -x -d 'How values find their bins' \
    -a 'auto mesh binary uniform logarithm piecewise compare packed'
complete -c unihist -n "$counting" -l leaf -x -d "Bins left to the mesh's linear search"
complete -c unihist -n "$reading" -s d -l device -x -d 'The device to count on' \
    -a "auto cpu gpu (unihist devices 2>/dev/null | string match -rg '^(\S+) ')"
complete -c unihist -n "$reading" -s j -l threads -x -d 'Host threads'
complete -c unihist -n "$reading" -s o -l output -r -F -d 'Write the result to a file'
complete -c unihist -n "$plotting" -s p -l plot -r -F -d 'Draw the histogram to a .png or .svg file'
complete -c unihist -n "$drawing" -s s -l stats -d 'Print totals, plan, times and rates'
complete -c unihist -n '__fish_seen_subcommand_from devices' -f -l json -d 'Print JSON'
complete -c unihist -n "$integers" -s w -l weights -r -F -d 'A weight for each value: sums instead of counts'
complete -c unihist -n "$integers" -l vtype -x -d 'The type of raw binary weights' \
    -a 'f32 f64 i8 i16 i32 i64 u8 u16 u32 u64'
complete -c unihist -n "$integers" -l minlength -x -d 'The least number of bins'
complete -c unihist -n "$integers" -l max -x -d 'The largest value there may be'
complete -c unihist -n "$integers" -s t -l dtype -x -d 'The type of raw binary values' \
    -a 'i8 i16 i32 i64 u8 u16 u32 u64'
