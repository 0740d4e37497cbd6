// Runs any command as a main.
#include "ranks/host/stop_signal.hpp"
#include "tools/command_line/exit.hpp"
#include "tools/command_line/progress.hpp"
#include "tools/command_line/settings.hpp"
#include "tools/ndsim/command.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>

namespace sim::tools {

using namespace command_line;
using namespace config;

namespace {

// The progress of a command on standard error, with a new bar for each part of the work.
class Bars {
public:
    void at(std::size_t done, std::size_t all, const std::string& what) {
        if (!bar_ || all != all_) {
            bar_ = std::make_unique<Progress>(all);
            all_ = all;
        }
        bar_->at(done, what);
    }
    void erase() {
        if (bar_) {
            bar_->erase();
        }
    }

private:
    std::unique_ptr<Progress> bar_;
    std::size_t all_ = 0;
};

// A listener that writes to standard output and to files while the command works.
Listener writing_listener(const Outputs& outputs, Bars& bars) {
    const auto is_begun = std::make_shared<bool>(false);  // text has been printed
    Listener listener{
        .note =
            [&](const std::string& line) {
                bars.erase();
                tell(line);
            },
        .progress = [&](std::size_t done, std::size_t all, const std::string& what) { bars.at(done, all, what); }};
    if (shows_text(outputs)) {
        listener.text = [&bars, is_begun](const std::string& text) {
            bars.erase();
            print(text);
            *is_begun = true;
        };
    }
    if (wants_timeline(outputs)) {
        listener.timeline = [&, is_begun](const report::Timeline& timeline) {
            bars.erase();
            if (*is_begun && outputs.contains("timeline")) {
                print("\n");
            }
            write_timeline(outputs, timeline);
        };
    }
    if (wants_program(outputs)) {
        listener.program = [&](const RecordedProgram& program) { write_program(outputs, program); };
    }
    return listener;
}

Answer answered(const Question& question, const Outputs& outputs, config::Given given,
                std::function<bool()> should_stop) {
    Bars bars;
    Asked asked{.given = std::move(given), .forms = {}, .listener = writing_listener(outputs, bars)};
    for (const auto& [form, file] : outputs) {
        asked.forms.push_back(form);
    }
    asked.listener.should_stop = std::move(should_stop);
    return question.answer(asked);
}

}  // namespace

Executable executable_of(const Command& command) {
    return {.name = fmt::format("ndsim {}", command.name), .summary = command.summary, .examples = command.examples};
}

int run_question(const Executable& executable, const Question& question, int argc, const char* const* argv) {
    Outputs outputs;
    std::vector<OptionRow> rows = question.rows;
    const std::vector<OptionRow> formats = output_rows(outputs, question.offer);
    rows.insert(rows.end(), formats.begin(), formats.end());
    const auto settings = take_options(executable, rows, argc, argv);
    if (!settings) {
        return done;
    }
    check_outputs(outputs);
    std::optional<ranks::StopSignal> stop;
    std::function<bool()> should_stop;
    if (question.stops_early) {
        stop.emplace();
        should_stop = [&] { return stop->received() != 0; };
    }
    const Answer answer = answered(question, outputs, given_of(*settings, rows), should_stop);
    if (answer.forms.text) {
        write_outputs(outputs, answer.forms);
    }
    if (stop && stop->received() != 0) {
        return stopped + stop->received();
    }
    return answer.complaint.empty() ? answer.exit_code : complain(executable.name, answer.complaint, answer.exit_code);
}

int run(const Command& command, int argc, const char* const* argv) {
    return command.run != nullptr ? command.run(argc, argv)
                                  : run_question(executable_of(command), command.question(), argc, argv);
}

}  // namespace sim::tools
