/* SPDX-License-Identifier: Apache-2.0 */
/* The scripts for completion in shells: what each does with words, and the words, from the table of options. */
#include <stdio.h>
#include <string.h>

#include "api/cli/options.h"

#define HEAD                                                                                                           \
    "# SPDX-License-Identifier: Apache-2.0\n"                                                                          \
    "# Completion of the unihist command, as `unihist --completion` prints it.\n"

/* A text within single quotes, which the shells read alike; characters that are `special` come behind a backslash. */
static void put_text(FILE *out, const char *before, const char *text, const char *special, const char *behind) {
    fputs(before, out);
    for (; *text; text++) {
        if (strchr(special, *text))
            fputc('\\', out);
        fputs(*text == '\n' ? " " : *text == '\'' ? "'\\''" : (const char[]){*text, 0}, out);
    }
    fputs(behind, out);
}

/* ---- bash: words are taken as the shell sees them, not as readline divides them at colons and equal signs ----------
 */

static const char bash_begin[] = HEAD "_unihist_files() {\n"
                                      "    mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(\n"
                                      "        compgen -P \"$1\" -d -- \"$2\"\n"
                                      "        compgen -P \"$1\" -f -X \"!$3\" -- \"$2\")\n"
                                      "    compopt -o filenames 2>/dev/null\n"
                                      "}\n"
                                      "\n"
                                      "_unihist() {\n"
                                      "    local line=${COMP_LINE:0:COMP_POINT} current previous colon i\n"
                                      "    local words wanted word values='' before='' plain=''\n"
                                      "    current=${line##*[[:space:]]}\n"
                                      "    read -r -a words <<<\"${line%\"$current\"}\"\n"
                                      "    previous=${words[-1]}\n"
                                      "    if [[ $current == --*=* ]]; then\n"
                                      "        previous=${current%%=*}\n"
                                      "        current=${current#*=}\n"
                                      "    fi\n"
                                      "    colon=${current%\"${current##*:}\"}\n"
                                      "    COMPREPLY=()\n"
                                      "    case ${words[1]:-}:$previous in\n"
                                      "    :*) values='";
static const char bash_end[] =
    "    esac\n"
    "    if [[ $values == ,* && $current == *,* ]]; then\n"
    "        before=${current%,*},\n"
    "        current=${current##*,}\n"
    "    fi\n"
    "    read -r -a wanted <<<\"${values#,}\"\n"
    "    for word in \"${wanted[@]}\"; do\n"
    "        if [[ $word == @devices ]]; then\n"
    "            plain+=\" $(\"${words[0]/#\\~/$HOME}\" devices 2>/dev/null | grep -oE '^[^ ]+' | tr '\\n' ' ')\"\n"
    "        elif [[ $word == *:\\* && $current == \"${word%\\*}\"* ]]; then\n"
    "            _unihist_files \"$before${word%\\*}\" \"${current#\"${word%\\*}\"}\" '*'\n"
    "        elif [[ $word == *:\\* || $word != *\\** ]]; then\n"
    "            plain+=\" ${word%\\*}\"\n"
    "        else\n"
    "            _unihist_files \"$before\" \"$current\" \"$word\"\n"
    "        fi\n"
    "    done\n"
    "    mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -P \"$before\" -W \"$plain\" -- \"$current\")\n"
    "    [[ ${COMPREPLY[0]:-} != *: ]] || compopt -o nospace 2>/dev/null\n"
    "    [[ $COMP_WORDBREAKS == *:* ]] || return 0\n"
    "    for i in \"${!COMPREPLY[@]}\"; do\n"
    "        COMPREPLY[i]=${COMPREPLY[i]#\"$colon\"}\n"
    "    done\n"
    "}\n"
    "\n"
    "complete -F _unihist unihist\n";

static void put_bash(FILE *out) {
    fputs(bash_begin, out);
    for (int behind_help = 0; behind_help < 2; behind_help++) {
        for (const struct cli_command *const *command = cli_commands; *command; command++)
            fprintf(out, "%s ", (*command)->name);
        fputs(behind_help ? "' ;;\n" : "help --help --version --completion' ;;\n    help:*) values='", out);
    }
    for (const struct cli_command *const *command = cli_commands; *command; command++) {
        const char *name = (*command)->name;
        for (const struct cli_option *option = NULL; (option = cli_option_next(*command, option));) {
            if (!option->argument)
                continue;
            fprintf(out, "    %s:--%s", name, option->name);
            if (option->letter)
                fprintf(out, " | %s:-%c", name, option->letter);
            fprintf(out, ") values='%s' ;;\n", option->values);
        }
        fprintf(out, "    %s:*)\n        values='%s'\n        [[ $current != -* ]] || values='", name,
                (*command)->files);
        for (const struct cli_option *option = NULL; (option = cli_option_next(*command, option));)
            fprintf(out, "--%s ", option->name);
        fputs("'\n        ;;\n", out);
    }
    fputs(bash_end, out);
}

/* ---- fish -------------------------------------------------------------------------------------------------------- */

static const char fish_begin[] =
    HEAD "function __unihist_values --argument-names values\n"
         "    set -l begun (string replace -r -- '^--[^=]*=' '' (commandline -ct))\n"
         "    set -l before ''\n"
         "    if string match -q -- ',*' $values; and string match -q -- '*,*' $begun\n"
         "        set before (string replace -r -- '[^,]*$' '' $begun)\n"
         "        set begun (string replace -r -- '.*,' '' $begun)\n"
         "    end\n"
         "    for word in (string split -n -- ' ' (string trim -l -c , -- $values))\n"
         "        set -l fixed (string replace -r -- '\\*.*' '' $word)\n"
         "        if test $word = @devices\n"
         "            set -l program (string replace -r -- '^~' $HOME (commandline -opc)[1])\n"
         "            command $program devices 2>/dev/null | string match -rg -- '^(\\S+) '\n"
         "        else if string match -q -- '*:\\**' $word; and string match -q -- \"$fixed*\" $begun\n"
         "            printf \"$before%s\\n\" $fixed(__fish_complete_path (string replace -- $fixed '' $begun))\n"
         "        else if string match -q -- '*:\\**' $word; or not string match -q -- '*\\**' $word\n"
         "            echo $before$fixed\n"
         "        else\n"
         "            for file in (__fish_complete_path $begun | string replace -r -- '\\t.*' '')\n"
         "                string match -q -- '*/' $file; or string match -q -- $word $file; and echo $before$file\n"
         "            end\n"
         "        end\n"
         "    end\n"
         "end\n"
         "\n"
         "complete -c unihist -f\n"
         "complete -c unihist -n __fish_use_subcommand -l help -d 'print this and exit'\n"
         "complete -c unihist -n __fish_use_subcommand -l version -d 'print the version and exit'\n"
         "complete -c unihist -n __fish_use_subcommand -l completion -xa 'bash fish zsh' -d 'print a script'\n"
         "complete -c unihist -n __fish_use_subcommand -a help -d 'Print the help of a command'\n";

static void put_fish(FILE *out) {
    fputs(fish_begin, out);
    for (const struct cli_command *const *command = cli_commands; *command; command++) {
        const char *name = (*command)->name, *seen = "complete -c unihist -n '__fish_seen_subcommand_from";
        fprintf(out, "%s help; or __fish_use_subcommand' -a %s", seen, name);
        put_text(out, " -d '", (*command)->summary, "", "'\n");
        if (*(*command)->files)
            fprintf(out, "%s %s' -a '(__unihist_values \"%s\")'\n", seen, name, (*command)->files);
        for (const struct cli_option *option = NULL; (option = cli_option_next(*command, option));) {
            fprintf(out, "%s %s' -l %s", seen, name, option->name);
            if (option->letter)
                fprintf(out, " -s %c", option->letter);
            if (option->argument)
                fprintf(out, " -xa '(__unihist_values \"%s\")'", option->values);
            put_text(out, " -d '", option->help, "", "'\n");
        }
    }
}

/* ---- zsh --------------------------------------------------------------------------------------------------------- */

static const char zsh_begin[] =
    "#compdef unihist\n" HEAD "_unihist_values() {\n"
    "    local values=$1 word ret=1\n"
    "    local -a whole open patterns\n"
    "    if [[ $values == ,* ]]; then\n"
    "        values=${values#,}\n"
    "        compset -P '*,'\n"
    "    fi\n"
    "    for word in ${=values}; do\n"
    "        case $word in\n"
    "        @devices) whole+=(${(f)\"$(\"$program\" devices 2>/dev/null | grep -oE '^[^ ]+')\"}) ;;\n"
    "        *:\\**)\n"
    "            if compset -P \"${word%%\\**}\"; then\n"
    "                _files\n"
    "                return\n"
    "            fi\n"
    "            open+=(\"${word%%\\**}\") ;;\n"
    "        *\\**) patterns+=(\"$word\") ;;\n"
    "        *:) open+=(\"$word\") ;;\n"
    "        *) whole+=(\"$word\") ;;\n"
    "        esac\n"
    "    done\n"
    "    (($#whole)) && compadd -a whole && ret=0\n"
    "    (($#open)) && compadd -S '' -a open && ret=0\n"
    "    (($#patterns > 1)) && patterns=(\"(${(j:|:)patterns})\")\n"
    "    (($#patterns)) && _files -g \"$patterns\" && ret=0\n"
    "    return ret\n"
    "}\n"
    "\n"
    "_unihist() {\n"
    "    local program=${words[1]/#\\~/$HOME} command=$words[2]\n"
    "    local -a names specs\n"
    "    names=(\n";
static const char zsh_commands[] = "    )\n"
                                   "    if ((CURRENT == 2)); then\n"
                                   "        names+=('help:Print the help of a command')\n"
                                   "        _describe command names\n"
                                   "        [[ $PREFIX != -* ]] || compadd -- --help --version --completion\n"
                                   "        return\n"
                                   "    fi\n"
                                   "    case $command in\n"
                                   "    help) specs=('1:command:{_describe command names}') ;;\n";
static const char zsh_end[] = "    esac\n"
                              "    shift words\n"
                              "    ((CURRENT--))\n"
                              "    _arguments -s $specs\n"
                              "}\n"
                              "\n"
                              "_unihist \"$@\"\n";

static void put_zsh(FILE *out) {
    fputs(zsh_begin, out);
    for (const struct cli_command *const *command = cli_commands; *command; command++) {
        fprintf(out, "        '%s:", (*command)->name);
        put_text(out, "", (*command)->summary, "\\", "'\n");
    }
    fputs(zsh_commands, out);
    for (const struct cli_command *const *command = cli_commands; *command; command++) {
        fprintf(out, "    %s) specs=(\n", (*command)->name);
        for (const struct cli_option *option = NULL; (option = cli_option_next(*command, option));) {
            const char *others = option->kind == CLI_HELP ? "- * " : "", c = option->letter;
            if (c)
                fprintf(out, "        '(%s-%c --%s)'{-%c%s,--%s%s}'[", others, c, option->name, c,
                        option->argument ? "+" : "", option->name, option->argument ? "=" : "");
            else
                fprintf(out, "        '(--%s)--%s%s[", option->name, option->name, option->argument ? "=" : "");
            put_text(out, "", option->help, "\\:[]", "]");
            if (option->argument)
                put_text(out, ":value:{_unihist_values \"", option->values, ":", "\"}");
            fputs("'\n", out);
        }
        if (*(*command)->files)
            put_text(out, "        '*:input:{_unihist_values \"", (*command)->files, ":", "\"}'\n");
        fputs("        ) ;;\n", out);
    }
    fputs(zsh_end, out);
}

int cli_completion(FILE *out, const char *shell) {
    static const struct {
        const char *shell;
        void (*put)(FILE *out);
    } scripts[] = {{"bash", put_bash}, {"fish", put_fish}, {"zsh", put_zsh}};
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++)
        if (strcmp(shell, scripts[i].shell) == 0) {
            scripts[i].put(out);
            return 0;
        }
    return -1;
}
