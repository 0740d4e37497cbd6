// Lab 16: how well a training step scales, measured: speedup, strong and weak efficiency.
#include <libsim/collectives/all_reduce.hpp>
#include <ranks/lab.hpp>

#include <vector>

namespace {

using Numbers = std::vector<double>;

// A training step of so many samples on each of the first `ranks` ranks: computes, then adds the gradients up. Returns
// how many simulated seconds it took.
[[maybe_unused]] double step(sim::GPU& gpu, const sim::lab::Given& given, int ranks, std::int64_t samples) {
    const sim::Duration begin = gpu.now();
    gpu.compute("samples", sim::Flops{samples * given.whole("flops_per_sample")});
    sim::all_reduce(gpu, sim::Group::strided(0, 1, ranks), sim::Bytes{given.whole("gradient_bytes")});
    return sim::seconds(gpu.now() - begin);
}

void measure([[maybe_unused]] sim::GPU& gpu, [[maybe_unused]] const sim::lab::Given& given,
             [[maybe_unused]] Numbers& speedup, [[maybe_unused]] Numbers& strong, [[maybe_unused]] Numbers& weak) {
    // Your lines begin here: for 1, 2, 4, … ranks up to all of them, take a step with given["samples"] in all, and one
    // with given["samples"] on each rank. Only the first so many ranks take part.
    // Starter: sim::lab::gap(gpu, "measure the steps here");
    const std::int64_t samples = given.whole("samples");
    double shared_by_one = 0;
    double each_of_one = 0;
    for (int ranks = 1; ranks <= gpu.world_size(); ranks *= 2) {
        if (gpu.rank() < ranks) {
            const double shared = step(gpu, given, ranks, samples / ranks);
            const double each = step(gpu, given, ranks, samples);
            shared_by_one = ranks == 1 ? shared : shared_by_one;
            each_of_one = ranks == 1 ? each : each_of_one;
            speedup.push_back(shared_by_one / shared);
            strong.push_back(shared_by_one / shared / ranks);
            weak.push_back(each_of_one / each);
        }
    }
    // Your lines end here.
}

void program(sim::GPU& gpu, const sim::lab::Given& given) {
    Numbers speedup;
    Numbers strong;
    Numbers weak;
    measure(gpu, given, speedup, strong, weak);
    if (gpu.rank() == 0) {  // it is in every step
        gpu.report("speedup", speedup);
        gpu.report("strong efficiency", strong);
        gpu.report("weak efficiency", weak);
    }
}

}  // namespace

NDSIM_LAB(program)
