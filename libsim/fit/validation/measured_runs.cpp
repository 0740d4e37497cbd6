#include "libsim/fit/validation/measured_runs.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/nearest.hpp"
#include "libsim/split.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace sim::fit {

namespace {

bool is_in(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

MeasuredRuns read_measured_runs(const std::string& text, const std::string& file, const std::string& sets) {
    MeasuredRuns all{read_runs(text, file), read_measured(text, file)};
    if (sets.empty()) {
        return all;
    }
    const std::vector<std::string> wanted = split(sets, ',');
    const std::vector<std::string> known = sets_of(all);
    for (const std::string& set : wanted) {
        if (!is_in(known, set)) {
            const std::string near = did_you_mean(set, known);
            throw config::UsageError(
                fmt::format("--set: {} has no set \"{}\"{}", file, set,
                            near.empty() ? fmt::format("; it has {}", fmt::join(known, ", ")) : near));
        }
    }
    return runs_where(all, [&](const RunRecord& record) { return is_in(wanted, record.set); });
}

MeasuredRuns runs_where(const MeasuredRuns& runs, const std::function<bool(const RunRecord&)>& keep) {
    MeasuredRuns kept;
    for (std::size_t i = 0; i < runs.records.size(); ++i) {
        if (keep(runs.records[i])) {
            kept.records.push_back(runs.records[i]);
            kept.measured.push_back(runs.measured[i]);
        }
    }
    return kept;
}

std::vector<std::string> sets_of(const MeasuredRuns& runs) {
    std::vector<std::string> names;
    for (const RunRecord& record : runs.records) {
        if (!is_in(names, record.set)) {
            names.push_back(record.set);
        }
    }
    return names;
}

}  // namespace sim::fit
