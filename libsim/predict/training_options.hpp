// `ndsim train`, `memory`, `plan` and `sweep` share these options: the model, the machine, and the layout.
//
// Omitted options are derived from the others; every derived value is reported in one line.
#pragma once

#include "libsim/config/given.hpp"
#include "libsim/config/option_row.hpp"
#include "libsim/training/layout.hpp"
#include "libsim/training/machine.hpp"
#include "libsim/training/transformer.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace sim::predict {

// Sizes that override the model's; 0: the model's own.
struct ShapeOverrides {
    int layers = 0;
    int hidden = 0;
    int ffn = 0;
    int heads = 0;
    int kv_heads = 0;
    int images = 0;
    int vocabulary = 0;
    int sequence = 0;
    int mtp_layers = 0;  // only if given, since 0 is valid
};

struct TrainingOptions {
    std::string model;
    std::string machine = "dgx-h100";
    int gpus = 0;  // 0: not given
    ShapeOverrides shape;
    training::Layout layout;
    std::string efficiency;   // KEY=VALUE,KEY=VALUE
    double usd_per_hour = 0;  // of one GPU
    double jitter = 0;
    std::int64_t seed = 1;
    std::set<std::string> given;  // names of the options that were set

    bool has(const std::string& name) const { return given.count(name) > 0; }
};

// The rows of all options; each records in `given` that it was set. `options` must outlive them.
std::vector<config::OptionRow> training_rows(TrainingOptions& options);

// The rows of the layout's options alone (training/layout_fields.hpp). `layout` must outlive them.
std::vector<config::OptionRow> layout_rows(training::Layout& layout);

enum class PriceFrom : std::uint8_t { list, file, option };

struct PricedMachine {
    training::Machine machine;
    std::string price;  // the source of usd_per_hour: "--usd-per-hour", or a source
    PriceFrom price_from = PriceFrom::list;
};

struct TrainingCase {
    training::Transformer model;
    training::Machine machine;
    training::Layout layout;
    std::string price;  // the source of usd_per_hour
    PriceFrom price_from = PriceFrom::list;
    std::vector<std::string> notes;  // the derived values, one line each: "dp 16: 128 GPUs / (tp 8 x pp 1 x cp 1)"

    int gpus() const { return layout.ranks(); }
    // The tokens that a step trains on, summed over data parallelism.
    double tokens_of_step() const { return static_cast<double>(layout.batch.global) * model.sequence; }
};

// The machine with a job of `gpus` GPUs placed on its nodes. All jobs are placed by this function.
training::Machine machine_of_job(const training::Machine& machine, int gpus);

// The case of a layout, with the machine as the job is placed on it. Every prediction is of a case made here, whether
// its layout was given, swept, searched or published.
TrainingCase case_of(const training::Transformer& model, const training::Machine& machine,
                     const training::Layout& layout);

// The parts of training_case(), for callers that search layouts themselves. All throw a one-line UsageError.
training::Transformer model_of(const TrainingOptions& options, std::vector<std::string>& notes);
PricedMachine priced_machine_of(const TrainingOptions& options);
// Derives dp, global batch, schedule and so on if they were not given. The layout may still be impossible.
training::Layout layout_of(const TrainingOptions& options, const training::Transformer& model,
                           const training::Machine& machine, std::vector<std::string>& notes);

// The whole case; its layout is possible, but may need more memory than the machine has.
TrainingCase training_case(const TrainingOptions& options);
// Takes a model and a machine that were already read; the source of their price is left empty.
TrainingCase training_case(const TrainingOptions& options, const training::Transformer& model,
                           const training::Machine& machine);

// Options of `ndsim train` for a layout found in another way: `given` (the options of a question, as typed) with the
// options that `ndsim train` needs to arrive at the layout of `wanted`, and without those that contradict it. GPUs,
// global batch and ZeRO stage are always included, and so are the schedule of a pipeline and several chunks. Requires:
// apart from its layout, the case came from these options.
config::Given given_for(const config::Given& given, const TrainingCase& wanted);

// "ndsim train --model llama3-8b …", which predicts the time and the memory of `wanted`.
std::string train_command(const config::Given& given, const TrainingCase& wanted);

}  // namespace sim::predict
