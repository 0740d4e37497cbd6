#include "tools/labs/course/scaling_study.hpp"

#include "libsim/collectives/all_reduce.hpp"

namespace sim::labs {

namespace {

double timed_step(GPU& gpu, const Given& given, const ScalingStudy& how, int ranks, std::int64_t samples) {
    Duration begin = how.from_the_beginning ? Duration{0} : gpu.now();
    if (how.computes) {
        gpu.compute("samples", Flops{samples * given.whole("flops_per_sample")});
    }
    if (!how.computes_in_time) {
        begin = gpu.now();
    }
    if (how.communicates) {
        all_reduce(gpu, how.all_take_part ? world(gpu) : Group::strided(0, 1, ranks),
                   Bytes{given.whole("gradient_bytes")});
    }
    return seconds(gpu.now() - begin);
}

}  // namespace

void study(GPU& gpu, const Given& given, const ScalingStudy& how) {
    const std::int64_t samples = given.whole("samples");
    std::vector<double> speedup;
    std::vector<double> strong;
    std::vector<double> weak;
    double strong_base = 0;
    double weak_base = 0;
    const int last = how.leaves_out_last ? gpu.world_size() / 2 : gpu.world_size();
    for (int ranks = how.first; ranks <= last; ranks *= how.factor) {
        if (gpu.rank() >= ranks && !how.all_take_part) {
            continue;
        }
        const double shared = timed_step(gpu, given, how, ranks, how.shares_samples ? samples / ranks : samples);
        const double each = timed_step(gpu, given, how, ranks, how.shares_in_weak ? samples / ranks : samples);
        strong_base = ranks == how.first ? shared : strong_base;
        weak_base = ranks == how.first ? each : weak_base;
        const double faster = how.upside_down ? shared / strong_base : strong_base / shared;
        const double weaker = how.upside_down ? each / weak_base : weak_base / each;
        speedup.push_back(faster);
        strong.push_back(how.scale * (how.divides_strong ? faster / ranks : faster));
        weak.push_back(how.scale * weaker * (how.multiplies_weak ? ranks : 1) / (how.divides_weak ? ranks : 1));
    }
    if (gpu.rank() == 0) {
        gpu.report("speedup", speedup);
        gpu.report("strong efficiency", strong);
        gpu.report("weak efficiency", weak);
    }
}

}  // namespace sim::labs
