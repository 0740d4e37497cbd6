#include "scenarios/options/option_table.hpp"

#include "libsim/nearest.hpp"
#include "libsim/parallel/pipeline/schedules.hpp"
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
    int all = 1;
    for (const auto& [name, size] : scenario.axes) {
        all *= size;
    }
    const std::string first = scenario.axes.empty() ? "" : scenario.axes.front().first;
    const std::string meaning =
        scenario.axes.empty() ? "ranks (1)"
        : scenario.ranks_are_world
            ? fmt::format("all ranks; --{} is what the other axes leave of them ({})", first, all)
            : fmt::format("ranks of the scenario's own axis, the same as --{} ({})", first,
                          scenario.axes.front().second);
    rows.push_back({"ranks", "N", meaning,
                    Whole{1, most_ranks, [](Options& o, std::int64_t n) { o.ranks = static_cast<int>(n); }}});
    for (const Axis& axis : all_axes()) {
        for (const auto& [name, size] : scenario.axes) {
            if (name == axis.name) {
                rows.push_back({axis.name, "N", fmt::format("size of the {} axis ({})", axis.meaning, size),
                                axis_size(axis.size)});
            }
        }
    }
}

Whole model(int training::Shape::*field, std::int64_t low, std::int64_t high) {
    return {low, high, [field](Options& o, std::int64_t n) { o.shape.*field = static_cast<int>(n); }};
}

void add_model(std::vector<OptionRow>& rows) {
    using training::Loss;
    using training::OptimizerKind;
    using training::Shape;
    const auto loss = [](Options& o, std::size_t i) {
        o.shape.loss = i == 0 ? Loss::mean_squared : Loss::cross_entropy;
    };
    const auto optimizer = [](Options& o, std::size_t i) {
        o.optimizer = i == 0 ? OptimizerKind::sgd : OptimizerKind::adam;
    };
    rows.insert(
        rows.end(),
        {{"layers", "N", "layers of the model (4)", model(&Shape::layers, 1, 256)},
         {"hidden", "N", "width of the model that is trained (16)", model(&Shape::hidden, 1, 1024)},
         {"heads", "N", "attention heads of a layer (4)", model(&Shape::heads, 1, 1024)},
         {"sequence", "N", "positions of an item (8)", model(&Shape::sequence, 1, 4096)},
         {"experts", "N", "experts in each layer; 0: none (0, or 2 for each of --ep)", model(&Shape::experts, 0, 1024)},
         {"top-k", "N", "experts for each position, where there are any (2)", model(&Shape::top_k, 1, 1024)},
         {"loss", "NAME", "mean-squared or cross-entropy (mean-squared)",
          Choice{{"mean-squared", "cross-entropy"}, loss}},
         {"optimizer", "NAME", "sgd or adam (sgd)", Choice{{"sgd", "adam"}, optimizer}}});
}

void add_data_parallel(const Scenario& scenario, std::vector<OptionRow>& rows) {
    if (!scenario.has_axis("dp")) {
        return;
    }
    const auto zero = [](Options& o, std::int64_t n) { o.zero = static_cast<int>(n); };
    const auto synchronize = [](Options& o, std::size_t i) { o.synchronize = static_cast<Algorithm>(i); };
    rows.insert(rows.end(),
                {{"zero", "N", "shard over replicas: 1 optimizer states, 2 gradients too, 3 weights too (0)",
                  Whole{0, 3, zero}},
                 {"overlap", "", "add gradients up beside the backward pass", flag(&Options::overlap)},
                 {"buckets", "N", "parts in which gradients are added up (1)", whole(&Options::buckets, 256)},
                 {"synchronize", "NAME", "how gradients are added up: ring, direct or parameter-server (ring)",
                  Choice{{"ring", "direct", "parameter-server"}, synchronize}},
                 {"compress", "NAME", "send less of the gradients: none, top-k or 16-bit (none)",
                  choice(&Options::compress, {"none", "top-k", "16-bit"})},
                 {"compress-fraction", "X", "what --compress top-k sends of them (0.01)",
                  real(&Options::compress_fraction, 1e-9, 1)}});
    if (scenario.item_by_item) {
        rows.insert(rows.end(), {{"accumulate", "N",
                                  "items whose gradients are summed before they are synchronised "
                                  "(all of a step)",
                                  whole(&Options::accumulate, most_of_anything)},
                                 {"weighted", "", "share out the items by the GPUs' speed", flag(&Options::weighted)}});
    }
}

std::vector<std::string> schedule_names() {
    std::vector<std::string> names;
    for (const NamedPipelineSchedule& schedule : pipeline_schedules()) {
        names.emplace_back(schedule.name);
    }
    return names;
}

void add_tensor_and_pipeline(const Scenario& scenario, std::vector<OptionRow>& rows) {
    const std::vector<std::string> names = schedule_names();
    rows.insert(rows.end(),
                {{"micro-batches", "N", "micro-batches of a step, except in 0D and 1D (4)",
                  whole(&Options::micro_batches, most_of_anything)},
                 {"schedule", "NAME", fmt::format("order of a pipeline's work: {} (1f1b)", fmt::join(names, ", ")),
                  choice(&Options::schedule, names)}});
    if (scenario.has_axis("pp")) {
        rows.insert(
            rows.end(),
            {{"chunks", "N", "chunks of the model on each stage (1, or 2 with --schedule interleaved)",
              whole(&Options::chunks, 256)},
             {"blocking-sends", "", "a stage goes on only when what it sends has left", flag(&Options::blocking_sends)},
             {"show-schedule", "", "print what each stage does when, and exit", flag(&Options::show_schedule)}});
    }
    if (scenario.has_axis("tp")) {
        rows.push_back({"sequence-parallel", "", "spread positions over tp where heads are not split",
                        flag(&Options::sequence_parallel)});
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
         {"steps", "N", "training steps (1)", whole(&Options::steps, most_of_anything)},
         {"seed", "N", "of weights and items (1)", Whole{0, INT64_MAX, set_seed}},
         {"watchdog", "S", "a rank that runs so long without a simulated operation is hung (30)",
          real(&Options::watchdog_seconds, 0.001, 1e6)},
         {"trace", "FILE", "write the timeline as Chrome trace JSON, for ui.perfetto.dev", text(&Options::trace)},
         {"json", "", "print one JSON object instead of the summary", flag(&Options::json)},
         {"verbose", "", "show every log line", flag(&Options::verbose)},
         {"quiet", "", "show no log lines", flag(&Options::quiet)}});
    add_model(rows);
    add_tensor_and_pipeline(scenario, rows);
    add_data_parallel(scenario, rows);
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
