#include "libsim/faults/part.hpp"

namespace sim::faults {

const char* name_of(Part part) {
    switch (part) {
        case Part::gpu: return "GPU";
        case Part::node: return "node";
        case Part::link: return "link";
    }
    return "?";
}

const char* typed_name_of(Part part) {
    switch (part) {
        case Part::gpu: return "rank";
        case Part::node: return "node";
        case Part::link: return "nic";
    }
    return "?";
}

}  // namespace sim::faults
