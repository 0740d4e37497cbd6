#include "libsim/training/time_category.hpp"

#include <numeric>

namespace sim::training {

const char* name_of(TimeCategory category) {
    static constexpr std::array<const char*, time_categories> names{"compute",   "recompute", "tensor",   "context",
                                                                    "expert",    "pipeline",  "data",     "bubble",
                                                                    "optimizer", "overhead",  "straggler"};
    return names[static_cast<std::size_t>(category)];
}

Duration Parts::total() const {
    return std::accumulate(of.begin(), of.end(), Duration{0});
}

Parts& Parts::operator+=(const Parts& other) {
    for (std::size_t kind = 0; kind < time_categories; ++kind) {
        of[kind] += other.of[kind];
    }
    return *this;
}

Parts operator*(std::int64_t times, const Parts& parts) {
    Parts product;
    for (std::size_t kind = 0; kind < time_categories; ++kind) {
        product.of[kind] = times * parts.of[kind];
    }
    return product;
}

}  // namespace sim::training
