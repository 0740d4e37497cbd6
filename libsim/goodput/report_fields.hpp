// The fields that the records of the goodput report share, and the records of its parts: the job and the study.
#pragma once

#include "libsim/goodput/report.hpp"
#include "libsim/report/record.hpp"

#include <cmath>
#include <optional>
#include <string>

namespace sim::goodput::fields {

using namespace report;
using namespace report::keys;

inline std::optional<double> known(double value) {
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

inline std::optional<double> limit(LongDuration time) {
    return time > LongDuration{0} ? std::optional(faults::seconds_of(time)) : std::nullopt;
}

// A LongDuration, in seconds.
template <class T, class Value>
Field<T> seconds(const char* key, const char* description, Value value) {
    return number<T>(key, description, [value](const T& of) { return faults::seconds_of(std::invoke(value, of)); });
}

inline const std::string spread_definition = "#/definitions/spread";
inline const std::string rate_definition = "#/definitions/rate";

inline const Record<SampleSpread>& spread_record() {
    static const Record<SampleSpread> record(
        "Statistics of a number over the runs.",
        {number<SampleSpread>("mean", "Mean of all runs.", &SampleSpread::mean),
         number<SampleSpread>("deviation", "Standard deviation over the runs.", &SampleSpread::deviation),
         number<SampleSpread>("p5", "5th percentile of the runs.", &SampleSpread::p5),
         number<SampleSpread>("p50", "Median.", &SampleSpread::p50),
         number<SampleSpread>("p95", "95th percentile of the runs.", &SampleSpread::p95)});
    return record;
}

template <class T, class Value>
Field<T> spread(const char* key, const char* description, Value value) {
    return described(part<T>(key, spread_record(), value, spread_definition), description);
}

template <class T, class Value>
Field<T> policy(const char* description, Value value) {
    return one_of<T>("policy", {"abort", "restart", "elastic"}, description, value);
}
inline constexpr const char* policy_means =
    "Reaction to a failure: the run ends; all nodes restart from the last checkpoint; the intact replicas continue.";

const Record<faults::Population>& rate_record();
const Record<LongJob>& job_record();
// Requires: the report has a study.
const Record<GoodputReport>& study_record();

}  // namespace sim::goodput::fields
