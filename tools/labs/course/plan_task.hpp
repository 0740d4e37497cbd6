// The task of lab 14: one model to be trained on 64 GPUs, a layout that a program reports for it, and what both come
// to.
#pragma once

#include "libsim/search/search.hpp"
#include "tools/labs/lab.hpp"

#include <string>

namespace sim::labs {

// A layout as the lab's programs report it, a number of each name.
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

// What is to be trained on what, of the numbers that the case gives.
search::PlanQuestion question_of(const Case& played);
// What a case of the lab is given, for a llama of 70B.
Case plan_case(int llama, bool h100, int global_batch);

// What a reported layout comes to.
struct JudgedLayout {
    std::string problem;  // why there can be no such layout; empty: there can
    std::string text;     // "dp 32 tp 2 zero 3"
    Duration step{0};
    std::int64_t memory = 0;  // of the fullest rank
    bool fits = false;
};
JudgedLayout judged(const Case& played, const Record& found);

// The shortest step that `ndsim plan` finds. It takes a part of a second the first time that a question is asked.
Duration best_step(const Case& played);

}  // namespace sim::labs
