// Derives a training case from its options, and refuses impossible combinations.
#include "libsim/config/errors.hpp"
#include "libsim/error.hpp"
#include "libsim/nearest.hpp"
#include "libsim/parallel/divide.hpp"
#include "libsim/parallel/pipeline/schedules.hpp"
#include "libsim/predict/machine_file.hpp"
#include "libsim/predict/model_file.hpp"
#include "libsim/predict/step_range.hpp"
#include "libsim/predict/training_options.hpp"
#include "libsim/training/check_layout.hpp"
#include "libsim/training/hardware.hpp"
#include "libsim/training/layer_training.hpp"
#include "libsim/training/memory.hpp"
#include "libsim/training/parameters.hpp"
#include "libsim/training/step/step_plan.hpp"
#include "libsim/training/tower.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace sim::predict {

namespace {

using training::Layout;

// A typical batch of large language models (GPT-3: 3.2 M, Llama 2 and 3: 4 M).
constexpr std::int64_t usual_tokens = 4 << 20;

std::int64_t round_up(std::int64_t n, std::int64_t to) {
    return ceil_div(n, to) * to;
}

// Each size is at most training::most_ranks, so a product of three fits 64 bits.
std::int64_t replica(const Layout& layout) {
    return std::int64_t{layout.parallelism.tp} * layout.parallelism.pp * layout.parallelism.cp;
}

int narrow(std::int64_t n, const char* what) {
    if (n > INT32_MAX) {
        throw config::UsageError(fmt::format("{} would be {}; at most {} are possible", what, n, INT32_MAX));
    }
    return static_cast<int>(n);
}

// dp must be a multiple of this so that the expert groups fit.
std::int64_t dp_step(const Layout& layout) {
    const std::int64_t experts = std::int64_t{layout.parallelism.ep} * layout.parallelism.expert_tp;
    return experts / std::gcd(experts, std::int64_t{layout.parallelism.cp} * layout.parallelism.tp);
}

void derive_dp(const TrainingOptions& options, const training::Machine& machine, Layout& layout,
               std::vector<std::string>& notes) {
    const std::int64_t one = replica(layout);
    const std::string parts =
        fmt::format("tp {} x pp {} x cp {}", layout.parallelism.tp, layout.parallelism.pp, layout.parallelism.cp);
    if (options.has("dp")) {
        narrow(one * layout.parallelism.dp, "the number of GPUs");
        return;
    }
    if (options.has("gpus")) {
        if (options.gpus % one != 0) {
            const std::int64_t below = options.gpus / one * one;
            throw config::UsageError(
                fmt::format("--gpus {} does not divide into replicas of {} GPUs ({}); {}{} would do", options.gpus, one,
                            parts, below > 0 ? fmt::format("{} or ", below) : "", below + one));
        }
        layout.parallelism.dp = narrow(options.gpus / one, "dp");
        notes.push_back(fmt::format("dp {}: {} GPUs / ({})", layout.parallelism.dp, options.gpus, parts));
        return;
    }
    const std::int64_t nodes = round_up(one, machine.gpus_per_node);
    const std::int64_t dp = round_up(nodes % one == 0 ? nodes / one : 1, dp_step(layout));
    layout.parallelism.dp = narrow(dp, "dp");
    narrow(one * dp, "the number of GPUs");
    notes.push_back(fmt::format("{} GPUs: dp {} x {}; --gpus sets another number", one * dp, dp, parts));
}

// A list determines all stages; the rule's own settings would have no effect beside it.
void check_split(const training::LayerSplit& split) {
    const char* const beside = split.drop_last > 0     ? "--drop-last-layers"
                               : split.count_embedding ? "--count-embedding"
                               : split.count_loss      ? "--count-loss"
                                                       : nullptr;
    if (split.is_listed() && beside != nullptr) {
        throw config::UsageError(
            fmt::format("--pipeline-layout says every stage's layers; {} does not go with it", beside));
    }
}

// A list of layers has one number per virtual stage.
void derive_chunks(const TrainingOptions& options, Layout& layout, std::vector<std::string>& notes) {
    const auto listed = static_cast<int>(layout.parallelism.split.layers.size());
    const int chunks = listed / layout.parallelism.pp;
    if (!options.has("interleave") && chunks > 1 && listed % layout.parallelism.pp == 0) {
        layout.parallelism.interleave = chunks;
        notes.push_back(fmt::format("interleave {}: --pipeline-layout has {} stages, pp {}", chunks, listed,
                                    layout.parallelism.pp));
    }
}

void derive_schedule(const TrainingOptions& options, Layout& layout, std::vector<std::string>& notes) {
    check_split(layout.parallelism.split);
    derive_chunks(options, layout, notes);
    if (!options.has("schedule") && layout.parallelism.interleave > 1) {
        layout.parallelism.schedule = usual_pipeline_schedule(layout.parallelism.interleave);
        notes.push_back(fmt::format("schedule {}: interleave {}", layout.parallelism.schedule->name,
                                    layout.parallelism.interleave));
    } else if (!options.has("interleave") && layout.parallelism.interleave == 1 &&
               layout.parallelism.schedule->uses_chunks) {
        layout.parallelism.interleave = 2;
        notes.push_back(
            fmt::format("interleave 2: --schedule {} has several chunks per stage", layout.parallelism.schedule->name));
    }
}

void derive_batch(const TrainingOptions& options, const training::Transformer& model, Layout& layout,
                  std::vector<std::string>& notes) {
    if (options.has("global-batch")) {
        return;
    }
    const std::int64_t round = std::int64_t{layout.parallelism.dp} * layout.batch.micro;
    const std::int64_t tokens = round * model.sequence;
    const std::int64_t micro_batches = round_up(std::max<std::int64_t>(1, (usual_tokens + tokens / 2) / tokens),
                                                std::int64_t{layout.parallelism.pp} * layout.copies());
    layout.batch.global = narrow(round * micro_batches, "the global batch");
    notes.push_back(fmt::format("global batch {}: dp {} x micro-batch {} x {} micro-batches, {:.3g} M tokens",
                                layout.batch.global, layout.parallelism.dp, layout.batch.micro, micro_batches,
                                static_cast<double>(tokens) * static_cast<double>(micro_batches) / 1e6));
}

void derive_arithmetic(const TrainingOptions& options, const training::Accelerator& gpu, Layout& layout,
                       std::vector<std::string>& notes) {
    if (!options.has("precision") && gpu.peak(layout.numerics.precision) <= 0) {
        layout.numerics.precision = gpu.fp16_flops > 0 ? training::Precision::fp16 : training::Precision::fp32;
        notes.push_back(
            fmt::format("precision {}: {} has no bf16 units", name_of(layout.numerics.precision), gpu.name));
    }
    if (!options.has("flash-version") && gpu.flash_version > 0) {
        layout.framework.flash_version = gpu.flash_version;
    }
    if (!options.has("flash-attention") && gpu.flash_version == 0) {
        layout.framework.flash_attention = false;
        notes.push_back(fmt::format("flash-attention off: there is none for {}", gpu.name));
    }
}

void derive_spreading(const TrainingOptions& options, Layout& layout, std::vector<std::string>& notes) {
    if (!options.has("sequence-parallel") && layout.parallelism.tp > 1) {
        // If tp does not divide a rank's tokens, the layout is refused, as in frameworks, rather than silently changed.
        layout.parallelism.sequence_parallel = true;
        notes.push_back(fmt::format("sequence-parallel on: tp {}", layout.parallelism.tp));
    }
    if (!options.has("zero") && layout.replicas() > 1) {
        layout.parallelism.zero = 1;
        notes.push_back(fmt::format("zero 1: optimizer states are spread over dp x cp{}, as is usual",
                                    layout.copies() > 1 ? " and both copies" : ""));
    }
}

// The framework, its loss and the flags that `ndsim plan` prints are one choice.
void derive_loss(Layout& layout, std::vector<std::string>& notes) {
    layout.framework.loss = training::loss_of_framework(layout);
    notes.push_back(
        fmt::format("framework {}: its loss takes {:g} bytes per logit; --framework megatron, deepspeed or "
                    "torch chooses",
                    name_of(layout.framework.loop), training::loss_bytes_per_logit(layout)));
}

void tell_adapters(const training::Transformer& model, const Layout& layout, std::vector<std::string>& notes) {
    const training::Adapters& adapters = layout.adapters;
    if (adapters.exist()) {
        const std::int64_t trained = adapter_numbers(model, adapters).all;
        const auto all = static_cast<double>(trained + parameters_of(model).total());
        notes.push_back(fmt::format("lora-rank {}: {} parameters are trained, {:.3g} % of all; the rest is frozen",
                                    adapters.rank, trained, 100 * static_cast<double>(trained) / all));
    }
}

// The source of a GPU's price: a list, or a line of the user's own file.
std::string source_of_price(const training::Hardware& hardware, const std::string& name_or_file) {
    for (const training::Sourced& number : hardware.numbers) {
        if (number.field == "usd_per_hour") {
            return number.source;
        }
    }
    return fmt::format("the data in {}", name_or_file);
}

// A config.json gives the maximum of a model, and only sometimes the length that it was trained with.
std::string sequence_told(int sequence, const std::string& key) {
    constexpr int usual = 8192;
    if (key != "max_position_embeddings") {
        return fmt::format("sequence {}: {} of config.json, which it was pretrained with; --sequence sets another",
                           sequence, key);
    }
    return fmt::format(
        "sequence {}: max_position_embeddings of config.json, the longest it can take; --sequence{} sets "
        "what it is trained with",
        sequence, sequence > usual ? fmt::format(" {}", usual) : "");
}

// Checks only typed values: a model's own heads may be wider or narrower than hidden / heads.
void require_whole_heads(const training::Transformer& model) {
    try {
        check_divides("hidden numbers", model.hidden, "heads", model.heads);
    } catch (const ProgramError& error) {
        throw config::UsageError(error.what());
    }
}

}  // namespace

training::Transformer model_of(const TrainingOptions& options, std::vector<std::string>& notes) {
    if (options.model.empty()) {
        throw config::UsageError(
            "--model is missing: a preset, a Hugging Face config.json, or a TOML file; see --help");
    }
    ModelFile file = read_model_file(options.model);
    training::Transformer model = std::move(file.model);
    notes.insert(notes.end(), file.remarks.begin(), file.remarks.end());
    const ShapeOverrides& shape = options.shape;
    if (shape.sequence == 0 && !file.sequence_key.empty()) {
        notes.push_back(sequence_told(model.sequence, file.sequence_key));
    }
    const training::Transformer own = model;
    const auto take = [](int& field, int value) { field = value > 0 ? value : field; };
    take(model.layers, shape.layers);
    take(model.hidden, shape.hidden);
    take(model.heads, shape.heads);
    take(model.sequence, shape.sequence);
    take(model.vocabulary, shape.vocabulary);
    model.mtp_layers = options.has("mtp-layers") ? shape.mtp_layers : model.mtp_layers;
    if (shape.hidden > 0 && shape.ffn == 0) {
        model.ffn = narrow(std::int64_t{own.ffn} * model.hidden / own.hidden, "ffn");
        notes.push_back(fmt::format("ffn {}: {} x {} / {}", model.ffn, own.ffn, model.hidden, own.hidden));
    }
    take(model.ffn, shape.ffn);
    if (shape.heads > 0 && shape.kv_heads == 0 && own.kv_heads == own.heads) {
        model.kv_heads = model.heads;
    }
    take(model.kv_heads, shape.kv_heads);
    if ((shape.hidden > 0 || shape.heads > 0) && model.heads > 0) {
        require_whole_heads(model);
        model.head_dim = model.hidden / model.heads;
        notes.push_back(fmt::format("heads of {}: hidden {} / {} heads", model.head_dim, model.hidden, model.heads));
    }
    try {
        if (shape.images > 0) {
            training::give_images(model, shape.images);
        }
        training::check_transformer(model);
    } catch (const ProgramError& error) {
        throw config::UsageError(error.what());
    }
    if (model.tower) {
        notes.push_back(training::images_told(model));
    }
    return model;
}

PricedMachine priced_machine_of(const TrainingOptions& options) {
    training::Hardware hardware = read_machine_with_sources(options.machine);
    const std::string source = source_of_price(hardware, options.machine);
    PricedMachine found{.machine = std::move(hardware.machine)};
    training::Accelerator& gpu = found.machine.gpu;
    if (!options.efficiency.empty()) {
        change_efficiency(gpu, efficiency_changes(options.efficiency));
    }
    if (options.has("usd-per-hour")) {
        gpu.usd_per_hour = options.usd_per_hour;
        found.price = options.usd_per_hour > 0 ? "--usd-per-hour" : "not counted: --usd-per-hour is 0";
        found.price_from = PriceFrom::option;
    } else if (gpu.usd_per_hour <= 0) {
        found.price = fmt::format("no price is known of {}; --usd-per-hour sets one", gpu.name);
    } else {
        found.price = fmt::format("{}; --usd-per-hour sets yours", source);
        found.price_from = source.starts_with(options.machine + ":") ? PriceFrom::file : PriceFrom::list;
    }
    found.machine.derive_network();
    return found;
}

training::Layout layout_of(const TrainingOptions& options, const training::Transformer& model,
                           const training::Machine& machine, std::vector<std::string>& notes) {
    Layout layout = options.layout;
    narrow(replica(layout), "tp x pp x cp");
    derive_dp(options, machine, layout, notes);
    derive_schedule(options, layout, notes);
    derive_batch(options, model, layout, notes);
    derive_arithmetic(options, machine.gpu, layout, notes);
    derive_spreading(options, layout, notes);
    derive_loss(layout, notes);
    tell_adapters(model, layout, notes);
    return layout;
}

TrainingCase training_case(const TrainingOptions& options) {
    std::vector<std::string> notes;
    const training::Transformer model = model_of(options, notes);
    const PricedMachine priced = priced_machine_of(options);
    TrainingCase found = training_case(options, model, priced.machine);
    found.notes.insert(found.notes.begin(), notes.begin(), notes.end());
    found.price = priced.price;
    found.price_from = priced.price_from;
    return found;
}

training::Machine machine_of_job(const training::Machine& machine, int gpus) {
    training::Machine placed = machine;
    placed.place(gpus);
    return placed;
}

namespace {

// The traffic of outer steps.
void add_notes_of_outer_steps(const TrainingCase& what, std::vector<std::string>& notes) {
    const int steps = what.layout.framework.outer_every;
    if (steps == 0) {
        return;
    }
    double most = 0;
    for (const training::StagePlan& stage : training::plan_step(what.model, what.machine, what.layout).stages) {
        most = std::max(most, stage.outer.dense_bytes + stage.outer.expert_bytes);
    }
    notes.push_back(
        fmt::format("outer step once in {} steps: a rank all-reduces {:.3g} GB of deltas with its counterparts in {} "
                    "workers, {:.3g} MB "
                    "a step; the step has its share of that time",
                    steps, most / 1e9, what.layout.shard_copies(), most / steps / 1e6));
}

// The effects of uneven experts and of documents.
void add_notes_of_data(const training::Transformer& model, const Layout& layout, std::vector<std::string>& notes) {
    const training::Batch& batch = layout.batch;
    const double capacity = layout.framework.capacity_factor;
    if (model.experts.count > 0 && (!batch.expert_load.is_even() || capacity > 0)) {
        const training::RoutedRows rows =
            training::routed_rows(batch.expert_load, capacity, model.experts.count, layout.parallelism.ep);
        notes.push_back(fmt::format(
            "experts: the fullest of {} ranks computes {:.3g} times the mean; {:.2g} % of all visits are dropped",
            layout.parallelism.ep, rows.fullest, 100 * (1 - rows.kept)));
    }
    if (batch.documents.exist()) {
        const double all = model.sequence;
        const double slowest = batch.balanced_documents ? 1
                                                        : training::pairs_of_slowest(
                                                              batch.documents, all,
                                                              static_cast<double>(batch.global) / layout.parallelism.dp,
                                                              layout.parallelism.dp);
        notes.push_back(fmt::format(
            "documents: attention over a whole sequence computes {:.3g} % of the pairs of one document; {:.3g} times "
            "that "
            "on the slowest of {} data-parallel ranks",
            100 * training::pairs_within(batch.documents, all, all) / (all * all / 2), slowest, layout.parallelism.dp));
    }
}

}  // namespace

TrainingCase case_of(const training::Transformer& model, const training::Machine& machine, const Layout& layout) {
    TrainingCase found{.model = model, .machine = machine_of_job(machine, layout.ranks()), .layout = layout};
    if (found.machine.gpus_per_node != machine.gpus_per_node) {
        found.notes.push_back(fmt::format("{} of a node's {} GPUs: the job is spread evenly over its nodes",
                                          found.machine.gpus_per_node, machine.gpus_per_node));
    }
    add_notes_of_data(model, layout, found.notes);
    add_notes_of_outer_steps(found, found.notes);
    if (const auto warning = warning_of_range(model, machine)) {
        found.notes.push_back(*warning);
    }
    return found;
}

TrainingCase training_case(const TrainingOptions& options, const training::Transformer& model,
                           const training::Machine& machine) {
    std::vector<std::string> notes;
    const Layout layout = layout_of(options, model, machine, notes);
    const auto problems = training::problems_of(model, machine, layout, options.gpus);
    if (!problems.empty()) {
        std::string text = problems.front().what;
        for (std::size_t i = 1; i < std::min<std::size_t>(problems.size(), 3); ++i) {
            text += "; also: " + problems[i].what;
        }
        throw config::UsageError(text);
    }
    TrainingCase found = case_of(model, machine, layout);
    found.notes.insert(found.notes.begin(), notes.begin(), notes.end());
    return found;
}

}  // namespace sim::predict
