#include "tools/ndsim/compare/compared_run.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/config/text_file.hpp"
#include "tools/ndsim/compare/result_file.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::tools {

using namespace config;

namespace {

std::string in_words(const ResultJson& value) {
    return value.is_string() ? value.get<std::string>()
                             : value.dump(-1, ' ', true, ResultJson::error_handler_t::replace);
}

// {"a": {"b": 1}} gives "a.b": "1".
void add_settings(const std::string& prefix, const ResultJson& value,
                  std::vector<std::pair<std::string, std::string>>& to) {
    if (!value.is_object()) {
        to.emplace_back(prefix, in_words(value));
        return;
    }
    for (const auto& [key, inner] : value.items()) {
        add_settings(key, inner, to);
    }
}

ComparedRun prediction(const ResultJson& json) {
    ComparedRun run{.is_prediction = true};
    run.name = fmt::format("{} on {}", in_words(json.at("model")), in_words(json.at("machine")));
    run.seconds = json.at("step_seconds").get<double>();
    for (std::size_t i = 0; i < time_categories; ++i) {
        const auto category = static_cast<TimeCategory>(i);
        run.lines.push_back(
            {title_of(category), part_of(category), json.at("breakdown").at(name_of(category)).get<double>()});
    }
    if (json.contains("memory")) {
        run.peak_bytes = json.at("memory").at("peak").get<std::int64_t>();
    }
    if (json.contains("model_flops_per_second_per_gpu")) {
        run.flops_per_second = json.at("model_flops_per_second_per_gpu").get<double>();
    }
    for (const char* const key : {"model", "machine", "gpus", "layout"}) {
        add_settings(key, json.at(key), run.settings);
    }
    return run;
}

std::int64_t billionths(const ResultJson& units) {
    return Units{units.get<double>()}.billionths();
}

trace::RankTotals totals_of_rank(const ResultJson& rank) {
    const auto duration = [&](const char* key) { return duration_of_seconds(rank.at(key).get<double>()); };
    return {.compute = duration("compute_seconds"),
            .communication = duration("communication_seconds"),
            .idle = duration("idle_seconds"),
            .bytes_sent = rank.at("bytes_sent").get<std::int64_t>(),
            .billionths_sent = billionths(rank.at("units_sent")),
            .messages_sent = rank.at("messages_sent").get<std::int64_t>(),
            .peak_billionths = billionths(rank.at("peak_memory_units"))};
}

double mean_of(const ResultJson& json, const char* key) {
    double sum = 0;
    for (const ResultJson& rank : json.at("per_rank")) {
        sum += rank.at(key).get<double>();
    }
    return sum / static_cast<double>(json.at("per_rank").size());
}

ComparedRun scenario(const ResultJson& json) {
    ComparedRun run{.name = in_words(json.at("scenario")), .seconds = json.at("simulated_seconds").get<double>()};
    const double bubble = json.at("bubble_fraction").get<double>() * run.seconds;
    run.lines = {{"compute", TimePart::compute, mean_of(json, "compute_seconds")},
                 {"exposed communication", TimePart::communication, mean_of(json, "communication_seconds")},
                 {"bubble", TimePart::bubble, bubble},
                 {"other waiting", TimePart::rest, std::max(0.0, mean_of(json, "idle_seconds") - bubble)}};
    for (const char* const key : {"scenario", "profile", "ranks", "mesh", "options"}) {
        add_settings(key, json.at(key), run.settings);
    }
    run.profile = in_words(json.at("profile"));
    for (const ResultJson& rank : json.at("per_rank")) {
        run.totals.push_back(totals_of_rank(rank));
        run.peak_units = std::max(run.peak_units.value_or(0), rank.at("peak_memory_units").get<double>());
    }
    return run;
}

ComparedRun run_of(const ResultJson& json) {
    return json.contains("step_seconds") ? prediction(json) : scenario(json);
}

}  // namespace

std::array<double, time_parts> ComparedRun::parts() const {
    std::array<double, time_parts> sums{};
    for (const ComparedLine& line : lines) {
        sums[static_cast<std::size_t>(line.part)] += line.seconds;
    }
    return sums;
}

ComparedRun read_run(const std::string& file) {
    return run_of_text(file, read_json_text(file, "a JSON file", written_by_programs));
}

ComparedRun run_of_text(const std::string& file, const std::string& text) {
    return read_result(file, text, [&](const ResultJson& json) {
        ComparedRun run = run_of(json);
        run.file = file;
        run.timeline_sha256 = json.at("timeline_sha256").get<std::string>();
        if (json.contains("given")) {
            run.given = given_of_json(json.at("given").dump(), file + ": given");
        }
        return run;
    });
}

void refuse_result(const std::string& file, const std::string& what) {
    throw UsageError(fmt::format("{}: must be what a scenario or ndsim train prints with --json, not {}", file, what));
}

void check_result(const std::string& file, const ResultJson& json) {
    if (!json.is_object()) {
        refuse_result(file, json.is_array() ? "a list" : shortened(in_words(json)));
    }
    if (json.contains("command") && json.at("command") != "train") {
        refuse_result(file, fmt::format("a result of ndsim {}", shortened(in_words(json.at("command")))));
    }
    if (!json.contains("step_seconds") &&
        !(json.contains("scenario") && json.contains("per_rank") && !json.at("per_rank").empty())) {
        refuse_result(file, "another object");
    }
}

}  // namespace sim::tools
