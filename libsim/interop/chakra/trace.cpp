#include "libsim/interop/chakra/trace.hpp"

#include "libsim/config/errors.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::chakra {

std::string describe(const Node& node) {
    if (node.name.empty()) {
        return fmt::format("node {}", node.id);
    }
    // Names come from outside, and are printed on terminals.
    std::string name = config::shortened(node.name);
    std::replace_if(
        name.begin(), name.end(), [](unsigned char c) { return c < ' ' || c == 0x7f; }, ' ');
    return fmt::format("node {} \"{}\"", node.id, name);
}

Size whole_size(const Node& node, int members) {
    if (node.collective != CollectiveKind::all_gather || node.size) {
        return size_of(node);
    }
    std::int64_t bytes = 0;
    if (__builtin_mul_overflow(node.bytes, std::int64_t{members}, &bytes)) {
        throw_count_overflow();
    }
    return Bytes{bytes};
}

}  // namespace sim::chakra
