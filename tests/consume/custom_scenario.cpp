#include <libsim/gpu.hpp>
#include <libsim/collectives/all_reduce.hpp>
#include <ranks/launch.hpp>
#include <numeric>
#include <vector>

int main() {
    sim::ranks::LaunchOptions options{.ranks = 4};
    const auto result = sim::ranks::launch(options, [](sim::GPU& gpu) {
        gpu.compute("forward and backward", sim::Units{80});
        std::vector<double> gradient(1000, gpu.rank() + 1.0);
        sim::all_reduce(gpu, sim::world(gpu), gradient, sim::Units{500});   // real data, simulated as 500 units
        gpu.log("first value " + std::to_string(gradient[0]));              // 10 on every rank
    });
    return result.ok() ? 0 : 1;
}
