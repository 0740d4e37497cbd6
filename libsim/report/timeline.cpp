#include "libsim/report/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::report {

void Timeline::add(const trace::Span& span) {
    spans.push_back(span);
    spans.back().label = labels.keep(span.label);
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

std::string Timeline::name_of(Stream stream) const {
    const auto index = static_cast<std::size_t>(stream) - 1;
    return index < stream_names.size() ? stream_names[index] : fmt::format("stream {}", index + 1);
}

}  // namespace sim::report
