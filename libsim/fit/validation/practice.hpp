// A practice holds the framework settings that the record of a run leaves out: published practice, one table of
// practices.toml per framework, or per version if versions differ.
//
// A practice never depends on what a run measured: it is found by words in the run's source, set and notes, by its GPU
// and precision, or by its layout if no framework is known.
#pragma once

#include "libsim/fit/validation/record.hpp"
#include "libsim/training/layout.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace sim::fit {

// The quantity that a framework's authors report as a GPU's memory; see training::MemoryUse.
enum class MemoryMeans : std::uint8_t {
    allocated,  // peak of all tensors: torch.cuda.max_memory_allocated
    reserved,   // including the allocator's cache: torch.cuda.max_memory_reserved
    device,     // the whole process, as nvidia-smi shows it
};
const char* name_of(MemoryMeans means);

struct Practice {
    std::string framework;
    std::string words;                // any of these, separated by |, in source, set or notes
    std::string also;                 // and any of these, for tables that compare frameworks
    int since = 0;                    // first version, as year and month of NVIDIA's container: 2606 is 26.06
    std::string gpus;                 // only on these GPUs; empty: all
    std::string precisions;           // only in these, by their names in records; empty: all
    training::Framework habits;       // flash_version applies if it uses flash attention
    int zero = 0;                     // if the record does not give it
    bool fp32_gradients = true;       // with fp16 …
    bool fp32_gradients_bf16 = true;  // … and with bf16 or fp8 parameters
    bool sequence_parallel = false;   // if the record does not give it and tp > 1
    int vocabulary = 50'257;          // if the record does not give it: GPT-2's
    bool pads_vocabulary = false;     // to a multiple of 128 x tp
    bool causal_half = false;         // its FLOP/s leave out attention's masked half
    MemoryMeans memory = MemoryMeans::allocated;
    bool keeps_gathered = false;  // ZeRO 3 with stages: parameters are not gathered again for the backward pass
    bool micro_batches_are_stages = false;  // as many as stages, if the record does not give their size
    int chunks = 0;  // per stage, if the schedule has chunks and the record does not give their number; 0: the fastest
    int deferred_output_wgrads = 0;  // in its recipes for dense models with stages
    bool hides_dispatch = false;     // with several chunks per stage: NCCL's all-to-all overlaps another micro-batch
    bool has_recipes = false;        // that recipe_of() finds
    bool offloads = false;           // ZeRO 3: if memory is short, offloads activations and recomputes nothing
    double products = 1;  // factor on the share of peak that 16-bit products reach with the libraries of that day
    std::string why;
};

// A recipe of Megatron Bridge gives the modules to recompute and the further products to quantise, by model, GPU,
// precision and version.
struct Recipe {
    std::string models;                               // any of these in the model's name
    std::string gpus;                                 // any of these; empty: all
    std::string precisions;                           // any of these, by their names in records; empty: all
    int since = 0;                                    // first version, as in Practice
    std::optional<training::LayerModules> recompute;  // none: not known, or nothing
    bool fp8_attention = false;
    bool fp8_logits = false;
};
// The first recipe that matches the record; null if there is none for it. `practice` is the record's.
const Recipe* recipe_of(const RunRecord& record, const Practice& practice);

// The first practice whose words are found; otherwise the one that the layout suggests.
const Practice& practice_of(const RunRecord& record);

// True if `text` contains one of the `words`, separated by |, in any case.
bool mentions(std::string_view text, std::string_view words);

}  // namespace sim::fit
