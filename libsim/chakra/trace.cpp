#include "libsim/chakra/trace.hpp"

#include "libsim/config/errors.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::chakra {

std::string describe(const Node& node) {
    if (node.name.empty()) {
        return fmt::format("node {}", node.id);
    }
    // Names come from anywhere, and go to a terminal.
    std::string name = config::shortened(node.name);
    std::replace_if(
        name.begin(), name.end(), [](unsigned char c) { return c < ' ' || c == 0x7f; }, ' ');
    return fmt::format("node {} \"{}\"", node.id, name);
}

}  // namespace sim::chakra
