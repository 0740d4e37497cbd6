#include "libsim/training/layout_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

namespace sim::model {

namespace {

struct Count {
    const char* name;
    int Layout::*field;
    int least = 1;
    int most = std::numeric_limits<int>::max();
};
constexpr auto counts = std::to_array<Count>({
    {"dp", &Layout::dp},
    {"tp", &Layout::tp},
    {"pp", &Layout::pp},
    {"cp", &Layout::cp},
    {"ep", &Layout::ep},
    {"expert_tp", &Layout::expert_tp},
    {"micro_batch", &Layout::micro_batch},
    {"global_batch", &Layout::global_batch},
    {"interleave", &Layout::interleave},
    {"drop_last_layers", &Layout::drop_last_layers, 0},
    {"zero", &Layout::zero, 0, 3},
});

const Count* first_wrong(const Layout& layout) {
    const auto* const found = std::find_if(counts.begin(), counts.end(), [&](const Count& count) {
        return layout.*count.field < count.least || layout.*count.field > count.most;
    });
    return found == counts.end() ? nullptr : found;
}

bool a_count_is_wrong(const LayoutCase& what) {
    return what.gpus < 0 || first_wrong(what.layout) != nullptr;
}

std::string which_count(const LayoutCase& what) {
    const Count* const wrong = first_wrong(what.layout);
    if (wrong == nullptr) {
        return fmt::format("gpus = {}: there is at least 1", what.gpus);
    }
    const std::string limits = wrong->most == std::numeric_limits<int>::max()
                                   ? fmt::format("{} or more", wrong->least)
                                   : fmt::format("{} to {}", wrong->least, wrong->most);
    return fmt::format("{} = {}: it is {}", wrong->name, what.layout.*wrong->field, limits);
}

// Factors of 1 or more.
bool is_too_large(std::initializer_list<int> factors) {
    constexpr std::int64_t most = std::numeric_limits<int>::max();
    std::int64_t product = 1;
    for (const int factor : factors) {
        product *= factor;  // no more than most * most
        if (product > most) {
            return true;
        }
    }
    return false;
}

// What else is multiplied of a layout: dp * cp * tp and ep * expert_tp for experts, dp * micro_batch, pp * interleave,
// and the micro-batches of all chunks.
bool products_are_too_large(const LayoutCase& what) {
    const Layout& l = what.layout;
    return is_too_large({l.dp, l.tp, l.pp, l.cp}) || is_too_large({l.ep, l.expert_tp}) ||
           is_too_large({l.dp, l.micro_batch}) || is_too_large({l.pp, l.interleave}) ||
           is_too_large({std::max(1, l.global_batch / l.dp / l.micro_batch), l.interleave});
}

std::string how_large(const LayoutCase& what) {
    const Layout& l = what.layout;
    return fmt::format(
        "dp {} x tp {} x pp {} x cp {}, ep {} x expert_tp {}, micro_batch {}, interleave {}: no machine "
        "has so many ranks",
        l.dp, l.tp, l.pp, l.cp, l.ep, l.expert_tp, l.micro_batch, l.interleave);
}

constexpr auto rules = std::to_array<LayoutRule>({
    {Misfit::count, a_count_is_wrong, which_count},
    {Misfit::count, products_are_too_large, how_large},
});

}  // namespace

std::span<const LayoutRule> size_rules() {
    return rules;
}

std::int64_t LayoutCase::ranks() const {
    return std::int64_t{layout.dp} * layout.tp * layout.pp * layout.cp;
}

std::int64_t LayoutCase::expert_ranks() const {
    return std::int64_t{layout.dp} * layout.cp * layout.tp;
}

}  // namespace sim::model
