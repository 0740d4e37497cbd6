// A layer split is a value that says how many layers each virtual stage of a pipeline has: by a rule, or as a list.
// split.hpp applies it to a model.
//
// The rule spreads layers evenly; what stands at the ends may count as a layer there, so that the first and the last
// virtual stage have fewer (Megatron-LM's account_for_embedding_in_pipeline_split and …_loss_…). A list is given by the
// user, as numbers or in the text of Megatron-LM's --pipeline-model-parallel-layout.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sim::training {

struct LayerSplit {
    int drop_last = 0;             // layers that the first and the last virtual stage have fewer than the others, each
    bool count_embedding = false;  // as a layer of the first virtual stage
    bool count_loss = false;       // the output layer and the loss, as a layer of the last one
    std::vector<int> layers;       // of each virtual stage, in the order of the layers; empty: by the rule
    int prediction_stage = -1;     // the virtual stage of the layers of multi-token prediction; -1: the last one
    int prediction_layers = 0;     // how many the list says there are; -1: it does not say

    bool is_listed() const { return !layers.empty(); }
    friend bool operator==(const LayerSplit&, const LayerSplit&) = default;
};

// Reads "8,8,7,8" (also "0,1*126,0": a number, repeated), or Megatron-LM's text: E embedding, t layer, m layer of
// multi-token prediction, L loss, | between virtual stages, x*n and (…)*n repeated: "Et*3|(tt|)*29m|L". Commas and
// spaces between them mean nothing. Throws ProgramError, one line with the place, for what is neither.
LayerSplit layer_split_of_text(std::string_view text);

// The list as numbers, "8,8,7,8" with repetitions written once: "0,1*126,0". Empty where there is no list.
std::string text_of(const LayerSplit& split);

}  // namespace sim::training
