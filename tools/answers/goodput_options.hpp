// These options are what is asked of `ndsim goodput`, and their meaning: a long job, and how often it is simulated.
#pragma once

#include "libsim/config/option_row.hpp"
#include "libsim/goodput/report.hpp"
#include "libsim/predict/training_options.hpp"

#include <functional>
#include <string>
#include <vector>

namespace sim::tools {

struct GoodputOptions {
    predict::TrainingOptions training;
    std::string study;
    double step_seconds = 0;  // 0: predicted
    int gpus_per_node = 0;    // 0: the machine's
    int replicas = 0;         // 0: the layout's, or one
    double days = 0;          // 0: not said
    double steps = 0;
    double tokens = 0;
    std::array<double, faults::part_kinds> mtbf_hours{};  // 0: not said, or never
    int links = 0;                                        // 0: one for each GPU
    double shape = 1;
    double checkpoint_seconds = 0;  // 0: Daly's optimum
    double checkpoint_cost = 30;
    double checkpoint_write = 0;
    double detect_seconds;
    double restart_seconds = 300;
    double repair_hours = 0;
    double planned_hours = 0;
    double planned_seconds = 600;
    goodput::JobPolicy policy = goodput::JobPolicy::restart;
    int spares = 0;
    int runs = 1000;
    int jobs = 0;

    GoodputOptions();
};

// All that change the result. They set `options`.
std::vector<config::OptionRow> goodput_rows(GoodputOptions& options);

// The options of the study that was asked for, if one was, but for those that are given themselves: `is_given`. Throws
// UsageError.
void take_study(const GoodputOptions& options, const std::vector<config::OptionRow>& rows,
                const std::function<bool(const std::string& name)>& is_given);

// Throws UsageError.
goodput::GoodputQuestion question_of(const GoodputOptions& options);

}  // namespace sim::tools
