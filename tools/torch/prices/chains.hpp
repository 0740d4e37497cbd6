// Chains are the element-wise operators and reductions of each of which torch.compile makes one kernel.
//
// A kernel reads what enters its chain once, and writes what leaves it once. An operator joins the chains that have
// made or read one of its inputs, and so makes one chain of several; a product, or whatever else stays alone, ends the
// chains that it reads from. What leaves a chain is what no operator within it has taken. What one has taken, and is
// needed again later, is made again from what the chain had read, as torch.compile does in the backward pass, where
// that is one tensor of its size or smaller; otherwise it is written after all, and charged when that becomes known. So
// is what is written in place.
//
// An operator costs what it takes to look at its tensors. What 32,768 storages can be made of is remembered, the
// newest.
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

// Of a tensor: its storage, where it begins there, and how many elements it has. Views of one place are the same.
struct Place {
    std::uint64_t storage = 0;
    std::int64_t offset = 0;
    std::int64_t elements = 0;

    friend auto operator<=>(const Place&, const Place&) = default;
};

using BytesOfPlaces = std::map<Place, std::int64_t>;
using BytesOfStorages = std::map<std::uint64_t, std::int64_t>;

// One kernel to be. What it makes is known by its storage, so that views of it are the same.
struct Chain {
    std::vector<std::string> names = {};  // of its operators, each once
    BytesOfPlaces read = {};
    BytesOfStorages made = {};
    BytesOfStorages left = {};     // made, and not taken within the chain
    BytesOfStorages written = {};  // whoever takes it
    std::int64_t late = 0;         // for chains before it, whose result turned out to be needed, or below 0 not to be
    BytesOfPlaces had = {};        // of one that joins a chain that has ended: what needs no reading
    std::uint64_t before = 0;      // of such a one: nothing that it reads is newer than this storage; 0: it is none

    std::string label() const;
    std::int64_t bytes() const;
    void add_name(const std::string& name);
    void take_over(const Chain& other);
};

class Chains {
public:
    using Ended = std::vector<std::unique_ptr<Chain>>;

    // Another operator of a chain. Returns chains that end with it. Requires: call.op().is_fused.
    Ended add(const Call& call);
    // An operator that is a kernel of its own: the chains that end because it reads from them.
    Ended alone(const Call& call);
    // All that are open.
    Ended end();
    // What an operator that is priced by itself leaves behind.
    void see(std::span<const seam::Value> results);

private:
    struct Input {
        Place place;
        std::int64_t bytes;
    };
    // A chain that a product has ended, as those that join it find it.
    struct Past {
        BytesOfPlaces had;
        std::map<std::uint64_t, std::pair<std::int64_t, BytesOfPlaces>> left;  // that nobody has taken, with its roots
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
    std::unordered_map<std::uint64_t, Chain*> made_by_;  // of open chains, by storage
    std::map<Place, Chain*> read_by_;
    std::unordered_map<std::uint64_t, BytesOfPlaces> roots_;  // of what is not in memory: what it can be made of
    std::deque<std::uint64_t> remembered_;                    // storages in the order in which they came to have roots
    std::uint64_t newest_ = 0;                                // storage that an operator has left behind
    std::deque<Past> past_;                                   // the newest last
};

}  // namespace sim::torch::prices
