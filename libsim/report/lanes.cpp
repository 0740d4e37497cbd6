#include "libsim/report/lanes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>

namespace sim::report {

namespace {

constexpr const char* kind_names[] = {"compute", "send", "receive", "collective"};
constexpr int kinds = 4;

int row_of(const Span& span) {
    if (span.stream != Stream::main && span.stream != Stream::own) {
        return kinds + static_cast<int>(span.stream) - 1;
    }
    switch (span.kind) {
        case OpKind::send: return 1;
        case OpKind::receive: return 2;
        case OpKind::collective: return 3;
        default: return 0;
    }
}

std::vector<std::size_t> in_order_of_time(std::span<const Span> spans) {
    std::vector<std::size_t> order(spans.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    // Stable: spans with the same place in a rank's program keep their order.
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return std::tie(spans[a].begin, spans[a].end, spans[a].rank, spans[a].op_number) <
               std::tie(spans[b].begin, spans[b].end, spans[b].rank, spans[b].op_number);
    });
    return order;
}

// The last nanosecond of a span.
std::int64_t inside(const Span& span) {
    return std::max(whole_nanoseconds(span.begin), whole_nanoseconds(span.end) - 1);
}

}  // namespace

int Lane::id() const {
    return (row < kinds ? 1 + row : 101 + row - kinds) + 1000 * overflow;
}

std::string Lane::name(const Timeline& timeline) const {
    const std::string first = row < kinds ? kind_names[row] : timeline.name_of(static_cast<Stream>(row - kinds + 1));
    return overflow == 0 ? first : fmt::format("{} {}", first, overflow + 1);
}

Lanes lanes_of(std::span<const Span> spans) {
    Lanes lanes{.of_span = std::vector<Lane>(spans.size()), .used = {}};
    std::map<std::pair<int, int>, std::vector<Time>> free_at;  // for each lane, by rank and row
    for (const std::size_t i : in_order_of_time(spans)) {
        const Span& span = spans[i];
        if (span.kind == OpKind::allocate) {
            continue;
        }
        const int row = row_of(span);
        std::vector<Time>& of_row = free_at[{span.rank, row}];
        const auto lane = span.kind == OpKind::log && !of_row.empty()
                              ? of_row.begin()
                              : std::find_if(of_row.begin(), of_row.end(), [&](Time t) { return t <= span.begin; });
        lanes.of_span[i] = {row, static_cast<int>(lane - of_row.begin())};
        if (lane == of_row.end()) {
            of_row.push_back(span.end);
        } else {
            *lane = std::max(*lane, span.end);
        }
    }
    for (const auto& [key, of_row] : free_at) {
        for (std::size_t lane = 0; lane < of_row.size(); ++lane) {
            lanes.used.push_back({key.first, {key.second, static_cast<int>(lane)}});
        }
    }
    return lanes;
}

std::int64_t whole_nanoseconds(Time time) {
    return time.time_since_epoch().count() / 1'000;
}

std::vector<Arrow> arrows_of(std::span<const Span> spans) {
    std::unordered_map<std::uint64_t, std::size_t> receives;
    for (std::size_t i = 0; i < spans.size(); ++i) {
        if (spans[i].message != 0 && spans[i].kind == OpKind::receive) {
            receives.emplace(spans[i].message, i);
        }
    }
    std::vector<Arrow> arrows;
    for (std::size_t i = 0; i < spans.size(); ++i) {
        const auto receive =
            spans[i].message != 0 && spans[i].kind == OpKind::send ? receives.find(spans[i].message) : receives.end();
        if (receive == receives.end()) {
            continue;
        }
        const std::int64_t arrival = inside(spans[receive->second]);
        const std::int64_t departure = std::max(whole_nanoseconds(spans[i].begin), std::min(inside(spans[i]), arrival));
        if (departure <= arrival) {
            arrows.push_back({i, receive->second, departure, arrival});
            receives.erase(receive);  // one arrow per message number
        }
    }
    return arrows;
}

}  // namespace sim::report
