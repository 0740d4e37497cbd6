// The uncertainty of an accelerator's predictions is the distance of measured steps from predicted ones: one set of
// numbers per GPU generation.
//
// Each number e means a factor: 8 of 10 measured steps are between exp(-e) and exp(e) times the prediction.
// docs/accuracy.md explains how they were found. A generation without measured runs has the defaults, which are the
// typical error of numbers taken over from another generation.
#pragma once

namespace sim::training {

struct Uncertainty {
    double dense = 0.4;          // steps of models without experts
    double experts = 0.4;        // steps of models with experts
    double small_experts = 0.6;  // … with small products: Transformer::has_small_experts()
    double order = 0.25;         // the ratio of two steps of one model on equally many GPUs with different layouts
};

// The share of measured steps within a prediction's range.
inline constexpr double range_share = 0.8;

}  // namespace sim::training
