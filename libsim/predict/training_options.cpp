#include "libsim/predict/training_options.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/config/text_file.hpp"
#include "libsim/error.hpp"
#include "libsim/training/hardware.hpp"
#include "libsim/training/layout_fields.hpp"
#include "libsim/training/presets.hpp"

#include <fmt/format.h>

#include <type_traits>

namespace sim::predict {

using namespace config;

namespace {

constexpr std::int64_t largest_option = 100'000'000;
constexpr std::int64_t most_tokens = 10'000'000;

void add_shape(ShapeOverrides& shape, std::vector<OptionRow>& rows) {
    const std::vector<OptionRow> own = in_group(
        GroupName::model,
        {{"sequence", "N", "sequence length in tokens; 8k is 8,192 (the model's)",
          suffixed(whole(shape.sequence, 1, most_tokens))},
         {"layers", "N", "number of layers (the model's)", whole(shape.layers, 1, training::most_layers)},
         {"hidden", "N", "hidden size; scales ffn and the heads' width, too (the model's)",
          whole(shape.hidden, 1, largest_option)},
         {"ffn", "N", "width of the feed-forward part (the model's)", whole(shape.ffn, 1, largest_option)},
         {"heads", "N", "number of attention heads (the model's)", whole(shape.heads, 1, largest_option)},
         {"kv-heads", "N", "number of key-value heads (the model's)", whole(shape.kv_heads, 1, largest_option)},
         {"mtp-layers", "N", "number of layers of multi-token prediction (the model's)",
          whole(shape.mtp_layers, 0, 16)},
         {"images", "N", "number of images in a sequence, for a model with a tower (the model's)",
          whole(shape.images, 1, 4096)},
         {"vocabulary", "N", "vocabulary size (the model's)", whole(shape.vocabulary, 1, largest_option)}});
    rows.insert(rows.end(), own.begin(), own.end());
}

// Numbers, or a law and its number, are typed; anything else is the name of a file that holds them.
std::string typed_or_in_file(const std::string& typed, const char* option) {
    const bool is_typed = typed.find_first_of("0123456789") == 0 || typed.find(':') != std::string::npos;
    return is_typed ? typed : read_text(typed, fmt::format("a file of numbers for --{}", option));
}

// Makes the option of a layout's switch.
struct FieldOption {
    const training::LayoutField& field;
    training::Layout& layout;

    OptionRow operator()(const training::WholeField& kind) const {
        return row(Whole{kind.low, kind.high,
                         [in = kind.in, &layout = layout](std::int64_t n) { in(layout) = static_cast<int>(n); }});
    }
    OptionRow operator()(const training::RealField& kind) const {
        return row(Real{kind.low, kind.high, [in = kind.in, &layout = layout](double x) { in(layout) = x; }});
    }
    OptionRow operator()(const training::ToggleField& kind) const { return row(on_off(kind.in(layout))); }
    OptionRow operator()(const training::NameField& kind) const {
        return row(Choice{kind.names(), [set = kind.set, &layout = layout](std::size_t i) { set(layout, i); }});
    }
    OptionRow operator()(const training::TextField& kind) const {
        const auto set = [&field = field, kind, &layout = layout](const std::string& text) {
            try {
                kind.set(layout, kind.may_be_file ? typed_or_in_file(text, field.option) : text);
            } catch (const ProgramError& error) {
                throw UsageError(fmt::format("--{}: {}", field.option, error.what()));
            }
        };
        const Known::Path path = kind.may_be_file ? Known::Path::file : Known::Path::none;
        return listing(row(Text{set, {.names = kind.known(), .path = path}}));
    }

private:
    template <class Kind>
    OptionRow row(Kind kind) const {
        return {.name = field.option,
                .takes = field.takes,
                .help = field.help,
                .kind = std::move(kind),
                .group = field.group};
    }
};

// Makes the row record its name when it sets its value.
void note(OptionRow& row, std::set<std::string>& given) {
    std::visit(
        [&](auto& kind) {
            if constexpr (!std::is_same_v<std::decay_t<decltype(kind)>, Custom>) {
                kind.set = [&given, name = row.name, set = kind.set](const auto& value) {
                    given.insert(name);
                    set(value);
                };
            }
        },
        row.kind);
}

}  // namespace

std::vector<OptionRow> layout_rows(training::Layout& layout) {
    std::vector<OptionRow> rows;
    for (const training::LayoutField& field : training::layout_fields()) {
        rows.push_back(std::visit(FieldOption{field, layout}, field.kind));
    }
    return rows;
}

std::vector<OptionRow> training_rows(TrainingOptions& options) {
    std::vector<OptionRow> rows = in_group(
        GroupName::model,
        {{"model", "NAME|FILE", "model: a preset (gpt3-175b, llama3-8b …), a Hugging Face config.json, or a TOML file",
          name_or_file(options.model, training::preset_names())}});
    const auto add = [&](const std::vector<OptionRow>& more) { rows.insert(rows.end(), more.begin(), more.end()); };
    add(in_group(GroupName::machine, {{"machine", "NAME|FILE", "machine: a preset or a TOML file (dgx-h100)",
                                       name_or_file(options.machine, training::machine_names())},
                                      {"gpus", "N", "total number of GPUs (the layout's, or one node)",
                                       whole(options.gpus, 1, training::most_ranks)}}));
    add(layout_rows(options.layout));
    add_shape(options.shape, rows);
    add(in_group(GroupName::machine,
                 {listing({"efficiency", "KEY=VALUE",
                           "efficiencies that override the GPU's: gemm_peak=0.8,nic_share=0.9; GENERATION.KEY for GPUs "
                           "of one generation",
                           text(options.efficiency)}),
                  {"usd-per-hour", "X", "price of one GPU-hour in US dollars (from the machine's data)",
                   real(options.usd_per_hour, 0, 1e6)}}));
    add(in_group(GroupName::run,
                 {{"jitter", "X", "standard deviation of computation times, as a share of their mean (0)",
                   real(options.jitter, 0, 1)},
                  {"seed", "N", "seed of --jitter (1)",
                   Whole{0, INT64_MAX, [&options](std::int64_t n) { options.seed = n; }}}}));
    for (OptionRow& row : rows) {
        note(row, options.given);
    }
    return rows;
}

}  // namespace sim::predict
