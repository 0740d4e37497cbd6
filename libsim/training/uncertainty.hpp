// The uncertainty of an accelerator's predictions: how far measured steps have been from predicted ones, one set of
// numbers per GPU generation.
//
// Each number is e of a factor: 8 of 10 measured steps lie between exp(-e) and exp(e) times the prediction.
// docs/accuracy.md says how they were found. A generation without measured runs has the defaults, which are what
// numbers taken over from another generation are off.
#pragma once

namespace sim::training {

struct Uncertainty {
    double dense = 0.4;          // steps of models without experts
    double experts = 0.4;        // … and with them
    double small_experts = 0.6;  // … where their products are small: Transformer::has_small_experts()
    double order = 0.25;         // the ratio of two steps of one model on as many GPUs, laid out differently
};

// The part of measured steps that lies in a prediction's range.
inline constexpr double range_share = 0.8;

}  // namespace sim::training
