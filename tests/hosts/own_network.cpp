// A network model defined by the program itself: no ndsim file names it.
#include "tests/support/simulate.hpp"

using namespace sim;
using namespace sim::test;
using namespace std::chrono_literals;

namespace {

class OwnNetwork : public OnBothHosts {};
INSTANTIATE_TEST_SUITE_P(Hosts, OwnNetwork, both_hosts(), host_name);

// Every message costs its sender one hop, and its receiver a microsecond.
struct Hops {
    Duration hop{3us};

    Duration message_time(Size /*size*/, Hop /*hop*/) const { return hop; }
    Duration acknowledgement_time(Hop /*hop*/) const { return 1us; }
};

TEST_P(OwnNetwork, TimesMessagesAsItsModelSays) {
    Cluster cluster = gpu_py();
    cluster.network = Hops{.hop = 5us};
    const Simulation s = simulate_well(ranks(3, cluster), [](GPU& gpu) {
        if (gpu.rank() > 0) {
            gpu.receive(gpu.rank() - 1, "token", Bytes{8});
        }
        if (gpu.rank() < 2) {
            gpu.send(gpu.rank() + 1, "token", Bytes{8});
        }
    });
    // Two messages, the second after the first one's acknowledgement.
    EXPECT_EQ(s.end(), 2 * (5us + 1us));
}

}  // namespace
