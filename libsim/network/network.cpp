#include "libsim/network/network.hpp"

#include "libsim/check.hpp"
#include "libsim/network/uniform.hpp"

namespace sim::network {

Network::Network() : Network(Uniform{}) {}

void refuse_question(const char* what) {
    throw InternalError(fmt::format("ndsim is wrong: this network has no {}", what));
}

}  // namespace sim::network
