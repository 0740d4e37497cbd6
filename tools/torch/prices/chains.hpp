// Chains are the groups of element-wise operators and reductions that torch.compile fuses into one kernel each.
//
// A kernel reads each input of its chain once and writes each output once. An operator joins the chains that made or
// read one of its inputs, and so merges several into one; a product, or any other operator that is not fused, ends the
// chains that it reads from. A tensor is an output if no operator of the chain consumes it. A consumed tensor that is
// needed again later is recomputed from what its chain read, as torch.compile does in the backward pass, if that is one
// tensor of its size or smaller. Otherwise it is written after all, and charged when that becomes known. Tensors that
// are written in place are written, too.
//
// The cost of an operator is linear in its tensors. The roots of the latest 32,768 storages are remembered.
#pragma once

#include "tools/torch/prices/call.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace sim::torch::prices {

// The place of a tensor: its storage, its offset there, and its number of elements. Views of one place are equal.
struct Place {
    std::uint64_t storage = 0;
    std::int64_t offset = 0;
    std::int64_t elements = 0;

    friend auto operator<=>(const Place&, const Place&) = default;
};

using BytesOfPlaces = std::map<Place, std::int64_t>;
using BytesOfStorages = std::map<std::uint64_t, std::int64_t>;

// A future kernel. Its outputs are identified by storage, so that views of them are the same.
struct Chain {
    std::vector<std::string> names = {};  // distinct names of its operators
    BytesOfPlaces read = {};
    BytesOfStorages made = {};
    BytesOfStorages left = {};     // made, and not consumed within the chain
    BytesOfStorages written = {};  // written, even if consumed
    std::int64_t late = 0;         // corrections for earlier chains: results that must be written, or (< 0) need not be
    BytesOfPlaces had = {};        // if it joins an ended chain: places that it need not read again
    std::uint64_t before = 0;      // if it joins an ended chain: its inputs are no newer than this storage; else 0

    std::string label() const;
    std::int64_t bytes() const;
    void add_name(const std::string& name);
    void take_over(const Chain& other);
};

class Chains {
public:
    using Ended = std::vector<std::unique_ptr<Chain>>;

    // Whether an operator belongs into a chain: one that is fused, the choice of one element from each row that a chain
    // made, or its gradient.
    bool takes(const Call& call) const;
    // Adds an operator to a chain. Returns chains that end with it. Requires: takes(call).
    Ended add(const Call& call);
    // Adds an operator with a kernel of its own. Returns the chains that end because it reads from them.
    Ended alone(const Call& call);
    // Ends all open chains.
    Ended end();
    // Notes the results of an operator that is priced by itself.
    void see(std::span<const seam::Value> results);

private:
    struct Input {
        Place place;
        std::int64_t bytes;
    };
    // A chain that a product has ended, for chains that may still join it.
    struct Past {
        BytesOfPlaces had;
        std::map<std::uint64_t, std::pair<std::int64_t, BytesOfPlaces>>
            left;  // outputs not consumed yet, and their roots
        std::uint64_t newest;
    };

    Chain& joined(const std::vector<Input>& inputs);
    Chain& begun(const std::vector<Input>& inputs);
    bool may_join(const Chain& chain, const std::vector<Input>& inputs) const;
    void keep(const Chain& chain);
    void is_needed(std::uint64_t storage);
    BytesOfPlaces enter(Chain& chain, const Input& input);
    void read(Chain& chain, const BytesOfPlaces& places);
    void leave(Chain& chain, const Call& call, const BytesOfPlaces& roots);
    std::unique_ptr<Chain> ended(Chain& chain);
    void forget(const Chain& chain);
    void remember(std::uint64_t storage, const BytesOfPlaces& roots);
    const BytesOfPlaces* roots_of(std::uint64_t storage) const;

    std::vector<std::unique_ptr<Chain>> open_;
    std::unordered_map<std::uint64_t, Chain*> made_by_;  // open chains, by the storages they made
    std::map<Place, Chain*> read_by_;
    std::unordered_map<std::uint64_t, BytesOfPlaces> roots_;  // for storages not in memory: what to recompute them from
    std::deque<std::uint64_t> remembered_;                    // storages in the order in which they got roots
    std::uint64_t newest_ = 0;                                // newest storage among all results
    std::deque<Past> past_;                                   // newest last
};

}  // namespace sim::torch::prices
