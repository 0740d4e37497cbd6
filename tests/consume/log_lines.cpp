// The custom scenario again, seen from outside: every rank logs the sum, at the time given by the formula.
#include <libsim/collectives/all_reduce.hpp>
#include <libsim/gpu.hpp>
#include <ranks/launch.hpp>

#include <chrono>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

int main() {
    using namespace std::chrono_literals;
    std::map<int, std::string> logged;
    sim::ranks::LaunchOptions options{.ranks = 4};
    options.on_log = [&](const sim::ranks::LogLine& line) { logged[line.rank] = line.text; };
    const auto result = sim::ranks::launch(options, [](sim::GPU& gpu) {
        gpu.compute("forward and backward", sim::Units{80});
        std::vector<double> gradient(1000, gpu.rank() + 1.0);
        sim::all_reduce(gpu, sim::world(gpu), gradient, sim::Units{500});
        gpu.log("first value " + std::to_string(gradient[0]));
    });
    int wrong = result.ok() ? 0 : 1;
    for (int rank = 0; rank < 4; ++rank) {
        std::printf("rank %d: %s\n", rank, logged[rank].c_str());
        wrong += logged[rank] == "first value 10.000000" ? 0 : 1;
    }
    // 80 units at 0.1 s, then 2 (4 - 1) steps of a quarter of 500 units: 0.05 s + 125 * 0.01 s + 0.05 s
    const bool on_time = result.end == sim::Time{sim::Duration{8s} + 6 * sim::Duration{1350ms}};
    std::printf("%.12g s simulated\n", sim::seconds(result.end));
    return wrong == 0 && on_time ? 0 : 1;
}
