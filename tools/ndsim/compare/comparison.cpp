#include "tools/ndsim/compare/compared_run.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/report/amounts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace sim::tools {

using namespace report;

namespace {

std::string setting_of(const ComparedRun& run, const std::string& name) {
    const auto found = std::find_if(run.settings.begin(), run.settings.end(),
                                    [&](const auto& setting) { return setting.first == name; });
    return found == run.settings.end() ? std::string() : found->second;
}

// Adds given options that differ and that the results do not list among their settings (under a name with "_").
void add_given(const ComparedRun& a, const ComparedRun& b, std::vector<ComparedSetting>& changed) {
    const config::Given from = a.given.value_or(config::Given{});
    const config::Given to = b.given.value_or(config::Given{});
    config::Given all = from;
    all.insert(to.begin(), to.end());
    const auto value = [](const config::Given& given, const std::string& name) {
        const auto found = given.find(name);
        return found == given.end() ? std::string("default") : config::typed_text(found->second);
    };
    for (const auto& [name, ignored] : all) {
        std::string key = name;
        std::replace(key.begin(), key.end(), '-', '_');
        const bool is_repeated = !setting_of(a, key).empty() || !setting_of(b, key).empty();
        if (!is_repeated && value(from, name) != value(to, name)) {
            changed.push_back({key, value(from, name), value(to, name)});
        }
    }
}

std::vector<ComparedSetting> changes(const ComparedRun& a, const ComparedRun& b) {
    std::vector<ComparedSetting> result;
    for (const auto& [name, from] : a.settings) {
        if (const std::string to = setting_of(b, name); to != from) {
            result.push_back({name, from, to});
        }
    }
    for (const auto& [name, to] : b.settings) {
        if (setting_of(a, name).empty() && !to.empty()) {
            result.push_back({name, "", to});
        }
    }
    add_given(a, b, result);
    return result;
}

// "dp 4 -> 8, tp 2 -> 1": the first few.
std::string what_changed(const std::vector<ComparedSetting>& changed) {
    constexpr std::size_t most = 4;
    std::vector<std::string> words;
    for (const ComparedSetting& one : changed) {
        if (words.size() == most) {
            words.push_back(fmt::format("{} more", changed.size() - most));
            break;
        }
        words.push_back(fmt::format("{} {} -> {}", one.name, one.a.empty() ? "none" : config::shortened(one.a, 30),
                                    one.b.empty() ? "none" : config::shortened(one.b, 30)));
    }
    return fmt::format("{}", fmt::join(words, ", "));
}

// "B takes 2.10 s (6.2 %) less than A: exposed communication -2.50 s, bubble +0.40 s; changed: dp 4 -> 8."
std::string sentence(const report::Comparison& comparison) {
    const ComparedTime& all = comparison.all;
    const double difference = all.difference();
    const std::string asked =
        comparison.changed.empty() ? "all options are the same" : "changed: " + what_changed(comparison.changed);
    // A billionth of the time is rounding.
    if (std::abs(difference) <= 1e-9 * std::max(all.a, all.b)) {
        return fmt::format("A and B take the same time; {}.", asked);
    }
    std::vector<ComparedTime> causes;
    std::copy_if(comparison.parts.begin(), comparison.parts.end(), std::back_inserter(causes),
                 [&](const ComparedTime& part) { return std::abs(part.difference()) >= 0.01 * std::abs(difference); });
    std::stable_sort(causes.begin(), causes.end(), [](const ComparedTime& x, const ComparedTime& y) {
        return std::abs(x.difference()) > std::abs(y.difference());
    });
    std::vector<std::string> words;
    for (const ComparedTime& cause : causes) {
        words.push_back(fmt::format("{} {:+.4g} s", cause.name, cause.difference()));
    }
    return fmt::format("B takes {:.4g} s ({:.1f} %) {} than A: {}; {}.", std::abs(difference),
                       100 * std::abs(difference) / all.a, difference < 0 ? "less" : "more", fmt::join(words, ", "),
                       asked);
}

template <class Text>
ComparedFigure figure_of(const char* name, double a, double b, const Text& text) {
    return {name, text(a), text(b), change_text(b - a, a)};
}

std::vector<ComparedFigure> figures_of(const ComparedRun& a, const ComparedRun& b) {
    constexpr const char* memory = "memory of the fullest GPU";
    std::vector<ComparedFigure> figures;
    if (a.flops_per_second && b.flops_per_second) {
        figures.push_back(figure_of("FLOPs of the model per GPU", *a.flops_per_second, *b.flops_per_second,
                                    [](double rate) { return teraflops_text(rate) + " TFLOP/s"; }));
    }
    if (a.peak_bytes && b.peak_bytes) {
        figures.push_back(figure_of(memory, static_cast<double>(*a.peak_bytes), static_cast<double>(*b.peak_bytes),
                                    [](double bytes) { return bytes_text(bytes); }));
    } else if (a.peak_units.value_or(0) > 0 && b.peak_units) {
        figures.push_back(figure_of(memory, *a.peak_units, *b.peak_units,
                                    [](double units) { return fmt::format("{:.6g} units", units); }));
    }
    return figures;
}

}  // namespace

std::string change_text(double difference, double whole) {
    return whole == 0 ? "-" : fmt::format("{:+.1f} %", 100 * difference / whole);
}

report::Comparison compared(const ComparedRun& a, const ComparedRun& b) {
    if (a.is_prediction != b.is_prediction) {
        const auto kind = [](const ComparedRun& run) { return run.is_prediction ? "ndsim train" : "a scenario"; };
        throw config::UsageError(
            fmt::format("{} is of {} and {} of {}; both must be of the same", a.file, kind(a), b.file, kind(b)));
    }
    report::Comparison comparison{.all = {"all", a.seconds, b.seconds},
                                  .parts = {},
                                  .figures = figures_of(a, b),
                                  .changed = changes(a, b),
                                  .sentence = ""};
    const auto before = a.parts();
    const auto after = b.parts();
    for (std::size_t i = 0; i < time_parts; ++i) {
        comparison.parts.push_back({title_of(static_cast<TimePart>(i)), before[i], after[i]});
    }
    comparison.sentence = sentence(comparison);
    return comparison;
}

}  // namespace sim::tools
