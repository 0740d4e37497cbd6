#include "tools/command_line/shell_completion.hpp"

#include "libsim/split.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

namespace sim::command_line {

namespace {

using Programs = std::span<const ProgramFacts>;
using Words = std::vector<std::string>;

// Single quotes, within which only a quote and, in fish, a backslash are special.
std::string quoted_in_sh(const std::string& text) {
    std::string result = "'";
    for (const char c : text) {
        result += c == '\'' ? "'\\''" : std::string(1, c);
    }
    return result + "'";
}
std::string quoted_in_fish(const std::string& text) {
    std::string result = "'";
    for (const char c : text) {
        result += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    }
    return result + "'";
}

bool is_option(const OptionFacts& option) {
    return option.role == config::Role::option;
}
// Whether a value follows; --help may be followed by a topic.
bool takes_value(const OptionFacts& option) {
    return is_option(option) && (!option.takes.empty() || !option.known.names.empty());
}
bool takes_path(const OptionFacts& option) {
    return option.known.path != config::Known::Path::none;
}

Words dashed_names(const OptionFacts& option) {
    Words names{"--" + option.name};
    for (const std::string& name : option.also) {
        names.push_back((name.size() == 1 ? "-" : "--") + name);
    }
    return names;
}

// The programs that are not commands of another program.
Words executables(Programs programs) {
    Words names;
    for (const ProgramFacts& program : programs) {
        if (program.name.find(' ') == std::string::npos) {
            names.push_back(program.name);
        }
    }
    return names;
}

// Data for shells of the sh family: three variables per PROGRAM, each a line of words written by `for_word`.
template <class ForWord>
std::string cases_of_programs(Programs programs, const ForWord& for_word) {
    std::string cases;
    for (const ProgramFacts& program : programs) {
        Words commands;
        Words options;
        Words taking;
        for (const CommandFacts& command : program.commands) {
            commands.push_back(for_word(command.name, command.summary));
        }
        for (const OptionFacts& option : program.options) {
            for (const std::string& name : is_option(option) ? dashed_names(option) : Words{}) {
                options.push_back(for_word(name, option.help));
                if (takes_value(option)) {
                    taking.push_back(name);
                }
            }
        }
        cases += fmt::format("        {}) commands=({}) options=({}) taking=({}) ;;\n", quoted_in_sh(program.name),
                             fmt::join(commands, " "), fmt::join(options, " "), fmt::join(taking, " "));
    }
    return cases;
}

// The values of "PROGRAM --option", and of "PROGRAM N", its Nth argument, from 1; more arguments are those from there
// on.
std::string cases_of_values(Programs programs) {
    std::string cases;
    for (const ProgramFacts& program : programs) {
        int argument = 0;
        for (const OptionFacts& option : program.options) {
            const Words keys = is_option(option) ? dashed_names(option) : Words{fmt::format("{}", ++argument)};
            if (option.known.names.empty() && !takes_path(option)) {
                continue;
            }
            Words values;
            for (const std::string& name : option.known.names) {
                values.push_back(quoted_in_sh(name));
            }
            for (const std::string& key : keys) {
                const std::string pattern = option.role == config::Role::more_arguments
                                                ? quoted_in_sh(program.name + " ") + "[0-9]*"
                                                : quoted_in_sh(program.name + " " + key);
                cases += fmt::format("        {}) values=({}){} ;;\n", pattern, fmt::join(values, " "),
                                     takes_path(option) ? " paths=1" : "");
            }
        }
    }
    return cases;
}

// Shared by bash and zsh: finds the program that the words before the cursor select, the option that waits for its
// value, and the number of the next argument. PROGRAM is the first word.
constexpr const char* walk = R"sh(
    for word in "${before[@]}"; do
        _ndsim_options "$program"
        if [[ $word == '=' ]]; then
            continue
        elif [[ -n $waiting ]]; then
            waiting=''
        elif [[ $word == -* ]]; then
            [[ " ${taking[*]} " == *" $word "* ]] && waiting=$word
        elif ((${#commands[@]})); then
            program+=" $word"
        else
            ((++argument))
        fi
    done
    _ndsim_options "$program"
)sh";

std::string bash_script(Programs programs) {
    const std::string options =
        cases_of_programs(programs, [](const std::string& word, const std::string&) { return quoted_in_sh(word); });
    return "# Completion in bash of ndsim and its scenarios, made by `ndsim completion bash`.\n"
           "_ndsim_options() {\n    commands=() options=() taking=()\n    case $1 in\n" +
           options + "    esac\n}\n_ndsim_values() {\n    values=() paths=''\n    case $1 in\n" +
           cases_of_values(programs) +
           "    esac\n}\n_ndsim() {\n"
           "    local program=${COMP_WORDS[0]##*/} current=${COMP_WORDS[COMP_CWORD]} waiting='' argument=1 word paths\n"
           "    local before=(\"${COMP_WORDS[@]:1:COMP_CWORD-1}\") commands options taking values\n" +
           walk + R"sh(
    [[ $current == '=' ]] && current=''
    if [[ -n $waiting ]]; then
        _ndsim_values "$program $waiting"
    elif [[ $current == -* ]]; then
        values=("${options[@]}") paths=''
    else
        _ndsim_values "$program $argument"
        values+=("${commands[@]}")
    fi
    mapfile -t COMPREPLY < <(compgen -W "${values[*]}" -- "$current")
    if [[ -n $paths ]]; then
        compopt -o filenames 2> /dev/null
        mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$current")
    fi
}
)sh" + fmt::format("complete -F _ndsim {}\n", fmt::join(executables(programs), " "));
}

std::string zsh_script(Programs programs) {
    const std::string options = cases_of_programs(
        programs, [](const std::string& word, const std::string& help) { return quoted_in_sh(word + ":" + help); });
    return fmt::format(
               "#compdef {0}\n# Completion in zsh of ndsim and its scenarios, made by `ndsim completion zsh`.\n",
               fmt::join(executables(programs), " ")) +
           "_ndsim_options() {\n    commands=() options=() taking=()\n    case $1 in\n" + options +
           "    esac\n}\n_ndsim_values() {\n    values=() paths=''\n    case $1 in\n" + cases_of_values(programs) +
           "    esac\n}\n_ndsim() {\n"
           "    local program=${words[1]:t} waiting='' word paths\n    local -i argument=1\n"
           "    local -a before commands options taking values\n    before=(\"${(@)words[2,CURRENT-1]}\")\n" +
           walk + R"sh(
    local current=$words[CURRENT]
    if [[ -z $waiting && $current == --*=* ]]; then
        waiting=${current%%=*}
        compset -P '*='
    fi
    if [[ -n $waiting ]]; then
        _ndsim_values "$program $waiting"
    elif [[ $current == -* ]]; then
        _describe -o option options
        return
    elif ((${#commands[@]})); then
        _describe command commands
        return
    else
        _ndsim_values "$program $argument"
    fi
    ((${#values[@]})) && compadd -a values
    [[ -n $paths ]] && _files
    return 0
}
)sh" +
           fmt::format(
               "if [[ ${{funcstack[1]}} == _ndsim ]]; then\n    _ndsim \"$@\"\nelse\n    compdef _ndsim {}\nfi\n",
               fmt::join(executables(programs), " "));
}

// Tests the position on the command line: __ndsim_at WORDS, after these; __ndsim_end WORDS, directly after these;
// __ndsim_argument WORDS-BEFORE N OPTIONS-THAT-TAKE-A-VALUE, if argument number N comes next; N+: that one or a later
// one.
constexpr const char* fish_places = R"fish(function __ndsim_end
    test (commandline -opc | count) -eq (math (count $argv) + 1); and __ndsim_at $argv
end
function __ndsim_at
    set -l words (commandline -opc)
    for i in (seq (count $argv))
        test "$words[$(math $i + 1)]" = "$argv[$i]"; or return 1
    end
end
function __ndsim_argument
    set -l words (commandline -opc)
    set -l next 1
    set -l waits no
    set -l first (math $argv[1] + 1)
    test (count $words) -ge $first; or set -e words
    for word in $words[$first..-1]
        if test $waits = yes
            set waits no
        else if string match -q -- '-*' $word
            contains -- $word $argv[3..-1]; and set waits yes
        else
            set next (math $next + 1)
        end
    end
    test $waits = no; or return 1
    string match -q -- '*+' $argv[2]; and test $next -ge (string trim -c + $argv[2]); or test $next = $argv[2]
end
)fish";

// "complete -c ndsim -n '__ndsim_at train' -l schedule -d '…' -x -a 'gpipe 1f1b'"
std::string fish_line(const std::string& name, const std::string& where, const OptionFacts& option) {
    std::string line = "complete -c " + name + " -n " + quoted_in_fish(where);
    if (is_option(option)) {
        for (const std::string& dashed : dashed_names(option)) {
            line += dashed.starts_with("--") ? " -l " + dashed.substr(2) : " -s " + dashed.substr(1);
        }
        line += fmt::format(" -d {}", quoted_in_fish(option.help));
        line += takes_value(option) && !takes_path(option) ? " -x" : takes_value(option) ? " -r" : "";
    }
    line += takes_path(option) ? " -F" : "";
    if (!option.known.names.empty()) {
        line += fmt::format(" -a {}", quoted_in_fish(fmt::format("{}", fmt::join(option.known.names, " "))));
    }
    return line + "\n";
}

std::string fish_lines(const ProgramFacts& program) {
    const Words words = split(program.name, ' ');
    std::string behind;
    for (std::size_t i = 1; i < words.size(); ++i) {
        behind += " " + words[i];
    }
    // Options of the program itself are not offered after a command.
    const std::string where = program.commands.empty() ? "__ndsim_at" + behind : "__ndsim_end" + behind;
    std::string lines;
    for (const CommandFacts& command : program.commands) {
        lines += fmt::format("complete -c {} -n {} -a {} -d {}\n", words[0], quoted_in_fish(where), command.name,
                             quoted_in_fish(command.summary));
    }
    Words taking;
    for (const OptionFacts& option : program.options) {
        const Words names = takes_value(option) ? dashed_names(option) : Words{};
        taking.insert(taking.end(), names.begin(), names.end());
    }
    int argument = 0;
    for (const OptionFacts& option : program.options) {
        if (is_option(option)) {
            lines += fish_line(words[0], where, option);
        } else if (++argument; takes_path(option) || !option.known.names.empty()) {
            lines +=
                fish_line(words[0],
                          fmt::format("{}; and __ndsim_argument {} {}{} {}", where, words.size(), argument,
                                      option.role == config::Role::more_arguments ? "+" : "", fmt::join(taking, " ")),
                          option);
        }
    }
    return lines;
}

std::string fish_script(Programs programs) {
    std::string script =
        std::string("# Completion in fish of ndsim and its scenarios, made by `ndsim completion fish`.\n") +
        fish_places;
    for (const std::string& name : executables(programs)) {
        script += fmt::format("complete -c {} -f\n", name);
    }
    for (const ProgramFacts& program : programs) {
        script += fish_lines(program);
    }
    return script;
}

constexpr std::array<Shell, 3> all_shells{{{"bash", bash_script}, {"zsh", zsh_script}, {"fish", fish_script}}};

}  // namespace

std::span<const Shell> shells() {
    return all_shells;
}

}  // namespace sim::command_line
