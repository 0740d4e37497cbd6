// A layout has one meaning: every command that is asked about it, and the command printed to reproduce it, gives the
// same step and the same memory. Layouts are drawn over all machines and models; the seed is fixed.
#include "libsim/config/errors.hpp"
#include "libsim/explain/explained_step.hpp"
#include "libsim/parallel/pipeline/schedules.hpp"
#include "libsim/predict/training_options.hpp"
#include "libsim/report/amounts.hpp"
#include "libsim/report/page/page.hpp"
#include "libsim/search/sweep/grid.hpp"
#include "libsim/split.hpp"
#include "libsim/training/hardware.hpp"
#include "libsim/training/layout_fields.hpp"
#include "libsim/training/presets.hpp"
#include "tools/ndsim/commands.hpp"
#include "tools/ndsim/explain/step.hpp"
#include "tools/ndsim/plan.hpp"
#include "tools/ndsim/train.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <random>
#include <set>
#include <sstream>

namespace {

using namespace sim;
using config::Given;
using nlohmann::json;
using predict::Prediction;
using predict::TrainingCase;

constexpr int layouts = 2000;
constexpr int in_full = 50;  // every 50th is also explained, printed and drawn

class Drawing {
public:
    Given options() {
        Given given{{"model", one_of(models_)}, {"machine", one_of(machines_)}};
        if (number(8) == 0) {
            given["machine"] = std::string("gb200-nvl72");  // a job of 128 or 256 GPUs fills its nodes partly
        }
        const std::int64_t gpus = one_of<std::int64_t>({1, 2, 4, 8, 8, 16, 24, 32, 64, 64, 72, 128, 144, 256, 288});
        const std::int64_t tp = one_of<std::int64_t>({1, 1, 2, 4, 8});
        const std::int64_t pp = one_of<std::int64_t>({1, 1, 1, 2, 4});
        const std::int64_t cp = one_of<std::int64_t>({1, 1, 1, 2});
        const std::int64_t micro = one_of<std::int64_t>({1, 1, 2});
        if (gpus % (tp * pp * cp) != 0) {
            return options();
        }
        const std::int64_t dp = gpus / (tp * pp * cp);
        given["gpus"] = gpus;
        given["tp"] = tp;
        given["pp"] = pp;
        given["cp"] = cp;
        given["micro-batch"] = micro;
        given["global-batch"] = dp * micro * pp * one_of<std::int64_t>({1, 2});
        given["sequence"] = one_of<std::int64_t>({1024, 2048, 4096});
        if (training::preset(config::typed_text(given["model"])).experts.count > 0) {
            perhaps(given, "ep", config::TomlValue(one_of<std::int64_t>({1, 2, 4, 8, 16, 64})));
        }
        perhaps(given, "zero", config::TomlValue(one_of<std::int64_t>({0, 1, 2, 3})));
        perhaps(given, "recompute", config::TomlValue(one_of<std::string>({"none", "selective", "full"})));
        if (pp > 1) {
            perhaps(given, "schedule", config::TomlValue(one_of(pipeline_schedule_names())));
            perhaps(given, "interleave", config::TomlValue(one_of<std::int64_t>({1, 2})));
        }
        if (number(8) == 0) {
            given["optimizer"] = one_of<std::string>({"adafactor", "muon", "shampoo", "soap"});
        }
        if (number(8) == 0) {
            given["lora-rank"] = one_of<std::int64_t>({1, 16, 200});
            perhaps(given, "lora-targets", config::TomlValue("attention"));
            perhaps(given, "base-precision", config::TomlValue("nf4"));
        }
        for (const training::LayoutField& field : training::layout_fields()) {
            if (std::holds_alternative<training::ToggleField>(field.kind) && number(20) == 0) {
                given[field.option] = one_of<std::string>({"on", "off"});
            }
        }
        return given;
    }

private:
    std::size_t number(std::size_t below) { return static_cast<std::size_t>(random_() % below); }
    template <class Value>
    Value one_of(const std::vector<Value>& values) {
        return values[number(values.size())];
    }
    void perhaps(Given& given, const char* option, config::TomlValue value) {
        if (number(2) == 0) {
            given[option] = std::move(value);
        }
    }

    std::mt19937_64 random_{26};
    std::vector<std::string> models_ = training::preset_names();
    std::vector<std::string> machines_ = training::machine_names();
};

void set(const std::vector<config::OptionRow>& rows, const Given& given) {
    for (const auto& [name, value] : given) {
        config::set_option(config::row_named(rows, name), "--" + name, value);
    }
}

predict::TrainingOptions training_options(const Given& given) {
    predict::TrainingOptions options;
    set(training_rows(options), given);
    return options;
}

std::optional<TrainingCase> legal_case(const Given& given) {
    try {
        return training_case(training_options(given));
    } catch (const config::UsageError&) {
        return std::nullopt;
    }
}

// Parses a command as a shell would, without quoting.
Given typed_again(const std::string& command) {
    const std::vector<std::string> words = split(command, ' ');
    predict::TrainingOptions options;
    const std::vector<config::OptionRow> rows = training_rows(options);
    Given given;
    for (std::size_t i = 2; i + 1 < words.size(); i += 2) {
        const std::string name = words[i].substr(2);
        given[name] = config::value_of_text(config::row_named(rows, name), words[i + 1]);
    }
    return given;
}

// The input of `ndsim plan` that allows only this layout.
tools::PlanOptions plan_of(const Given& given, const TrainingCase& what) {
    Given asked = given;
    training::Layout layout = what.layout;
    for (const search::PlanAxis& axis : search::plan_axes()) {
        asked[axis.option] = std::int64_t{axis.in(layout)};
    }
    for (const char* const name : {"schedule", "recompute"}) {
        asked[name] = training::option_text(value_of(training::layout_field(name), layout));
    }
    tools::PlanOptions options{.jobs = 1};
    set(plan_rows(options), asked);
    return options;
}

void expect_planned(const Given& given, const TrainingCase& what, const Prediction& step) {
    search::PlanReport report = plan_report(plan_of(given, what), {});
    report.given = given;
    ASSERT_EQ(report.plan.counts.all, 1U);
    ASSERT_EQ(report.plan.rows.size(), step.memory.fits() ? 1U : 0U);
    const search::PlanPoint point = search::points_of(report.question.space, what.model, what.machine).front();
    if (step.memory.fits()) {
        EXPECT_EQ(report.plan.rows.front().step, step.step);
        EXPECT_EQ(report.plan.rows.front().memory, step.memory.fullest().peak.total());
    } else {
        const search::PlanQuestion placed = question_of(report.question, what.gpus());
        const search::PlanOracle::Answer answer =
            search::predictor().simulate(placed, layout_of(placed.space, placed.model, point));
        EXPECT_EQ(answer.step, step.step);
        EXPECT_EQ(answer.memory, step.memory.fullest().peak.total());
    }
    EXPECT_EQ(case_of(report.question, point).layout, what.layout);

    // The printed command reproduces the layout.
    const std::string command = command_of(report, point);
    const TrainingCase again = training_case(training_options(typed_again(command)));
    EXPECT_EQ(again.layout, what.layout) << command;
    EXPECT_EQ(again.machine.gpus_per_node, what.machine.gpus_per_node);
    EXPECT_EQ(predict::predict_step(again.model, again.machine, again.layout).step, step.step) << command;
}

void expect_swept(const Given& given, const Prediction& step) {
    predict::Change configuration;
    for (const auto& [name, value] : given) {
        configuration.emplace_back(name, config::typed_text(value));
    }
    const std::vector<std::string> cells =
        search::result_of(configuration, [](const TrainingCase& what, const predict::PredictOptions&) {
            return predict::predict_step(what.model, what.machine, what.layout, {.details = false});
        });
    EXPECT_EQ(cells[0], step.memory.fits() ? "ok" : "too large");
    EXPECT_EQ(cells[2], fmt::format("{}", seconds(step.step)));
}

json json_of(const tools::Command& command, const Given& given) {
    return json::parse(answer_of(command, given).forms.json());
}

// Compares train's text, JSON and page, explain, memory, and Python's result.
void expect_told(const Given& given, const Prediction& step) {
    explain::StepOptions options;
    set(tools::train_rows(options), given);
    report::Timeline spans;
    explain::StepReport report =
        predicted_step(options, {.hash = true, .on_span = [&](const Span& span) { spans.add(span); }});
    EXPECT_EQ(report.step.step, step.step);
    complete(report, spans.spans);
    report.given = given;
    const json printed = json::parse(json_of(report));
    EXPECT_EQ(printed["step_seconds"].get<double>(), seconds(step.step));
    EXPECT_EQ(printed["memory"]["peak"].get<std::int64_t>(), step.memory.fullest().peak.total());
    EXPECT_EQ(json_of(tools::train_command, given), printed);
    EXPECT_EQ(json_of(tools::memory_command, given)["memory"]["peak"], printed["memory"]["peak"]);

    EXPECT_THAT(answer_of(tools::train_command, given).forms.text(),
                testing::HasSubstr("  step        " + report::time_text(seconds(step.step)) + ";"));
    std::ostringstream page;
    report::write_page(page, timeline_of(report, spans.spans));
    EXPECT_THAT(page.str(), testing::HasSubstr(fmt::format("{:.6g} s", printed["step_seconds"].get<double>())));

    tools::ExplainOptions explained;
    set(explain_rows(explained), given);
    explained.given = given;
    const json sections = json::parse(json_of(explained_training(explained, false).explanation))["sections"];
    EXPECT_EQ(sections["verdict"]["figures"]["step_seconds"]["value"].get<double>(), seconds(step.step));
}

TEST(OneCase, GivesOneStepWhicheverCommandIsAsked) {
    Drawing draw;
    std::set<std::string> machines;
    int fitting = 0;
    int uneven = 0;
    for (int i = 0; i < layouts;) {
        const Given given = draw.options();
        const std::optional<TrainingCase> what = legal_case(given);
        if (!what) {
            continue;
        }
        SCOPED_TRACE(config::json_text(given));
        const Prediction step = predict::predict_step(what->model, what->machine, what->layout, {.details = false});
        expect_planned(given, *what, step);
        expect_swept(given, step);
        if (i % in_full == 0) {
            expect_told(given, step);
        }
        if (HasFailure()) {
            return;
        }
        machines.insert(what->machine.name);
        fitting += step.memory.fits() ? 1 : 0;
        uneven +=
            what->machine.gpus_per_node != training::machine(config::typed_text(given.at("machine"))).gpus_per_node;
        ++i;
    }
    // The draw covers most machines, enough layouts that fit, and nodes that a job fills partly.
    EXPECT_GT(machines.size(), training::machine_names().size() * 9 / 10);
    EXPECT_GT(fitting, layouts / 4);
    EXPECT_GT(uneven, 20);
}

}  // namespace
