// A record describes a published run: model, hardware, layout. Its measurements are kept apart (measured.hpp), so that
// no prediction can look at them.
//
// The schema is that of docs/data/published_runs.json. An empty field means that the source does not give it.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace sim::fit {

struct RunModel {
    std::string name;
    int layers = 0;
    int hidden = 0;
    int ffn = 0;
    int sequence = 0;
    bool gated = false;
    std::optional<int> heads;
    std::optional<int> kv_heads;
    std::optional<int> head_dim;
    std::optional<int> vocabulary;
    std::optional<int> experts;
    std::optional<int> top_k;
    std::optional<int> expert_ffn;
    std::optional<int> shared_experts;
    std::optional<int> dense_layers;
    std::string sliding_window;  // "alternating 128"
    std::string attention;       // "mla"
    std::optional<int> query_rank;
    std::optional<int> key_value_rank;
    std::optional<int> plain_dim;
    std::optional<int> rotary_dim;
    std::optional<int> value_dim;
};

struct RunHardware {
    std::string gpu;
    int gpus_per_node = 0;
    double within = 0;             // GB/s per GPU and direction
    std::optional<double> across;  // the same between nodes
};

struct RunLayout {
    int gpus = 0;
    int dp = 1;
    int tp = 1;
    int pp = 1;
    int cp = 1;
    int ep = 1;
    int expert_tp = 1;
    std::optional<bool> sequence_parallel;
    std::optional<int> zero;
    std::optional<int> interleave;
    bool most_interleave = false;  // "max": one layer per chunk
    std::optional<int> micro_batch;
    std::optional<int> global_batch;
    std::string schedule;
};

struct RunRecord {
    std::string id;
    std::string set;
    std::string source;
    std::string notes;
    RunModel model;
    RunHardware hardware;
    RunLayout layout;
    std::string recompute;
    std::string precision;
    std::string flash_attention;  // "true", "false", "v2" …
    std::string problem;          // why this record cannot be used, and where; if set, only id and set are valid
};

// Returns one record for each of the file, in its order. A bad one has a `problem` and does not affect the others.
// Throws UsageError, naming `file`, for a text without records.
std::vector<RunRecord> read_runs(const std::string& text, const std::string& file);

}  // namespace sim::fit
