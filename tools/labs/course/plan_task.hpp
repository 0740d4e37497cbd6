// The task of lab 14: one model to train on 64 GPUs, a layout that a program reports for it, and the evaluation of
// both.
#pragma once

#include "libsim/search/search.hpp"
#include "tools/labs/lab.hpp"

#include <string>

namespace sim::labs {

// A layout as the lab's programs report it, one number per name.
struct ReportedLayout {
    double tp = 1;
    double cp = 1;
    double pp = 1;
    double interleave = 1;
    double micro_batch = 1;
    double zero = 0;
    double recompute = 0;
};
void report_layout(GPU& gpu, const ReportedLayout& layout);

// The model, machine and batch of the case, as a planning question.
search::PlanQuestion question_of(const Case& played);
// The given numbers of a case of the lab, for a llama of 70B.
Case plan_case(int llama, bool h100, int global_batch);

// The evaluation of a reported layout.
struct JudgedLayout {
    std::string problem;  // why the layout is invalid; empty: it is valid
    std::string text;     // "dp 32 tp 2 zero 3"
    Duration step{0};
    std::int64_t memory = 0;  // on the fullest rank
    bool fits = false;
};
JudgedLayout judged(const Case& played, const Record& found);

// The shortest step that `ndsim plan` finds. The first call for a question takes a fraction of a second.
Duration best_step(const Case& played);

}  // namespace sim::labs
