// libsim without ranks/: the units and the cost of a message.
#include <libsim/cluster.hpp>
#include <libsim/units.hpp>

#include <chrono>

int main() {
    using namespace std::chrono_literals;
    return sim::transfer_time(sim::gpu_py(), sim::Units{100}) == sim::Duration{1050ms} ? 0 : 1;
}
