// Wrong scaling studies.
#include "tests/labs/wrong.hpp"
#include "tools/labs/course/scaling_study.hpp"

namespace wrong {

namespace {

using sim::labs::ScalingStudy;

Program scaling(const char* what, const ScalingStudy& how) {
    return {16, what, [how](sim::GPU& gpu, const sim::lab::Given& given) { study(gpu, given, how); }};
}

}  // namespace

std::vector<Program> of_lab_16();
std::vector<Program> of_lab_16() {
    return {
        scaling("two ranks are the base", {.first = 2}),
        scaling("1, 4, 16 ranks", {.factor = 4}),
        scaling("the last number of ranks is left out", {.leaves_out_last = true}),
        scaling("the strong efficiency is the speedup", {.divides_strong = false}),
        scaling("the weak efficiency is a speedup", {.multiplies_weak = true}),
        scaling("all ranks take part in every step", {.all_take_part = true}),
        scaling("no all-reduce", {.communicates = false}),
        scaling("no computation", {.computes = false}),
        scaling("the clock starts after the computation", {.computes_in_time = false}),
        scaling("in percent", {.scale = 100}),
        scaling("shared where they are not to be, and the other way round",
                {.shares_samples = false, .shares_in_weak = true}),
        scaling("upside down, and the weak one divided", {.divides_weak = true, .upside_down = true}),
        scaling("not shared, and divided", {.shares_samples = false, .divides_weak = true}),
        scaling("from the beginning, and not shared", {.shares_samples = false, .from_the_beginning = true}),
    };
}

}  // namespace wrong
