// Wrong steps with ZeRO.
#include "tests/labs/wrong.hpp"
#include "tools/labs/course/zero_training.hpp"

namespace wrong {

namespace {

using sim::labs::ZeroTraining;

Program zero(const char* what, const ZeroTraining& training, const char* named = "") {
    return {10, what, [training](sim::GPU& gpu, const sim::lab::Given& given) { train(gpu, given, training); }, named};
}

}  // namespace

std::vector<Program> of_lab_10();
std::vector<Program> of_lab_10() {
    constexpr int never = 4;
    return {
        zero("nothing is spread",
             {.spreads_optimizer = never, .spreads_gradients = never, .spreads_parameters = never}),
        zero("the optimizer is spread from stage 2 on", {.spreads_optimizer = 2}),
        zero("gradients are spread in stage 3 alone", {.spreads_gradients = 3}),
        zero("gradients are spread in stage 1, too", {.spreads_gradients = 1}),
        zero("parameters are spread in stage 2, too", {.spreads_parameters = 2}),
        zero("gradients of 2 bytes", {.of_gradient = 2}),
        zero("parameters of 4 bytes", {.of_parameter = 4}),
        zero("4 bytes on the wire", {.sent = 4}),
        zero("gathered in the forward pass alone, and yet released", {.gathers_in_backward = false}),
        zero("layers are never released", {.releases_after_forward = false, .releases_after_backward = false},
             "layers-not-released"),
        zero("nothing is gathered in stage 3", {.gathers_in_stage_3 = false}),
        zero("nothing is scattered", {.scatters = false}),
        zero("nothing is gathered at the end", {.gathers_at_end = false}),
        zero("an all-reduce, and nothing is gathered at the end", {.all_reduces = true, .gathers_at_end = false}),
        zero("the whole model in one collective", {.whole_model_at_once = true}),
        zero("computes nothing", {.computes = false}),
        zero("all states are spread, and the optimizer has 8 bytes",
             {.of_optimizer = 8, .spreads_gradients = 0, .spreads_parameters = 0}),
    };
}

}  // namespace wrong
