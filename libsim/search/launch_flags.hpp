// Launch flags express a layout in the options of the frameworks that would run it.
//
// Sources, read in November 2026: Megatron-LM's megatron/training/arguments.py and its guide to Megatron-FSDP;
// torchtitan's torchtitan/config/job_config.py (version 0.2).
#pragma once

#include "libsim/training/layout.hpp"
#include "libsim/training/transformer.hpp"

#include <string>
#include <vector>

namespace sim::search {

struct LaunchFlags {
    std::string framework;
    std::vector<std::string> lines;  // "--tensor-model-parallel-size 8"
    std::vector<std::string> lacks;  // properties of the layout that the framework does not support, a clause each
};

// The flags cover only layout and batch; model shape, data and learning rate are left out.
LaunchFlags megatron_flags(const training::Transformer& model, const training::Layout& layout);
LaunchFlags torchtitan_flags(const training::Transformer& model, const training::Layout& layout);
// The flags of both.
std::vector<LaunchFlags> launch_flags(const training::Transformer& model, const training::Layout& layout);

// Layers of the virtual stages as Megatron-LM writes them: "Et*2|t*3|t*3|t*2L", "E|(t|)*126L".
std::string megatron_pipeline_layout(const training::Transformer& model, const training::Layout& layout);

}  // namespace sim::search
