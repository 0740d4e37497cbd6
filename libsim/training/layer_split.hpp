// A layer split is a value that says how many layers each virtual stage of a pipeline has: by a rule, or as a list.
// split.hpp applies it to a model.
//
// The rule spreads layers evenly; the embedding and the loss may each count as a layer, so that the first and the last
// virtual stage have fewer (Megatron-LM's account_for_embedding_in_pipeline_split and …_loss_…). A list is given by the
// user, as numbers or in the text of Megatron-LM's --pipeline-model-parallel-layout.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sim::training {

struct LayerSplit {
    int drop_last = 0;             // layers fewer on each of the first and the last virtual stage
    bool count_embedding = false;  // the embedding counts as a layer of the first virtual stage
    bool count_loss = false;       // the output layer and the loss count as a layer of the last virtual stage
    std::vector<int> layers;       // per virtual stage, in layer order; empty: by the rule
    int prediction_stage = -1;     // the virtual stage of the layers of multi-token prediction; -1: the last one
    int prediction_layers = 0;     // layers of multi-token prediction in the list; -1: it does not say

    bool is_listed() const { return !layers.empty(); }
    friend bool operator==(const LayerSplit&, const LayerSplit&) = default;
};

// Reads "8,8,7,8" (also "0,1*126,0": a number, repeated), or Megatron-LM's text: E embedding, t layer, m layer of
// multi-token prediction, L loss, | between virtual stages, x*n and (…)*n for repetition: "Et*3|(tt|)*29m|L". Commas
// and spaces between them are ignored. Throws ProgramError, one line with the place, for text that is neither.
LayerSplit layer_split_of_text(std::string_view text);

// The list as numbers, "8,8,7,8", with repetitions abbreviated: "0,1*126,0". Empty if there is no list.
std::string text_of(const LayerSplit& split);

}  // namespace sim::training
