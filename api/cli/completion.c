/* SPDX-License-Identifier: Apache-2.0 */
/* Shell completion: candidates for the next word, from the table of options, and the scripts that request them. */
#include <stdio.h>
#include <string.h>

#include "api/cli/options.h"

static void put_devices(FILE *out) {
    size_t count = 0;
    uh_device *device;
    uh_device_properties properties = {.struct_size = sizeof properties};
    uh_device_count(&count);
    for (size_t i = 0; i < count; i++)
        if (!uh_device_get(i, &device) && !uh_device_get_properties(device, &properties))
            fprintf(out, "%s\n", properties.selector);
}

static const char *next_word(const char *words) {
    words += strcspn(words, " ");
    return words + strspn(words, " ");
}

/* Prints the table's candidates for a value that begins at `value` in `word`. */
static void put_values(FILE *out, const char *values, const char *word, const char *value) {
    const char *comma = *values == ',' ? strrchr(value, ',') : NULL;
    value = comma ? comma + 1 : value;
    values += *values == ',';
    for (const char *at = values; *at; at = next_word(at)) {
        const size_t fixed = strcspn(at, "* ");
        if (fixed > 0 && at[fixed] == '*' && strncmp(value, at, fixed) == 0) {
            value += fixed;
            values = at = "*"; /* only a file fits after "table:" */
        }
    }
    fprintf(out, "%.*s\n", (int)(value - word), word);
    for (; *values; values = next_word(values))
        if (*values == *CLI_DEVICES_WORD)
            put_devices(out);
        else
            fprintf(out, "%.*s\n", (int)strcspn(values, *values == '*' ? " " : "* "), values);
}

/* Returns the option that a word names, or NULL if it takes no value. A value would begin after `length` characters. */
static const struct cli_option *valued(const struct cli_command *command, const char *word, size_t *length) {
    const struct cli_option *option = cli_option_named(command, word, 0);
    *length = word[1] == '-' ? strcspn(word, "=") : 2;
    return option && option->argument ? option : NULL;
}

static void complete_of(FILE *out, const struct cli_command *command, const char *previous, const char *word) {
    size_t length;
    const struct cli_option *option = valued(command, previous, &length);
    if (option && !previous[length]) {
        put_values(out, option->values, word, word);
    } else if ((option = valued(command, word, &length)) && word[length]) {
        put_values(out, option->values, word, word + length + (word[1] == '-'));
    } else if (word[0] != '-') {
        put_values(out, command->files, word, word);
    } else {
        putc('\n', out);
        for (option = NULL; (option = cli_option_next(command, option));)
            fprintf(out, "--%s\t%s\n", option->name, option->help);
    }
}

void cli_complete(FILE *out, int count, char **words) {
    if (count >= 2 && strcmp(words[0], "help") != 0) {
        const struct cli_command *named = cli_command_named(words[0]);
        if (named)
            complete_of(out, named, words[count - 2], words[count - 1]);
        else if (strcmp(words[0], "--completion") == 0)
            fputs("\nbash\nfish\nzsh\n", out);
        return;
    }
    putc('\n', out);
    for (const struct cli_command *const *command = cli_commands; *command; command++)
        fprintf(out, "%s\t%s\n", (*command)->name, (*command)->summary);
    if (count < 2)
        fputs("help\tPrint the help of a command\n--help\tprint this and exit\n--version\tprint the version and exit\n"
              "--completion\tprint the script for completion in bash, zsh or fish, and exit\n",
              out);
}

#define HEAD                                                                                                           \
    "# SPDX-License-Identifier: Apache-2.0\n"                                                                          \
    "# Completion of the unihist command, as `unihist --completion` prints it.\n"

static const struct {
    const char *shell, *script;
} scripts[] = {
    {"bash", HEAD "_unihist() {\n"
                  "    local line=${COMP_LINE:0:COMP_POINT} typed rest cut words lines word\n"
                  "    typed=${line##*[[:space:]]}\n"
                  "    read -r -a words <<<\"${line%\"$typed\"}\"\n"
                  "    mapfile -t lines < <(\n"
                  "        \"${words[0]/#\\~/$HOME}\" --complete \"${words[@]:1}\" \"$typed\" 2>/dev/null | cut -f 1)\n"
                  "    rest=${typed#\"${lines[0]:-}\"}\n"
                  "    COMPREPLY=()\n"
                  "    for word in \"${lines[@]:1}\"; do\n"
                  "        if [[ $word == \\** ]]; then\n"
                  "            mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(\n"
                  "                compgen -d -- \"$rest\"\n"
                  "                compgen -f -X \"!$word\" -- \"$rest\")\n"
                  "            compopt -o filenames 2>/dev/null\n"
                  "        elif [[ $word == \"$rest\"* ]]; then\n"
                  "            COMPREPLY+=(\"$word\")\n"
                  "        fi\n"
                  "    done\n"
                  "    COMPREPLY=(\"${COMPREPLY[@]/#/\"${lines[0]:-}\"}\")\n"
                  "    [[ ${COMPREPLY[0]:-} != *: ]] || compopt -o nospace 2>/dev/null\n"
                  "    cut=${typed##*[ \"${COMP_WORDBREAKS//[^:=]/}\"]} # all of the word that readline replaces\n"
                  "    COMPREPLY=(\"${COMPREPLY[@]#\"${typed%\"$cut\"}\"}\")\n"
                  "}\n"
                  "complete -F _unihist unihist\n"},
    {"fish",
     HEAD "function __unihist\n"
          "    set -l words (commandline -opc)\n"
          "    set -l typed (commandline -ct)\n"
          "    set -l program (string replace -r -- '^~' $HOME $words[1])\n"
          "    set -l lines (command $program --complete $words[2..-1] \"$typed\" 2>/dev/null)\n"
          "    for line in $lines[2..-1]\n"
          "        if not string match -q -- '\\**' $line\n"
          "            printf '%s\\n' $lines[1]$line\n"
          "            continue\n"
          "        end\n"
          "        for file in (__fish_complete_path (string replace -- \"$lines[1]\" '' \"$typed\"))\n"
          "            set file (string replace -r -- '\\t.*' '' $file)\n"
          "            string match -q -- '*/' $file; or string match -q -- $line $file; and echo $lines[1]$file\n"
          "        end\n"
          "    end\n"
          "end\n"
          "complete -c unihist -f -a '(__unihist)'\n"},
    {"zsh", "#compdef unihist\n" HEAD "local line ret=1\n"
            "local -a lines described patterns\n"
            "lines=(\"${(@f)$(${words[1]/#\\~/$HOME} --complete $words[2,CURRENT-1] \"$PREFIX\" 2>/dev/null)}\")\n"
            "IPREFIX+=$lines[1]\n"
            "PREFIX=${PREFIX#$lines[1]}\n"
            "for line in $lines[2,-1]; do\n"
            "    case $line in\n"
            "    *$'\\t'*) described+=(\"${line/$'\\t'/:}\") ;;\n"
            "    \\**) patterns+=($line) ;;\n"
            "    *:) compadd -S '' -- $line && ret=0 ;;\n"
            "    *) compadd -- $line && ret=0 ;;\n"
            "    esac\n"
            "done\n"
            "(($#described)) && _describe unihist described && ret=0\n"
            "(($#patterns > 1)) && patterns=(\"(${(j:|:)patterns})\")\n"
            "(($#patterns)) && _files -g \"$patterns\" && ret=0\n"
            "return ret\n"},
};

int cli_completion(FILE *out, const char *shell) {
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++)
        if (strcmp(shell, scripts[i].shell) == 0) {
            fputs(scripts[i].script, out);
            return 0;
        }
    return -1;
}
