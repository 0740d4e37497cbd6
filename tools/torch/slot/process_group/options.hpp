// The options of a backend, including the group's name and ranks, which torch.distributed sets.
//
// PyTorch's own options have both since 2.8; before, only NCCL's had them, and ndsim.torch.distributed sets them for
// gloo.
#pragma once

#include <torch/csrc/distributed/c10d/Backend.hpp>

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace sim::slot {

struct GroupNames {
    std::string group_name;
    std::vector<std::uint64_t> global_ranks_in_group;
};

struct NoNames {};

template <class Options>
concept HasGroupNames = requires(const Options& options) {
    options.group_name;
    options.global_ranks_in_group;
};

struct RankOptions : c10d::Backend::Options,
                     std::conditional_t<HasGroupNames<c10d::Backend::Options>, NoNames, GroupNames> {
    using c10d::Backend::Options::Options;
};

// The names in options filled by torch.distributed: the slot's own options or, since 2.8, any.
template <class Options>
GroupNames names_of(const Options& options) {
    if constexpr (HasGroupNames<Options>) {
        return {options.group_name, options.global_ranks_in_group};
    } else {
        const auto* const own = dynamic_cast<const RankOptions*>(&options);
        return own != nullptr ? names_of(*own) : GroupNames{};
    }
}

}  // namespace sim::slot
