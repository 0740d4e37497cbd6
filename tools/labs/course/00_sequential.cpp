// Lab 0: the sum of I equal computations.
#include "tools/labs/checks.hpp"
#include "tools/labs/costs.hpp"

#include <fmt/format.h>

namespace sim::labs {

lab::Program solution_00();

namespace {

struct Sequence {
    std::int64_t items;
    double units;
    double seconds_per_unit;

    explicit Sequence(const Case& played)
        : items(played.given.whole("items")),
          units(played.given["units"]),
          seconds_per_unit(played.given["seconds_per_unit"]) {}

    Duration time() const { return items * UnitCosts{.seconds_per_unit = seconds_per_unit}.compute(Units{units}); }
};

Case sequence_of(double items, double units, double seconds_per_unit, double factor) {
    return {.ranks = 1,
            .costs = UnitCosts{.seconds_per_unit = seconds_per_unit}.entries(),
            .given = Given(
                {{"items", items}, {"units", units}, {"seconds_per_unit", seconds_per_unit}, {"factor", factor}})};
}

std::vector<Case> sequences(std::uint64_t seed) {
    Draw draw(seed, 0);
    const double items = draw.of({8, 12, 20, 24});
    const double units = draw.of({10, 15, 25, 40});
    const double each = draw.of({0.05, 0.2, 0.25});
    const double factor = draw.of({2, 3, 5});
    // Seed 1 is the scenario 0d_sequential, so that the page can walk through it.
    return {seed == 1 ? sequence_of(16, 20, 0.1, factor) : sequence_of(items, units, each, factor),
            sequence_of(items / 4, units + 2.5, 2 * each, factor + 1),
            sequence_of(items + 3, units / 5, each, factor + 2)};
}

double whole_gradient(const Case& played) {
    const std::int64_t items = Sequence(played).items;
    return played.given["factor"] * static_cast<double>(items * (items + 1) / 2);
}

std::vector<Check> grade_sequence(const Case& played, const Record& found, const Record& reference) {
    const Sequence step(played);
    return {reports_are(found, "gradient", {{0, {whole_gradient(played)}}}, "the sum of the gradients of all items"),
            reports_are(found, "seconds", {{0, {seconds(step.time())}}}, "what the clock says after the last item"),
            time_is(found, step.time(),
                    fmt::format("items x units x seconds per unit = {} x {} x {} s", step.items, step.units,
                                step.seconds_per_unit)),
            same_order(found, reference, fmt::format("{} computations of {} units", step.items, step.units))};
}

// A sequence in which every decision can be a mistake.
struct MistakenSequence {
    std::int64_t first_item = 0;
    bool all_units_each = false;
    bool seconds_for_units = false;
    bool in_one_go = false;
    bool clock_first = false;
};

lab::Program mistaken(const MistakenSequence& how) {
    return [how](GPU& gpu, const Given& given) {
        const std::int64_t items = given.whole("items");
        const double units = given["units"];
        const double total = units * static_cast<double>(items);
        if (how.clock_first) {
            gpu.report("seconds", seconds(gpu.now()));
        }
        if (how.in_one_go) {
            gpu.compute("items", Units{total});
        }
        double gradient = 0;
        for (std::int64_t item = how.first_item; item < items; ++item) {
            if (!how.in_one_go) {
                gpu.compute("item", Units{how.all_units_each      ? total
                                          : how.seconds_for_units ? units * given["seconds_per_unit"]
                                                                  : units});
            }
            gradient += given["factor"] * static_cast<double>(item + 1);
        }
        gpu.report("gradient", gradient);
        if (!how.clock_first) {
            gpu.report("seconds", seconds(gpu.now()));
        }
    };
}

std::string says_first_missing(const Case& played, const Record& theirs) {
    return fmt::format("{}: you computed {} items, not {}. Items are numbered from 0, and item 0 is missing.",
                       text_of(theirs.end()), Sequence(played).items - 1, Sequence(played).items);
}
std::string says_all_units(const Case& played, const Record& theirs) {
    const Sequence step(played);
    return fmt::format(
        "{}, {} times as long as it should be: in each of the {} computations you computed the units of all "
        "items together. One item takes {} units.",
        text_of(theirs.end()), step.items, step.items, step.units);
}
std::string says_seconds(const Case& played, const Record& theirs) {
    const Sequence step(played);
    return fmt::format(
        "{}: you gave compute() the seconds of an item, {} x {} s. It takes units, {}, and the simulator knows how "
        "long a unit takes.",
        text_of(theirs.end()), step.units, step.seconds_per_unit, step.units);
}
std::string says_one_go(const Case& played, const Record&) {
    return fmt::format(
        "The time is right, but you computed all items in one go. Compute {} times: from the next lab on, there is "
        "something to do between two items.",
        Sequence(played).items);
}
std::string says_clock_first(const Case&, const Record&) {
    return "You looked at the clock before the GPU had computed, when it was 0 s. Report gpu.now() after the loop.";
}

std::vector<Summands> summands_of_sequence(const Case& played, int) {
    Summands of{.report = "gradient", .kind = "gradients", .owner = "item", .of = {}};
    for (std::int64_t item = 0; item < Sequence(played).items; ++item) {
        of.of.push_back({played.given["factor"] * static_cast<double>(item + 1)});
    }
    return {of};
}

std::vector<Slip> slips_of_sequence(const Case& played) {
    const Sequence step(played);
    const auto items = static_cast<double>(step.items);
    return {{"", step.units * step.seconds_per_unit,
             fmt::format("This is one item; the step has {}, one after another.", step.items)},
            {"", items * step.units,
             fmt::format("These are the units of all items; a unit takes {} s.", step.seconds_per_unit)},
            {"", items * step.seconds_per_unit,
             fmt::format("This is one unit for each item; an item has {} units.", step.units)}};
}

double seconds_of_sequence(const Case& played, const Record&) {
    return seconds(Sequence(played).time());
}

}  // namespace

Lab lab_00();
Lab lab_00() {
    return {.number = 0,
            .folder = "00-sequential",
            .title = "One GPU, item by item",
            .cases = sequences,
            .solution = solution_00(),
            .grade = grade_sequence,
            .mistakes = {{"first-item-missing", mistaken({.first_item = 1}), says_first_missing},
                         {"all-units-in-each-item", mistaken({.all_units_each = true}), says_all_units},
                         {"seconds-for-units", mistaken({.seconds_for_units = true}), says_seconds},
                         {"all-items-in-one-go", mistaken({.in_one_go = true}), says_one_go},
                         {"clock-before-the-work", mistaken({.clock_first = true}), says_clock_first}},
            .prediction = {.question = "How long does the step take?", .truth = seconds_of_sequence},
            .summands = summands_of_sequence,
            .slips = slips_of_sequence};
}

}  // namespace sim::labs
