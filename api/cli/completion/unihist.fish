# SPDX-License-Identifier: Apache-2.0
# Completion of the unihist command in fish.

set -l commands histogram histogramdd digitize merge devices
set -l counting '__fish_seen_subcommand_from histogram histogramdd digitize'
set -l drawing '__fish_seen_subcommand_from histogram histogramdd merge'
set -l writing '__fish_seen_subcommand_from histogram histogramdd digitize merge'
set -l weighing '__fish_seen_subcommand_from histogram histogramdd'
set -l flat '__fish_seen_subcommand_from histogram digitize'
set -l cells '__fish_seen_subcommand_from histogramdd'
set -l first "not __fish_seen_subcommand_from $commands help"

complete -c unihist -n "$first" -f -a histogram -d 'Count values in bins'
complete -c unihist -n "$first" -f -a histogramdd -d 'Count points in cells over several axes'
complete -c unihist -n "$first" -f -a digitize -d "Print the number of each value's bin"
complete -c unihist -n "$first" -f -a merge -d 'Add saved histograms'
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
complete -c unihist -n '__fish_seen_subcommand_from histogram merge' -l cumulative -d 'Running sums of the counts'
complete -c unihist -n "$weighing" -s w -l weights -r -F -d 'A weight for each value'
complete -c unihist -n "$cells" -l sample -r -F -d 'A number for each point, to take means of'
complete -c unihist -n "$weighing" -l vtype -x -d 'The type of raw binary weights' \
    -a 'f32 f64 i8 i16 i32 i64 u8 u16 u32 u64'
complete -c unihist -n "$cells" -l storage -x -d 'What cells keep' -a 'count sum weighted mean u8 u16'
complete -c unihist -n "$weighing" -l fast -d 'Add in float64 in any order'
complete -c unihist -n "$cells" -s c -l columns -x -d 'The columns that are the axes'
complete -c unihist -n "$cells" -l row -x -d 'Raw binary: how many values a row has'
complete -c unihist -n "$cells" -l colour -x -d "The colours' scale" -a 'auto linear log'
complete -c unihist -n "$flat" -s c -l column -x -d 'Text: the column to read'
complete -c unihist -n "$counting" -s t -l dtype -x -d 'The type of raw binary values' \
    -a 'f32 f64 i8 i16 i32 i64 u8 u16 u32 u64'
complete -c unihist -n "$counting" -s m -l method -x -d 'How values find their bins' \
    -a 'auto mesh binary uniform logarithm piecewise compare packed'
complete -c unihist -n "$flat" -l leaf -x -d "Bins left to the mesh's linear search"
complete -c unihist -n "$counting" -s d -l device -x -d 'The device to count on' \
    -a "auto cpu gpu (unihist devices 2>/dev/null | string match -rg '^(\S+) ')"
complete -c unihist -n "$counting" -s j -l threads -x -d 'Host threads'
complete -c unihist -n "$writing" -s o -l output -r -F -d 'Write the result to a file'
complete -c unihist -n "$drawing" -s p -l plot -r -F -d 'Draw the histogram to a .png or .svg file'
complete -c unihist -n "$weighing" -s s -l stats -d 'Print totals, plan, times and rates'
complete -c unihist -n '__fish_seen_subcommand_from devices' -f -l json -d 'Print JSON'
