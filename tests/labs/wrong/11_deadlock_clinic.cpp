// Treatments that kill the patient or leave it as it was.
#include "tests/labs/wrong.hpp"
#include "tools/labs/course/clinic_step.hpp"

namespace wrong {

namespace {

using Step = sim::labs::ClinicStep;

Program treatment(const char* what, const Step& step, const char* named = "") {
    return {11, what, [step](sim::GPU& gpu, const sim::lab::Given& given) { run_clinic(gpu, given, step); }, named};
}

}  // namespace

std::vector<Program> of_lab_11();
std::vector<Program> of_lab_11() {
    using enum Step::Exchange;
    return {
        treatment("all send first", {.exchange = all_send_first}),
        treatment("to the left", {.exchange = to_the_left}),
        treatment("the own edge", {.exchange = alone}),
        treatment("all receive first, and the tags differ",
                  {.exchange = all_receive_first, .losses = Step::Losses::tag_of_another}, "all-receive-first"),
        treatment("received in reverse", {.losses = Step::Losses::reversed}),
        treatment("a barrier before the losses", {.losses = Step::Losses::barrier_first}),
        treatment("a barrier behind the edges", {.extra_barrier = true}),
        treatment("no gradient at all", {.gradients = Step::Gradients::of_nobody}),
        treatment("the average", {.gradients = Step::Gradients::averaged}),
        treatment("the largest", {.gradients = Step::Gradients::largest}),
        treatment("added up twice", {.gradients = Step::Gradients::twice}),
        treatment("neither edges nor losses", {.exchange = alone, .losses = Step::Losses::none_sent}),
        treatment("no losses, and a smaller group",
                  {.losses = Step::Losses::none_sent, .gradients = Step::Gradients::of_those_with_samples}),
        treatment("one rank alone receives first, and all average",
                  {.exchange = one_receives_first, .gradients = Step::Gradients::averaged}),
    };
}

}  // namespace wrong
