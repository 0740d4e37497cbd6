// Wrong single-GPU steps.
#include "tests/labs/wrong.hpp"

#include <cmath>
#include <functional>

namespace wrong {

namespace {

using sim::GPU;
using sim::lab::Given;

// A step in which each decision can be made differently.
struct SequentialStep {
    std::function<double(double items)> count = [](double given) { return given; };
    std::function<double(double units)> units = [](double given) { return given; };
    std::function<double(double sum, double of_item)> add = [](double sum, double of_item) { return sum + of_item; };
    double item_shift = 0;
    double gradient_scale = 1;
    double seconds_scale = 1;
    bool reports_gradient = true;
    bool reports_seconds = true;
    double units_afterwards = 0;
    bool clock_per_item = false;
};

void take(GPU& gpu, const Given& given, const SequentialStep& step) {
    double gradient = 0;
    for (int item = 0; item < step.count(given["items"]); ++item) {
        gpu.compute("item", sim::Units{step.units(given["units"])});
        gradient = step.add(gradient, given["factor"] * (item + 1 + step.item_shift));
        if (step.clock_per_item && item == 0) {
            gpu.report("seconds", sim::seconds(gpu.now()));
        }
    }
    if (step.units_afterwards > 0) {
        gpu.compute("update", sim::Units{step.units_afterwards});
    }
    if (step.reports_gradient) {
        gpu.report("gradient", gradient * step.gradient_scale);
    }
    if (step.reports_seconds && !step.clock_per_item) {
        gpu.report("seconds", sim::seconds(gpu.now()) * step.seconds_scale);
    }
}

Program sequence(const char* what, const SequentialStep& step, const char* named = "") {
    return {0, what, [step](GPU& gpu, const Given& given) { take(gpu, given, step); }, named};
}

}  // namespace

std::vector<Program> of_lab_00();
std::vector<Program> of_lab_00() {
    return {
        sequence("one item more", {.count = [](double items) { return items + 1; }}),
        sequence("the last item is missing", {.count = [](double items) { return items - 1; }}),
        sequence("every item counts as the next one", {.item_shift = 1}),
        sequence("every item counts as the one before", {.item_shift = -1}),
        sequence("the last gradient alone", {.add = [](double, double of_item) { return of_item; }}),
        sequence("the gradients are multiplied",
                 {.add = [](double sum, double of_item) { return (sum + 1) * of_item; }}),
        sequence("half the sum", {.gradient_scale = 0.5}),
        sequence("no gradient is reported", {.reports_gradient = false}),
        sequence("no time is reported", {.reports_seconds = false}),
        sequence("the time in milliseconds", {.seconds_scale = 1000}),
        sequence("an update that nobody asked for", {.units_afterwards = 5}),
        sequence("half the units", {.units = [](double units) { return units / 2; }}),
        sequence("the root of the units", {.units = [](double units) { return std::sqrt(units); }}),
        sequence("the clock after the first item", {.clock_per_item = true}),
        sequence("computes nothing", {.units = [](double) { return 0.0; }}),
        {0, "does nothing", [](GPU&, const Given&) {}},
        {0, "all units in each item, and no report of the time",
         [](GPU& gpu, const Given& given) {
             take(gpu, given,
                  {.units = [&](double units) { return units * given["items"]; }, .reports_seconds = false});
         }},
    };
}

}  // namespace wrong
