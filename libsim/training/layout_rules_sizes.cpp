#include "libsim/training/layout_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

namespace sim::training {

namespace {

struct Count {
    const char* name;
    int (*of)(const Layout&);
    int least = 1;
    int most = std::numeric_limits<int>::max();
};
template <auto Part, auto Field>
int count_in(const Layout& layout) {
    return layout.*Part.*Field;
}
constexpr auto parallelism_part = &Layout::parallelism;
constexpr auto batch_part = &Layout::batch;
constexpr auto framework_part = &Layout::framework;
constexpr auto counts = std::to_array<Count>({
    {"dp", count_in<parallelism_part, &Parallelism::dp>},
    {"tp", count_in<parallelism_part, &Parallelism::tp>},
    {"pp", count_in<parallelism_part, &Parallelism::pp>},
    {"cp", count_in<parallelism_part, &Parallelism::cp>},
    {"ep", count_in<parallelism_part, &Parallelism::ep>},
    {"expert_tp", count_in<parallelism_part, &Parallelism::expert_tp>},
    {"micro_batch", count_in<batch_part, &Batch::micro>},
    {"global_batch", count_in<batch_part, &Batch::global>},
    {"interleave", count_in<parallelism_part, &Parallelism::interleave>},
    {"drop_last_layers", [](const Layout& layout) { return layout.parallelism.split.drop_last; }, 0},
    {"shard", count_in<parallelism_part, &Parallelism::shard>, 0},
    {"ulysses", count_in<framework_part, &Framework::ulysses>, 0},
    {"zero", count_in<parallelism_part, &Parallelism::zero>, 0, 3},
});

const Count* first_wrong(const Layout& layout) {
    const auto* const found = std::find_if(counts.begin(), counts.end(), [&](const Count& count) {
        return count.of(layout) < count.least || count.of(layout) > count.most;
    });
    return found == counts.end() ? nullptr : found;
}

bool a_count_is_wrong(const LayoutCase& what) {
    return what.gpus < 0 || first_wrong(what.layout) != nullptr;
}

std::string which_count(const LayoutCase& what) {
    const Count* const wrong = first_wrong(what.layout);
    if (wrong == nullptr) {
        return fmt::format("gpus = {}: must be 1 or more", what.gpus);
    }
    const std::string limits = wrong->most == std::numeric_limits<int>::max()
                                   ? fmt::format("{} or more", wrong->least)
                                   : fmt::format("{} to {}", wrong->least, wrong->most);
    return fmt::format("{} = {}: it is {}", wrong->name, wrong->of(what.layout), limits);
}

// Requires factors of at least 1.
bool is_too_large(std::initializer_list<int> factors) {
    constexpr std::int64_t most = std::numeric_limits<int>::max();
    std::int64_t product = 1;
    for (const int factor : factors) {
        product *= factor;  // at most most * most
        if (product > most) {
            return true;
        }
    }
    return false;
}

// Other products of a layout: dp * cp * tp and ep * expert_tp for experts, dp * micro_batch, pp * interleave, and the
// micro-batches of all chunks.
bool products_are_too_large(const LayoutCase& what) {
    const Layout& l = what.layout;
    return is_too_large({l.parallelism.dp, l.parallelism.tp, l.parallelism.pp, l.parallelism.cp}) ||
           is_too_large({l.parallelism.ep, l.parallelism.expert_tp}) ||
           is_too_large({l.parallelism.dp, l.batch.micro}) ||
           is_too_large({l.parallelism.pp, l.parallelism.interleave}) ||
           is_too_large({std::max(1, l.batch.global / l.parallelism.dp / l.batch.micro), l.parallelism.interleave});
}

std::string how_large(const LayoutCase& what) {
    const Layout& l = what.layout;
    return fmt::format(
        "dp {} x tp {} x pp {} x cp {}, ep {} x expert_tp {}, micro_batch {}, interleave {}: no machine has this many "
        "ranks",
        l.parallelism.dp, l.parallelism.tp, l.parallelism.pp, l.parallelism.cp, l.parallelism.ep,
        l.parallelism.expert_tp, l.batch.micro, l.parallelism.interleave);
}

constexpr auto size_rows = std::to_array<LayoutRule>({
    {Misfit::count, a_count_is_wrong, which_count},
    {Misfit::count, products_are_too_large, how_large},
});

}  // namespace

std::span<const LayoutRule> size_rules() {
    return size_rows;
}

std::int64_t LayoutCase::ranks() const {
    return std::int64_t{layout.parallelism.dp} * layout.parallelism.tp * layout.parallelism.pp * layout.parallelism.cp;
}

std::int64_t LayoutCase::expert_ranks() const {
    return std::int64_t{layout.parallelism.dp} * layout.parallelism.cp * layout.parallelism.tp;
}

}  // namespace sim::training
