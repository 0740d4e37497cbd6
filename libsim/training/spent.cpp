#include "libsim/training/spent.hpp"

#include <numeric>

namespace sim::model {

const char* name_of(Spent spent) {
    static constexpr std::array<const char*, spent_kinds> names{"compute",   "recompute", "tensor",   "context",
                                                                "expert",    "pipeline",  "data",     "bubble",
                                                                "optimizer", "overhead",  "straggler"};
    return names[static_cast<std::size_t>(spent)];
}

Duration Parts::total() const {
    return std::accumulate(of.begin(), of.end(), Duration{0});
}

Parts& Parts::operator+=(const Parts& other) {
    for (std::size_t kind = 0; kind < spent_kinds; ++kind) {
        of[kind] += other.of[kind];
    }
    return *this;
}

Parts operator*(std::int64_t times, const Parts& parts) {
    Parts product;
    for (std::size_t kind = 0; kind < spent_kinds; ++kind) {
        product.of[kind] = times * parts.of[kind];
    }
    return product;
}

}  // namespace sim::model
