#include "libsim/report/chrome_trace.hpp"

#include <fmt/ostream.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace sim::report {

namespace {

// Rows of a rank: one for each kind of work of its program, and one for each of its communication streams.
constexpr const char* kind_names[] = {"compute", "send", "receive", "collective"};
constexpr int kinds = 4;

// Numbers to be read: 1 to 4 are the kinds, 101 is stream 1; the second lane of each is 1000 further on.
struct Thread {
    int row = 0;
    int lane = 0;

    int id() const { return (row < kinds ? 1 + row : 101 + row - kinds) + 1000 * lane; }
    std::string name() const {
        const std::string first = row < kinds ? kind_names[row] : fmt::format("stream {}", row - kinds + 1);
        return lane == 0 ? first : fmt::format("{} {}", first, lane + 1);
    }
};

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

std::int64_t nanoseconds(Time time) {
    return time.time_since_epoch().count() / 1'000;
}

std::string in_json(const std::string& text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string microseconds(std::int64_t ns) {
    return fmt::format("{}.{:03}", ns / 1'000, ns % 1'000);
}

enum class Mark { slice, departure, arrival };

struct TraceEvent {
    std::int64_t ns;
    std::size_t span;
    Mark mark;
};

class Writer {
public:
    Writer(std::ostream& out, const Timeline& timeline)
        : out_(out), timeline_(timeline), spans_(timeline.spans), threads_(spans_.size()) {}

    void write() {
        assign_threads();
        out_ << "{\"traceEvents\":[";
        write_names();
        for (const TraceEvent& event : sorted_events()) {
            switch (event.mark) {
                case Mark::slice: write_slice(event); break;
                case Mark::departure: write_flow(event, "s", ""); break;
                case Mark::arrival: write_flow(event, "f", ",\"bp\":\"e\""); break;
            }
        }
        out_ << "\n],\"displayTimeUnit\":\"ns\"}\n";
    }

private:
    void separate() {
        out_ << (first_ ? "\n" : ",\n");
        first_ = false;
    }

    // Slices of one thread must not overlap: each goes to the first lane of its stream that is free.
    void assign_threads() {
        std::vector<std::size_t> order(spans_.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        // Stable: what has the same place in a rank's program comes in its order.
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return std::tie(spans_[a].begin, spans_[a].end, spans_[a].rank, spans_[a].op_number) <
                   std::tie(spans_[b].begin, spans_[b].end, spans_[b].rank, spans_[b].op_number);
        });
        std::map<std::pair<int, int>, std::vector<Time>> free_at;  // by rank and row
        for (const std::size_t i : order) {
            const Span& span = spans_[i];
            if (span.kind == OpKind::allocate) {
                continue;  // a curve of its own
            }
            const int row = row_of(span);
            std::vector<Time>& lanes = free_at[{span.rank, row}];
            const auto lane = span.kind == OpKind::log && !lanes.empty()
                                  ? lanes.begin()
                                  : std::find_if(lanes.begin(), lanes.end(), [&](Time t) { return t <= span.begin; });
            const auto number = lane - lanes.begin();
            if (lane == lanes.end()) {
                lanes.push_back(span.end);
            } else {
                *lane = std::max(*lane, span.end);
            }
            threads_[i] = Thread{row, static_cast<int>(number)}.id();
        }
        for (const auto& [key, lanes] : free_at) {
            for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
                used_.emplace_back(key.first, Thread{key.second, static_cast<int>(lane)});
            }
        }
    }

    void write_names() {
        constexpr const char* metadata = R"({{"name":"{}","ph":"M","ts":0.000,"pid":{},"tid":{},"args":{{"{}":{}}}}})";
        for (int rank = 0; rank < timeline_.ranks; ++rank) {
            separate();
            fmt::print(out_, fmt::runtime(metadata), "process_name", rank, 0, "name", in_json(timeline_.name_of(rank)));
            separate();
            fmt::print(out_, fmt::runtime(metadata), "process_sort_index", rank, 0, "sort_index", rank);
        }
        int order = 0;
        for (const auto& [rank, thread] : used_) {
            separate();
            fmt::print(out_, fmt::runtime(metadata), "thread_name", rank, thread.id(), "name",
                       fmt::format("\"{}\"", thread.name()));
            separate();
            fmt::print(out_, fmt::runtime(metadata), "thread_sort_index", rank, thread.id(), "sort_index", order++);
        }
    }

    std::vector<TraceEvent> sorted_events() const {
        std::unordered_set<std::uint64_t> sent;
        std::unordered_set<std::uint64_t> received;
        for (const Span& span : spans_) {
            if (span.message != 0) {
                (span.kind == OpKind::send ? sent : received).insert(span.message);
            }
        }
        std::vector<TraceEvent> events;
        for (std::size_t i = 0; i < spans_.size(); ++i) {
            const Span& span = spans_[i];
            events.push_back({nanoseconds(span.begin), i, Mark::slice});
            // An arrow needs both its ends, and each inside its slice: the last nanosecond of either.
            if (span.message != 0 && sent.contains(span.message) && received.contains(span.message)) {
                const std::int64_t inside = std::max(nanoseconds(span.begin), nanoseconds(span.end) - 1);
                events.push_back({inside, i, span.kind == OpKind::send ? Mark::departure : Mark::arrival});
            }
        }
        std::stable_sort(events.begin(), events.end(), [&](const TraceEvent& a, const TraceEvent& b) {
            const Span& x = spans_[a.span];
            const Span& y = spans_[b.span];
            return std::tie(a.ns, a.mark, x.rank, x.op_number) < std::tie(b.ns, b.mark, y.rank, y.op_number);
        });
        return events;
    }

    void write_slice(const TraceEvent& event) {
        const Span& span = spans_[event.span];
        separate();
        if (span.kind == OpKind::log) {
            fmt::print(out_,
                       R"({{"name":{},"cat":"log","ph":"i","s":"t","ts":{},"pid":{},"tid":{},"args":{{"ps":{}}}}})",
                       quoted(span.label), microseconds(event.ns), span.rank, threads_[event.span],
                       span.begin.time_since_epoch().count());
            return;
        }
        if (span.kind == OpKind::allocate) {
            const bool units = span.measure == Measure::units;
            fmt::print(out_, R"({{"name":"memory, {}","ph":"C","ts":{},"pid":{},"args":{{"in use":{}}}}})",
                       units ? "units" : "bytes", microseconds(event.ns), span.rank,
                       units ? Units::from_billionths(span.amount).value() : static_cast<double>(span.amount));
            return;
        }
        const std::string& label = quoted(span.label);
        fmt::print(out_, R"({{"name":{},"cat":"{}","ph":"X","ts":{},"dur":{},"pid":{},"tid":{},"args":{{"label":{})",
                   label, name_of(span.kind), microseconds(event.ns), microseconds(nanoseconds(span.end) - event.ns),
                   span.rank, threads_[event.span], label);
        if (span.peer >= 0) {
            fmt::print(out_, R"(,"peer":{})", span.peer);
        }
        write_amount(span);
        fmt::print(out_, R"(,"ps":{},"dur_ps":{},"idle_ps":{}}}}})", span.begin.time_since_epoch().count(),
                   (span.end - span.begin).count(), span.idle.count());
    }

    void write_amount(const Span& span) {
        switch (span.measure) {
            case Measure::units: fmt::print(out_, R"(,"units":{})", Units::from_billionths(span.amount).value()); break;
            case Measure::bytes: fmt::print(out_, R"(,"bytes":{})", span.amount); break;
            case Measure::flops: fmt::print(out_, R"(,"flops":{})", span.amount); break;
        }
    }

    void write_flow(const TraceEvent& event, const char* phase, const char* binding) {
        const Span& span = spans_[event.span];
        separate();
        fmt::print(out_, R"({{"name":"message","cat":"message","ph":"{}","id":{},"ts":{},"pid":{},"tid":{}{}}})", phase,
                   span.message, microseconds(event.ns), span.rank, threads_[event.span], binding);
    }

    // Whatever bytes it holds. Labels are few and spans many.
    const std::string& quoted(const std::string* label) {
        const auto [at, is_new] = quoted_.try_emplace(label);
        if (is_new) {
            at->second = in_json(*label);
        }
        return at->second;
    }

    std::ostream& out_;
    const Timeline& timeline_;
    std::span<const Span> spans_;
    std::vector<int> threads_;                  // of each span
    std::vector<std::pair<int, Thread>> used_;  // of each rank
    std::unordered_map<const std::string*, std::string> quoted_;
    bool first_ = true;
};

}  // namespace

void write_chrome_trace(std::ostream& out, const Timeline& timeline) {
    Writer(out, timeline).write();
}

}  // namespace sim::report
