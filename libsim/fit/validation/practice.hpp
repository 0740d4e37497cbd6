// A practice holds the framework settings that the record of a run leaves out: published practice, one row per
// framework, and per version of it where versions differ.
//
// A practice never depends on what a run measured: it is found by the words of the run's source, set and notes, by its
// GPU and precision, or by its layout where none is known.
#pragma once

#include "libsim/fit/validation/record.hpp"
#include "libsim/training/layout.hpp"

#include <span>
#include <string>
#include <string_view>

namespace sim::fit {

// The quantity that a framework's authors report as a GPU's memory; see training::MemoryUse.
enum class MemoryMeans : std::uint8_t {
    allocated,  // tensors at their most: torch.cuda.max_memory_allocated
    reserved,   // with what the allocator holds: torch.cuda.max_memory_reserved
    device,     // all of the process, as nvidia-smi shows it
};

struct Practice {
    std::string_view framework;
    std::string_view words;            // any of these, separated by |, in source, set or notes
    std::string_view also = "";        // and any of these, of a run in tables that compare frameworks
    int since = 0;                     // the first version, as year and month of NVIDIA's container: 2606 is 26.06
    std::string_view gpus = "";        // only on these; empty: on all
    std::string_view precisions = "";  // only in these, as records call them; empty: in all
    training::Framework habits;        // flash_version: where it uses flash attention
    int zero = 0;                      // where the record does not say
    bool fp32_gradients = true;        // with fp16 …
    bool fp32_gradients_bf16 = true;   // … and with bf16 or fp8 parameters
    bool sequence_parallel = false;    // where the record does not say and tp > 1
    int vocabulary = 50'257;           // where the record does not say: GPT-2's
    bool pads_vocabulary = false;      // to a multiple of 128 x tp
    bool causal_half = false;          // its FLOP/s leave out attention's masked half
    MemoryMeans memory = MemoryMeans::allocated;
    bool keeps_gathered = false;  // zero 3, where there are stages: parameters are not gathered for the backward pass
    bool micro_batches_are_stages = false;  // as many as stages, where the record does not say how large they are
    int chunks = 0;                         // of a stage, where its schedule has some and the record does not say how
                                            // many; 0: the fastest
    int put_off_outputs = 0;                // of its recipes of dense models with stages
    bool hides_dispatch = false;  // where stages have several chunks: NCCL's all-to-all, beside another micro-batch
    bool has_recipes = false;     // recipe_of()
    bool offloads = false;        // zero 3: activations go to the host where memory is short, and nothing is recomputed
    double products = 1;  // factor of the share of peak that 16-bit products reach: with the libraries of that day
    std::string_view why;
};

// What a recipe of Megatron Bridge recomputes, for models and GPUs.
struct Recipe {
    std::string_view models;     // any of these in the model's name
    std::string_view gpus = "";  // empty: on all
    training::LayerModules recompute;
};
// The first that holds for the record, whose practice it is; null: recipes recompute nothing of this model.
const Recipe* recipe_of(const RunRecord& record, const Practice& practice);

std::span<const Practice> practices();
// The first whose words are found; otherwise the one that the layout looks like.
const Practice& practice_of(const RunRecord& record);

// True if `text` has one of the `words`, separated by |, whatever their case.
bool mentions(std::string_view text, std::string_view words);

}  // namespace sim::fit
