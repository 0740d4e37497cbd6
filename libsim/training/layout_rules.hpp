// These rules decide, one by one, whether a layout is legal; check_layout.hpp is their front end.
//
// A rule is checked without allocating, and explained only when it is broken. Size rules come first: the others may
// divide and multiply any sizes that these let through.
//
// Only layouts that training frameworks refuse are refused here. Accepted, because they run: sequence parallelism at tp
// = 1 (Megatron-LM turns it off), tp above the number of key-value heads (they are replicated), a vocabulary that tp
// does not divide (it is padded), layers that stages do not divide (split.hpp), ZeRO over one rank, tp across nodes.
#pragma once

#include "libsim/training/check_layout.hpp"

#include <cstdint>
#include <span>
#include <string>

namespace sim::training {

struct LayoutCase {
    const Transformer& model;
    const Machine& machine;
    const Layout& layout;
    int gpus = 0;  // 0: as many as the layout has

    std::int64_t ranks() const;
    // The ranks that experts are spread over: dp x cp x tp.
    std::int64_t expert_ranks() const;
};

struct LayoutRule {
    Misfit misfit;
    bool (*broken)(const LayoutCase&);
    std::string (*why)(const LayoutCase&);  // requires that the rule is broken
};

// The size rules require counts of at least 1 whose products fit an int. Check them in order, up to the first broken
// one.
std::span<const LayoutRule> size_rules();
// In the order in which a search counts them. Require: no size rule is broken, and check_transformer() passed.
std::span<const LayoutRule> width_rules();  // divisors of the model's widths, layers, tokens and experts
std::span<const LayoutRule> step_rules();   // batch, schedule, combinations of options, machine

// "4 and 8 do": the nearest values below and above, up to `limit`, for which `holds` is true; "none does".
template <class Holds>
std::string nearest_that_do(int value, int limit, Holds&& holds) {
    int below = value <= limit ? value - 1 : limit;
    while (below >= 1 && !holds(below)) {
        --below;
    }
    std::int64_t above = std::int64_t{value} + 1;
    while (above <= limit && !holds(static_cast<int>(above))) {
        ++above;
    }
    if (below < 1 && above > limit) {
        return "none does";
    }
    if (below >= 1 && above <= limit) {
        return std::to_string(below) + " and " + std::to_string(above) + " do";
    }
    return std::to_string(below >= 1 ? below : above) + " does";
}

}  // namespace sim::training
