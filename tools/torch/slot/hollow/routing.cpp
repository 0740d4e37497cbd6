#include "tools/torch/slot/hollow/routing.hpp"

#include "tools/torch/slot/aliases.hpp"
#include "tools/torch/slot/below_autograd.hpp"
#include "tools/torch/slot/errors.hpp"
#include "tools/torch/slot/hollow.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace sim::slot {

namespace {

struct Declared {
    Routing routing;
    std::function<void(std::int64_t, std::int64_t)> on_choice;
    std::uint64_t calls = 0;
};

Declared& declared() {
    static Declared all;
    return all;
}

// Source: G. Steele, D. Lea, C. Flood, Fast splittable pseudorandom number generators (OOPSLA 2014).
std::uint64_t mixed(std::uint64_t at) {
    at += 0x9e3779b97f4a7c15;
    at = (at ^ (at >> 30U)) * 0xbf58476d1ce4e5b9;
    at = (at ^ (at >> 27U)) * 0x94d049bb133111eb;
    return at ^ (at >> 31U);
}

// A uniform number above 0 and at most 1.
double drawn(std::uint64_t at) {
    return (static_cast<double>(mixed(at) >> 11U) + 1) / 9007199254740992.0;
}

// Weighted sampling without replacement. Source: P. Efraimidis, P. Spirakis, Weighted random sampling with a reservoir
// (Information Processing Letters 97, 2006).
class Picker {
public:
    Picker(std::uint64_t seed, std::vector<double> shares, std::int64_t count)
        : seed_(seed), shares_(std::move(shares)), keys_(static_cast<std::size_t>(count)), order_(keys_.size()) {}

    void row(std::int64_t number, std::int64_t* picked, std::int64_t picks) {
        for (std::size_t i = 0; i < keys_.size(); ++i) {
            const std::uint64_t at = seed_ + static_cast<std::uint64_t>(number) * keys_.size() + i;
            keys_[i] = -std::log(drawn(at)) / (shares_.empty() ? 1.0 : shares_[i]);
        }
        std::iota(order_.begin(), order_.end(), 0);
        std::partial_sort(order_.begin(), order_.begin() + picks, order_.end(),
                          [&](std::int64_t a, std::int64_t b) { return key(a) < key(b); });
        std::copy_n(order_.begin(), picks, picked);
    }

private:
    double key(std::int64_t of) const { return keys_[static_cast<std::size_t>(of)]; }

    std::uint64_t seed_;
    std::vector<double> shares_;
    std::vector<double> keys_;
    std::vector<std::int64_t> order_;
};

std::vector<double> shares_of_call(const Declared& what, std::int64_t count) {
    if (what.routing.shares.empty()) {
        return {};
    }
    const std::vector<double>& row = what.routing.shares[what.calls % what.routing.shares.size()];
    if (std::ssize(row) != count) {
        refuse(c10::str("topk of ", count, " in a hollow run cannot run here: the declared routing has ", row.size(),
                        " shares"));
    }
    return row;
}

}  // namespace

void declare_routing(Routing routing, std::function<void(std::int64_t, std::int64_t)> on_choice) {
    declared() = {std::move(routing), std::move(on_choice), 0};
}

void choose(const at::Tensor& indices, std::int64_t count, std::int64_t dim) {
    if (indices.numel() == 0 || !is_countable(indices)) {
        return;
    }
    const BelowAutograd below;
    Declared& what = declared();
    const at::Tensor target = indices.dim() == 0 ? on_cpu(indices).unsqueeze(0) : on_cpu(indices).movedim(dim, -1);
    const std::int64_t picks = target.size(-1);
    const at::Tensor made = at::empty(target.sizes(), at::TensorOptions(at::kLong).device(at::kCPU));
    std::int64_t* at = made.mutable_data_ptr<std::int64_t>();
    Picker picker(mixed(what.routing.seed) + what.calls * 0x100000000, shares_of_call(what, count), count);
    for (std::int64_t row = 0; row < made.numel() / picks; ++row, at += picks) {
        if (what.routing.is_drawn) {
            picker.row(row, at, picks);
        } else {
            const std::int64_t apart = std::max<std::int64_t>(1, count / picks);
            for (std::int64_t i = 0; i < picks; ++i) {
                at[i] = (row + i * apart) % count;
            }
        }
    }
    ++what.calls;
    target.copy_(made);
    mark_known(indices);
    if (what.on_choice) {
        what.on_choice(picks, count);
    }
}

}  // namespace sim::slot
