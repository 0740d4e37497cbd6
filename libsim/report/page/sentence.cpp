#include "libsim/report/page/sentence.hpp"

#include "libsim/report/amounts.hpp"
#include "libsim/report/page/sums.hpp"
#include "libsim/report/passes.hpp"
#include "libsim/report/time_bar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace sim::report {

namespace {

// The waits of a pipeline, each as a share of the time of all ranks.
std::string pipeline_part(const Timeline& timeline, double all) {
    std::array<double, 3> shares{};
    for (const WaitingTime& one : pipeline_waits(timeline)) {
        shares[static_cast<std::size_t>(one.wait)] += seconds(one.end - one.begin) / all;
    }
    if (shares[static_cast<std::size_t>(PipelineWait::fill)] == 0) {
        return "";
    }
    return fmt::format(": the pipeline's fill takes {}, its bubbles {} and its drain {}", percent_text(shares[0]),
                       percent_text(shares[1]), percent_text(shares[2]));
}

// The category that costs the most, unless it is the work itself.
std::string largest_loss(const Timeline& timeline) {
    std::array<double, time_categories> mean = mean_time(timeline);
    double all = 0;
    for (const double part : mean) {
        all += part;
    }
    mean[static_cast<std::size_t>(TimeCategory::compute)] = 0;
    const auto largest = std::max_element(mean.begin(), mean.end());
    return *largest == 0
               ? ""
               : fmt::format("; largest loss: {} ({})", title_of(static_cast<TimeCategory>(largest - mean.begin())),
                             percent_text(*largest / all));
}

}  // namespace

std::string sentence_of(const Timeline& timeline) {
    const double all = seconds(timeline.end_of_all().time_since_epoch()) * timeline.ranks;
    if (timeline.is_partial() || all == 0) {
        return "";
    }
    double computing = 0;
    double communicating = 0;
    double waiting = 0;
    for (const trace::RankTotals& rank : totals_of(timeline)) {
        computing += seconds(rank.compute) / all;
        communicating += seconds(rank.communication) / all;
        waiting += seconds(rank.idle) / all;
    }
    // A predicted rank may stand for many, with which it communicates.
    if (timeline.ranks == 1 && communicating == 0) {
        return fmt::format("The GPU computes {} of the time.", percent_text(computing));
    }
    return fmt::format("The GPUs compute {} of the time, communicate {} and wait for each other {}{}.",
                       percent_text(computing), percent_text(communicating), percent_text(waiting),
                       timeline.account.empty() ? pipeline_part(timeline, all) : largest_loss(timeline));
}

}  // namespace sim::report
