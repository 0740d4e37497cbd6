// `ndsim train`, `memory`, `plan` and `sweep` share these options: the model, the machine, and the layout.
//
// Options that are left out are derived from those that are given; every derived value is reported in one line.
#pragma once

#include "libsim/config/option_row.hpp"
#include "libsim/training/layout.hpp"
#include "libsim/training/machine.hpp"
#include "libsim/training/transformer.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace sim::predict {

// Sizes in place of the model's own; 0: as the model has it.
struct ShapeOverrides {
    int layers = 0;
    int hidden = 0;
    int ffn = 0;
    int heads = 0;
    int kv_heads = 0;
    int vocabulary = 0;
    int sequence = 0;
    int mtp_layers = 0;  // where it was said
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

// Rows of all of it, which note what they set in `given`. `options` outlives them.
std::vector<config::OptionRow> training_rows(TrainingOptions& options);

enum class PriceFrom : std::uint8_t { list, file, option };

struct PricedMachine {
    training::Machine machine;
    std::string price;  // where usd_per_hour comes from: "--usd-per-hour", or a source
    PriceFrom price_from = PriceFrom::list;
};

struct TrainingCase {
    training::Transformer model;
    training::Machine machine;
    training::Layout layout;
    std::string price;  // where usd_per_hour comes from
    PriceFrom price_from = PriceFrom::list;
    std::vector<std::string> told;  // what was derived, a line each: "dp 16: 128 GPUs / (tp 8 x pp 1 x cp 1)"

    int gpus() const { return layout.ranks(); }
};

// The machine as a job of so many GPUs lies on its nodes. Nothing else places a job.
training::Machine machine_of_job(const training::Machine& machine, int gpus);

// The case of a layout: the machine is as the job lies on its nodes. Every prediction, whether one layout was asked
// for, swept, searched or taken from a published run, is of a case that was made here.
TrainingCase case_of(const training::Transformer& model, const training::Machine& machine,
                     const training::Layout& layout);

// The parts, for callers that search layouts themselves. All throw UsageError, one line.
training::Transformer model_of(const TrainingOptions& options, std::vector<std::string>& told);
PricedMachine priced_machine_of(const TrainingOptions& options);
// dp, global batch, schedule and so on where they were not given. The layout may still be impossible.
training::Layout layout_of(const TrainingOptions& options, const training::Transformer& model,
                           const training::Machine& machine, std::vector<std::string>& told);

// All of it; the layout is possible, though it may need more memory than there is.
TrainingCase training_case(const TrainingOptions& options);
// Takes a model and a machine that were read before; the source of their price is left empty.
TrainingCase training_case(const TrainingOptions& options, const training::Transformer& model,
                           const training::Machine& machine);

}  // namespace sim::predict
