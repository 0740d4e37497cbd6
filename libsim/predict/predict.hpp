// A prediction covers one training step: its time, the breakdown of that time, and the contents of memory.
//
// The step runs as a rank program (libsim/training/step) in the simulator's kernel; if only its time is requested, just
// its clocks are advanced (folded/folded_step.hpp), with the same result. By default one rank of each pipeline stage
// stands for all that do the same; `unfold` runs every rank, with the same end to the picosecond if stages line up with
// nodes: one of dp x cp x tp and the GPUs of a node divides the other.
#pragma once

#include "libsim/cluster.hpp"
#include "libsim/faults/injection.hpp"
#include "libsim/predict/step_range.hpp"
#include "libsim/replay/recording.hpp"
#include "libsim/trace/span.hpp"
#include "libsim/trace/time_category.hpp"
#include "libsim/training/layout.hpp"
#include "libsim/training/machine.hpp"
#include "libsim/training/memory.hpp"
#include "libsim/training/transformer.hpp"
#include "libsim/units.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace sim::predict {

using training::name_of;

// Seconds by category; their average over all ranks sums up to the step.
using Budget = std::array<double, time_categories>;

// One sort of collective in a step.
struct CommunicationUse {
    std::string what;  // "all-gather of parameters"
    TimeCategory group = TimeCategory::data;
    std::int64_t count = 0;  // per rank and step
    std::int64_t bytes = 0;  // of one collective
    int members = 1;
    bool across_nodes = false;
    std::string algorithm;
    double seconds_alone = 0;    // of one, with no other communication in progress
    double bus_bandwidth = 0;    // bytes per second, as defined by nccl-tests
    double link_share = 0;       // of the link's peak
    double exposed_seconds = 0;  // of all of them together
};

struct Prediction {
    Duration step{0};
    StepRange range;                // the range that measured steps fall into
    double tokens_per_second = 0;   // of all GPUs
    double mfu = 0;                 // model FLOPs (attention in full, no recomputation) / (step x peak)
    double flops_per_second = 0;    // of a GPU: the same FLOPs / step, as Megatron logs them
    double peak_flops = 0;          // of a GPU, per second, in the precision's matrix units: the base of mfu and hfu
    double hfu = 0;                 // including recomputation
    double hfu_without_masked = 0;  // also without the half of causal attention that FlashAttention skips
    Budget budget{};
    std::vector<Budget> stage_budgets;  // of a rank of each pipeline stage
    training::Memory memory;
    std::vector<CommunicationUse> communication;
    double bubble_fraction = 0;
    int simulated_ranks = 0;
    std::int64_t ops = 0;         // 0 if no kernel ran
    std::string timeline_sha256;  // empty unless requested
};

struct PredictOptions {
    bool unfold = false;
    bool hash_timeline = false;
    double jitter = 0;  // standard deviation of a block's time; 0: none. Needs unfold if a stage has more than one rank
    std::uint64_t seed = 1;
    std::vector<faults::Injection> faults = {};  // need unfold, and may end in BrokenRunError
    bool details = true;                         // communication, budgets; a search does without
    SpanSink on_span = nullptr;
    // Called once with the step's program and its cluster. In folded steps some groups stand for larger ones.
    std::function<void(const replay::Recording& program, const Cluster& cluster)> on_program = nullptr;
};

// Throws ProgramError for an impossible layout (see training::check_layout), but not for one that does not fit in
// memory.
Prediction predict_step(const training::Transformer& model, const training::Machine& machine,
                        const training::Layout& layout, const PredictOptions& options = {});

// The cost of a run of many steps.
struct RunCost {
    double steps = 0;
    double seconds = 0;
    double gpu_hours = 0;
    double usd = 0;             // 0: unknown price
    double kilowatt_hours = 0;  // 0: unknown power
};
RunCost cost_of(const Prediction& step, const training::Machine& machine, const training::Layout& layout, double steps);

}  // namespace sim::predict
