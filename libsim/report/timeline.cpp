#include "libsim/report/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

namespace sim::report {

void Timeline::add(const trace::Span& span) {
    spans.push_back(span);
    spans.back().label = labels.keep(span.label);
}

void Timeline::add(const trace::Span& span, const std::string& work) {
    add(span);
    const auto [at, is_new] = works.try_emplace(spans.back().label, nullptr);
    if (is_new) {
        at->second = labels.keep_text(work);
    }
}

const std::string* Timeline::work_of(const trace::Span& span) const {
    const auto found = works.find(span.label);
    return found == works.end() ? span.label : found->second;
}

std::vector<trace::TimeParts> Timeline::time_of_ranks() const {
    std::vector<trace::TimeParts> parts(static_cast<std::size_t>(ranks));
    for (const trace::Spent& one : account) {
        Duration& part = parts[static_cast<std::size_t>(spans[one.span].rank)][one.category];
        std::int64_t sum = part.count();
        add_checked(sum, one.time.count());
        part = Duration{sum};
    }
    return parts;
}

std::vector<int> Timeline::ranks_with_steps() const {
    std::vector<int> found;
    for (const TrainingStep& step : steps) {
        found.push_back(step.rank);
    }
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

Time Timeline::end_of_all() const {
    Time last = end;
    for (const trace::Span& span : spans) {
        last = std::max(last, span.end);
    }
    return last;
}

Time Timeline::broken_off() const {
    Time last;
    for (const trace::Span& span : spans) {
        last = std::max(last, span.rank == fault_rank ? span.end : Time{});
    }
    return last;
}

std::string Timeline::name_of(int rank) const {
    const auto index = static_cast<std::size_t>(rank);
    return index < rank_names.size() ? rank_names[index] : fmt::format("Rank {}", rank);
}

void Timeline::add_axis(std::string name, std::vector<int> of_rank) {
    if (std::adjacent_find(of_rank.begin(), of_rank.end(), std::not_equal_to<>()) != of_rank.end()) {
        axes.push_back({std::move(name), std::move(of_rank)});
    }
}

std::string Timeline::coordinates_of(int rank) const {
    std::string text;
    for (const RankAxis& axis : axes) {
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", axis.name,
                            axis.of_rank.at(static_cast<std::size_t>(rank)));
    }
    return text;
}

std::string Timeline::name_of(Stream stream) const {
    const auto index = static_cast<std::size_t>(stream) - 1;
    return index < stream_names.size() ? stream_names[index] : fmt::format("stream {}", index + 1);
}

}  // namespace sim::report
