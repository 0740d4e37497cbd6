#include "tools/answers/answers.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/nearest.hpp"
#include "libsim/predict/machine_file.hpp"
#include "libsim/search/collective_report.hpp"
#include "tools/answers/collective_options.hpp"
#include "tools/answers/goodput_options.hpp"
#include "tools/answers/hardware_report.hpp"
#include "tools/answers/memory_answer.hpp"
#include "tools/answers/plan_report.hpp"
#include "tools/answers/sweep_report.hpp"
#include "tools/answers/train_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

namespace sim::tools {

using namespace config;

namespace {

// Sets them, and returns those that change the result, by the names that results have.
Given set_given(const std::vector<OptionRow>& rows, const Given& options) {
    Given named;
    for (const auto& [name, value] : options) {
        const OptionRow* const row = find_row(rows, name);
        if (row == nullptr) {
            std::vector<std::string> known;
            for (const OptionRow& each : rows) {
                known.push_back(each.name);
            }
            throw UsageError(fmt::format("unknown option {}{}", shortened(name), did_you_mean(name, known)));
        }
        // Sizes are text on the command line but may be numbers here.
        const TomlValue taken = std::holds_alternative<Text>(row->kind) ? TomlValue(typed_text(value)) : value;
        set_option(*row, name, taken);
        if (row->changes_result) {
            // As the command line has it, where a list is a text.
            const bool is_list = std::holds_alternative<List>(row->kind) || std::holds_alternative<Custom>(row->kind);
            named.emplace(row->name, is_list ? TomlValue(typed_text(value)) : taken);
        }
    }
    return named;
}

template <typename Report>
Answer answer_of(Report report, std::string (*picture)(const Report& report)) {
    std::string json = json_of(report);
    const auto kept = std::make_shared<const Report>(std::move(report));
    return {.json = std::move(json),
            .text = [kept] { return text_of(*kept); },
            .picture = [kept, picture] { return picture(*kept); }};
}

std::string no_picture() {
    return "";
}

Answer train_answer(const Given& given, const ShouldStop& /*should_stop*/) {
    TrainOptions options;
    const Given named = set_given(train_rows(options), given);
    report::Timeline timeline;
    StepWatch watch{.hash = true};
    if (!options.every_rank()) {
        watch.on_span = [&](const Span& span) { timeline.add(span); };
    }
    const TrainStep step = train_step(options, watch);
    explain::StepReport report = train_report(options, step, timeline.spans);
    report.given = named;
    return answer_of(std::move(report), explain::step_svg);
}

Answer memory_answer(const Given& given, const ShouldStop& /*should_stop*/) {
    MemoryOptions options;
    set_given(memory_rows(options), given);
    return answer_of(memory_report(options), explain::memory_svg);
}

Answer plan_answer(const Given& given, const ShouldStop& should_stop) {
    PlanOptions options;
    const Given named = set_given(plan_rows(options), given);
    search::PlanReport report = plan_report(options, {.should_stop = should_stop});
    report.given = named;
    return answer_of(std::move(report), search::scatter_svg);
}

Answer goodput_answer(const Given& given, const ShouldStop& /*should_stop*/) {
    GoodputOptions options;
    const std::vector<OptionRow> rows = goodput_rows(options);
    const Given named = set_given(rows, given);
    take_study(options, rows, [&](const std::string& name) { return named.count(name) > 0; });
    goodput::GoodputReport report = goodput::goodput_report(question_of(options), one_by_one);
    report.given = named;
    return answer_of(std::move(report), goodput::picture_of);
}

Answer collective_answer(const Given& given, const ShouldStop& should_stop) {
    CollectiveOptions options;
    set_given(collective_rows(options), given);
    const search::Sweep sweep = sweep_of(options);
    std::vector<search::SweepRow> rows;
    for (const search::CollectiveCase& what : cases_of(options, sweep)) {
        if (should_stop && should_stop()) {
            break;
        }
        rows.push_back(search::time_of_size(sweep, what));
    }
    return {.json = sweep_json(sweep, rows),
            .text = [=] { return sweep_text(sweep, rows); },
            .picture = [=] { return sweep_svg(sweep, rows); }};
}

Answer hardware_answer(const Given& given, const ShouldStop& /*should_stop*/) {
    std::string name;
    set_given({{"NAME", "", "", text(name)}}, given);
    if (name.empty()) {
        return {.json = hardware_list_json(), .text = hardware_list_text, .picture = no_picture};
    }
    const training::Hardware hardware = predict::read_hardware(name);
    return {.json = hardware_json(hardware), .text = [=] { return hardware_text(hardware); }, .picture = no_picture};
}

constexpr auto rows_of_answers = std::to_array<AnswerRow>({
    {"train", train_answer},
    {"memory", memory_answer},
    {"plan", plan_answer},
    {"goodput", goodput_answer},
    {"collective", collective_answer},
    {"hardware", hardware_answer},
});

}  // namespace

std::span<const AnswerRow> answers() {
    return rows_of_answers;
}

}  // namespace sim::tools
