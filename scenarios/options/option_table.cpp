#include "scenarios/options/option_table.hpp"

#include "libsim/nearest.hpp"
#include "scenarios/errors.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace sim::scenarios {

namespace {

constexpr std::int64_t most_ranks = 100'000;
constexpr std::int64_t most_of_anything = 1'000'000;
constexpr double most_units = 1e9;

Whole whole(int Options::*field, std::int64_t high) {
    return {1, high, [field](Options& o, std::int64_t n) { o.*field = static_cast<int>(n); }};
}
Real real(double Options::*field, double low, double high) {
    return {low, high, [field](Options& o, double x) { o.*field = x; }};
}
Text text(std::string Options::*field) {
    return {[field](Options& o, const std::string& s) { o.*field = s; }};
}
Flag flag(bool Options::*field) {
    return {[field](Options& o, bool b) { o.*field = b; }};
}
Choice choice(std::string Options::*field, std::vector<std::string> names) {
    return {names, [field, names](Options& o, std::size_t i) { o.*field = names[i]; }};
}

Whole axis_size(int Mesh::*axis) {
    return {1, most_ranks, [axis](Options& o, std::int64_t n) { o.mesh.*axis = static_cast<int>(n); }};
}

struct Axis {
    std::string name;
    std::string meaning;
    int Mesh::*size;
};

const std::vector<Axis>& all_axes() {
    static const std::vector<Axis> axes{{"dp", "data parallel", &Mesh::dp},
                                        {"tp", "tensor parallel", &Mesh::tp},
                                        {"pp", "pipeline parallel", &Mesh::pp},
                                        {"ep", "expert parallel", &Mesh::ep},
                                        {"cp", "context parallel", &Mesh::cp}};
    return axes;
}

void add_axes(const Scenario& scenario, std::vector<OptionRow>& rows) {
    const std::string own = scenario.axes.empty() ? "" : fmt::format(", the same as --{}", scenario.axes.front());
    rows.push_back({"ranks", "N", fmt::format("ranks of the scenario's own axis{} ({})", own, scenario.default_ranks),
                    Whole{1, most_ranks, [](Options& o, std::int64_t n) { o.ranks = static_cast<int>(n); }}});
    for (const Axis& axis : all_axes()) {
        for (const std::string& has : scenario.axes) {
            if (has == axis.name) {
                rows.push_back(
                    {axis.name, "N", fmt::format("size of the {} axis", axis.meaning), axis_size(axis.size)});
            }
        }
    }
}

struct Setter {
    const OptionRow& row;
    const std::string& what;
    const TomlValue& value;
    Options& options;

    [[noreturn]] void refuse(const std::string& wanted, const std::string& hint = "") const {
        throw UsageError(fmt::format("{} must be {}, not {}{}", what, wanted, describe(value), hint));
    }

    void operator()(const Whole& kind) const {
        const auto* n = std::get_if<std::int64_t>(&value);
        if (n == nullptr || *n < kind.low || *n > kind.high) {
            refuse(kind.high == INT64_MAX ? fmt::format("a whole number from {}", kind.low)
                                          : fmt::format("a whole number from {} to {}", kind.low, kind.high));
        }
        kind.set(options, *n);
    }
    void operator()(const Real& kind) const {
        double x = std::nan("");
        if (const auto* n = std::get_if<std::int64_t>(&value)) {
            x = static_cast<double>(*n);
        } else if (const auto* d = std::get_if<double>(&value)) {
            x = *d;
        }
        if (!(x >= kind.low && x <= kind.high)) {
            refuse(fmt::format("a number from {} to {:.12g}", kind.low, kind.high));
        }
        kind.set(options, x);
    }
    void operator()(const Choice& kind) const {
        const auto* name = std::get_if<std::string>(&value);
        for (std::size_t i = 0; name != nullptr && i < kind.names.size(); ++i) {
            if (kind.names[i] == *name) {
                return kind.set(options, i);
            }
        }
        refuse(fmt::format("{}", fmt::join(kind.names, " or ")), name ? did_you_mean(*name, kind.names) : "");
    }
    void operator()(const Text& kind) const {
        const auto* s = std::get_if<std::string>(&value);
        if (s == nullptr || s->empty()) {
            refuse("a text that is not empty");
        }
        kind.set(options, *s);
    }
    void operator()(const Flag& kind) const {
        const auto* b = std::get_if<bool>(&value);
        if (b == nullptr) {
            refuse("true or false");
        }
        kind.set(options, *b);
    }
};

template <class Number>
bool parse(const std::string& text, Number& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size() && !text.empty();
}

}  // namespace

std::vector<OptionRow> option_table(const Scenario& scenario) {
    using sim::ranks::Clock;
    using sim::ranks::Host;
    std::vector<OptionRow> rows;
    add_axes(scenario, rows);
    const auto set_host = [](Options& o, std::size_t i) { o.host = i == 0 ? Host::process : Host::fiber; };
    const auto set_clock = [](Options& o, std::size_t i) { o.clock = i == 0 ? Clock::virtual_time : Clock::wall; };
    const auto set_seed = [](Options& o, std::int64_t n) { o.seed = n; };
    rows.insert(
        rows.end(),
        {{"host", "NAME", "how ranks live: process or fiber (process)", Choice{{"process", "fiber"}, set_host}},
         {"clock", "NAME", "virtual: as fast as possible; wall: in step with the wall's clock (virtual)",
          Choice{{"virtual", "wall"}, set_clock}},
         {"time-scale", "S", "wall seconds per simulated second, with --clock wall (1)",
          real(&Options::time_scale, 0, 1e6)},
         {"profile", "NAME|FILE", "what compute and messages cost: gpu-py or a FILE.toml (gpu-py)",
          text(&Options::profile)},
         {"items", "N", "items in a step, over all ranks (16)", whole(&Options::items, most_of_anything)},
         {"compute-units", "X", "cost of one item, forward and backward (20)",
          real(&Options::compute_units, 0, most_units)},
         {"gradient-units", "X", "size of the whole model's gradient (500)",
          real(&Options::gradient_units, 0, most_units)},
         {"activation-units", "X", "size of one item's activation at a layer boundary, where one is sent (50)",
          real(&Options::activation_units, 0, most_units)},
         {"layers", "N", "layers of the model (4)", whole(&Options::layers, 256)},
         {"micro-batches", "N", "micro-batches of a step, where there is a pipeline (4)",
          whole(&Options::micro_batches, most_of_anything)},
         {"steps", "N", "training steps (1)", whole(&Options::steps, most_of_anything)},
         {"schedule", "NAME", "order of a pipeline's work, where there is one (1f1b)",
          choice(&Options::schedule, {"gpipe", "1f1b", "interleaved"})},
         {"seed", "N", "of weights and items (1)", Whole{0, INT64_MAX, set_seed}},
         {"watchdog", "S", "a rank that runs so long without a simulated operation is hung (30)",
          real(&Options::watchdog_seconds, 0.001, 1e6)},
         {"trace", "FILE", "write the timeline as Chrome trace JSON, for ui.perfetto.dev", text(&Options::trace)},
         {"json", "", "print one JSON object instead of the summary", flag(&Options::json)},
         {"verbose", "", "show every log line", flag(&Options::verbose)},
         {"quiet", "", "show no log lines", flag(&Options::quiet)}});
    return rows;
}

void set_option(const OptionRow& row, const std::string& what, const TomlValue& value, Options& options) {
    std::visit(Setter{row, what, value, options}, row.kind);
}

TomlValue value_of_text(const OptionRow& row, const std::string& text) {
    std::int64_t n = 0;
    double x = 0;
    if (std::holds_alternative<Whole>(row.kind) || std::holds_alternative<Real>(row.kind)) {
        if (parse(text, n)) {
            return n;
        }
        if (parse(text, x)) {
            return x;
        }
    }
    if (std::holds_alternative<Flag>(row.kind) && (text == "true" || text == "false")) {
        return text == "true";
    }
    return text;
}

}  // namespace sim::scenarios
