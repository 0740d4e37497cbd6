#include "tools/labs/show/records.hpp"

namespace sim::labs {

using namespace report::keys;

const report::Record<Desk>& desk_record() {
    static const report::Record<Desk> record(
        "A learner's folder of one lab.",
        {whole<Desk>("lab", "Number of the lab.", [](const Desk& of) { return of.lab->number; }),
         name<Desk>("name", "Name of the lab, which is that of its folder.",
                    [](const Desk& of) { return of.lab->folder; }),
         one_of<Desk>("language", {"cpp", "python", "torch"}, "Language of the program.",
                      [](const Desk& of) { return name_of(of.language); }),
         whole<Desk>("seed", "Seed of the lab's numbers.", &Desk::seed)});
    return record;
}

const report::Record<PredictionVerdict>& prediction_record() {
    using Told = PredictionVerdict;
    static const report::Record<Told> record(
        "A prediction.",
        {number<Told>("predicted", "The prediction, in seconds, bytes, percent or as a number, as the question asks.",
                      &Told::predicted),
         or_null(number<Told>("truth",
                              "The right value, in the same unit; null until the lab is passed or three predictions "
                              "were made.",
                              &Told::truth),
                 &Told::told_truth),
         or_null(
             number<Told>("ratio", "The prediction divided by the right value; null as long as that.", &Told::ratio),
             &Told::told_ratio),
         truth<Told>("within", "True if it is within the lab's tolerance.", &Told::within)});
    return record;
}

}  // namespace sim::labs
