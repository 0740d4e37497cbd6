// Layouts that are impossible, do not fit, or are slow.
#include "tests/labs/wrong.hpp"
#include "tools/labs/course/plan_task.hpp"

namespace wrong {

namespace {

Program layout(const char* what, const sim::labs::ReportedLayout& layout) {
    return {14, what, [layout](sim::GPU& gpu, const sim::lab::Given&) { report_layout(gpu, layout); }};
}

}  // namespace

std::vector<Program> of_lab_14();
std::vector<Program> of_lab_14() {
    return {
        layout("three divide nothing", {.tp = 3, .zero = 3}),
        layout("more than there are", {.tp = 8, .cp = 4, .pp = 4}),
        layout("no stages", {.tp = 2, .pp = 0, .zero = 3}),
        layout("half a GPU", {.tp = 0.5, .zero = 3}),
        layout("ZeRO 4", {.tp = 2, .zero = 4}),
        layout("more recomputation than all", {.tp = 2, .zero = 3, .recompute = 2}),
        layout("tensor parallel alone, states on each replica", {.tp = 2}),
        layout("ZeRO 3, whole activations", {.zero = 3}),
        layout("ZeRO 1 alone", {.zero = 1}),
        layout("micro-batches of 16", {.tp = 2, .micro_batch = 16, .zero = 3}),
        layout("stages alone", {.pp = 16, .zero = 1}),
        layout("recomputed, and tensor parallel over the node", {.tp = 8, .zero = 3, .recompute = 1}),
        layout("chunks without stages", {.tp = 2, .interleave = 4, .zero = 3}),
        layout("tensor parallel over two nodes", {.tp = 16, .zero = 3}),
        {14, "reports nothing", [](sim::GPU& gpu, const sim::lab::Given&) { gpu.barrier(); }},
    };
}

}  // namespace wrong
