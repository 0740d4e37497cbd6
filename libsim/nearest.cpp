#include "libsim/nearest.hpp"

#include <fmt/format.h>
#include <algorithm>

namespace sim {

int edit_distance(std::string_view a, std::string_view b) {
    const std::size_t columns = b.size() + 1;
    std::vector<int> d((a.size() + 1) * columns);
    const auto at = [&](std::size_t i, std::size_t j) -> int& { return d[i * columns + j]; };
    for (std::size_t i = 0; i <= a.size(); ++i) {
        for (std::size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                at(i, j) = static_cast<int>(i + j);
                continue;
            }
            const int replaced = at(i - 1, j - 1) + (a[i - 1] == b[j - 1] ? 0 : 1);
            at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, replaced});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
            }
        }
    }
    return at(a.size(), b.size());
}

std::string nearest(std::string_view name, const std::vector<std::string>& known) {
    std::string best;
    int least = std::max(2, static_cast<int>(name.size()) / 3) + 1;
    for (const std::string& candidate : known) {
        const int distance = edit_distance(name, candidate);
        // A name that would have to be replaced entirely is not near.
        if (distance < least && distance < static_cast<int>(std::max(name.size(), candidate.size()))) {
            least = distance;
            best = candidate;
        }
    }
    return best;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& known, std::string_view prefix) {
    const std::string best = nearest(name, known);
    return best.empty() ? "" : fmt::format("; did you mean {}{}?", prefix, best);
}

}  // namespace sim
