// This function writes a timeline as Chrome trace JSON, for ui.perfetto.dev and chrome://tracing.
//
// It has a process row for each rank, with a thread for each of its streams (compute, send, receive, collective; one
// more if receives overlap), an arrow from each send to its receive, and an instant for each log line. Training steps
// have a thread of their own; the answer of the run is in `otherData`. Times are microseconds with three decimals,
// rounded down to whole nanoseconds so that adjacent spans stay adjacent; the exact picoseconds are in `args`. The same
// spans give the same file on any machine. Format: "Trace Event Format", Google; as read by Perfetto.
#include "libsim/report/trace_formats.hpp"

#include "libsim/report/json_text.hpp"
#include "libsim/report/lanes.hpp"
#include "libsim/report/span_columns.hpp"

#include <fmt/ostream.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace sim::report {

namespace {

std::string microseconds(std::int64_t ns) {
    return fmt::format("{}.{:03}", ns / 1'000, ns % 1'000);
}

enum class Mark { step, slice, departure, arrival };

struct TraceEvent {
    std::int64_t ns;
    std::size_t span;  // or step
    Mark mark;
};

class ChromeWriter {
public:
    ChromeWriter(std::ostream& out, const Timeline& timeline)
        : out_(out), timeline_(timeline), spans_(timeline.spans), lanes_(lanes_of(spans_)) {}

    void write() {
        out_ << "{\"traceEvents\":[";
        write_names();
        for (const TraceEvent& event : sorted_events()) {
            switch (event.mark) {
                case Mark::step: write_step(event); break;
                case Mark::slice: write_span(event); break;
                case Mark::departure: write_flow(event, "s", ""); break;
                case Mark::arrival: write_flow(event, "f", ",\"bp\":\"e\""); break;
            }
        }
        out_ << "\n],\"displayTimeUnit\":\"ns\"";
        if (!timeline_.answer.empty()) {
            out_ << ",\"otherData\":{\"answer\":" << timeline_.answer << "}";
        }
        out_ << (timeline_.is_partial() ? ",\"partial\":true}\n" : "}\n");
    }

private:
    void separate() {
        out_ << (first_ ? "\n" : ",\n");
        first_ = false;
    }

    // Names a thread and places it among those of its rank.
    void write_thread(int rank, int thread, const std::string& name, int order) {
        separate();
        fmt::print(out_, fmt::runtime(metadata), "thread_name", rank, thread, "name", json_text(name));
        separate();
        fmt::print(out_, fmt::runtime(metadata), "thread_sort_index", rank, thread, "sort_index", order);
    }

    void write_names() {
        for (int rank = 0; rank < timeline_.ranks; ++rank) {
            separate();
            fmt::print(out_, fmt::runtime(metadata), "process_name", rank, 0, "name",
                       json_text(timeline_.name_of(rank)));
            separate();
            fmt::print(out_, fmt::runtime(metadata), "process_sort_index", rank, 0, "sort_index", rank);
        }
        int order = 0;
        for (const UsedLane& used : lanes_.used) {
            write_thread(used.rank, used.lane.id(), used.lane.name(timeline_), order++);
        }
        for (const int rank : timeline_.ranks_with_steps()) {
            write_thread(rank, steps_lane, steps_name, -1);
        }
    }

    std::vector<TraceEvent> sorted_events() const {
        std::vector<TraceEvent> events;
        for (std::size_t i = 0; i < timeline_.steps.size(); ++i) {
            events.push_back({whole_nanoseconds(timeline_.steps[i].begin), i, Mark::step});
        }
        for (std::size_t i = 0; i < spans_.size(); ++i) {
            events.push_back({whole_nanoseconds(spans_[i].begin), i, Mark::slice});
        }
        for (const Arrow& arrow : arrows_of(spans_)) {
            events.push_back({arrow.departure_ns, arrow.send, Mark::departure});
            events.push_back({arrow.arrival_ns, arrow.receive, Mark::arrival});
        }
        const auto place = [&](const TraceEvent& event) {
            const bool is_step = event.mark == Mark::step;
            return std::tuple(event.ns, event.mark,
                              is_step ? timeline_.steps[event.span].rank : spans_[event.span].rank,
                              is_step ? 0U : spans_[event.span].op_number);
        };
        std::stable_sort(events.begin(), events.end(),
                         [&](const TraceEvent& a, const TraceEvent& b) { return place(a) < place(b); });
        return events;
    }

    void write_step(const TraceEvent& event) {
        const TrainingStep& step = timeline_.steps[event.span];
        separate();
        fmt::print(out_, R"({{"name":{},"cat":"{}","ph":"X","ts":{},"dur":{},"pid":{},"tid":{},"args":{{{}}}}})",
                   json_text(step.name), step_kind, microseconds(event.ns),
                   microseconds(whole_nanoseconds(step.end) - event.ns), step.rank, steps_lane, exact_json(step));
    }

    void write_span(const TraceEvent& event) {
        separate();
        switch (spans_[event.span].kind) {
            case OpKind::log: write_instant(event); break;
            case OpKind::allocate: write_counter(event); break;
            default: write_slice(event); break;
        }
    }

    void write_instant(const TraceEvent& event) {
        const Span& span = spans_[event.span];
        fmt::print(out_, R"({{"name":{},"cat":"log","ph":"i","s":"t","ts":{},"pid":{},"tid":{},"args":{{{}{}}}}})",
                   quoted(span.label), microseconds(event.ns), span.rank, lanes_.of_span[event.span].id(),
                   exact_json(span), account_json(timeline_, event.span));
    }

    // Viewers draw each arg of a counter as a curve, so anything else stays outside the args.
    void write_counter(const TraceEvent& event) {
        const Span& span = spans_[event.span];
        const bool units = span.measure == Measure::units;
        fmt::print(out_,
                   R"({{"name":"memory, {}","ph":"C","ts":{},"pid":{},"args":{{"in use":{}}},)"
                   R"("exact":{{"kind":"{}","label":{},{},{}}}}})",
                   units ? "units" : "bytes", microseconds(event.ns), span.rank,
                   units ? Units::from_billionths(span.amount).value() : static_cast<double>(span.amount),
                   name_of(span.kind), quoted(span.label), amount_json(span), exact_json(span));
    }

    void write_slice(const TraceEvent& event) {
        const Span& span = spans_[event.span];
        const std::string& label = quoted(span.label);
        fmt::print(out_, R"({{"name":{},"cat":"{}","ph":"X","ts":{},"dur":{},"pid":{},"tid":{},"args":{{"label":{})",
                   label, name_of(span.kind), microseconds(event.ns),
                   microseconds(whole_nanoseconds(span.end) - event.ns), span.rank, lanes_.of_span[event.span].id(),
                   label);
        if (span.peer >= 0) {
            fmt::print(out_, R"(,"peer":{})", span.peer);
        }
        fmt::print(out_, R"(,{},{}{}}}}})", amount_json(span), exact_json(span), account_json(timeline_, event.span));
    }

    void write_flow(const TraceEvent& event, const char* phase, const char* binding) {
        const Span& span = spans_[event.span];
        separate();
        fmt::print(out_, R"({{"name":"message","cat":"message","ph":"{}","id":{},"ts":{},"pid":{},"tid":{}{}}})", phase,
                   span.message, microseconds(event.ns), span.rank, lanes_.of_span[event.span].id(), binding);
    }

    // Cached: there are few labels and many spans.
    const std::string& quoted(const std::string* label) {
        const auto [at, is_new] = quoted_.try_emplace(label);
        if (is_new) {
            at->second = json_text(*label);
        }
        return at->second;
    }

    static constexpr const char* metadata =
        R"({{"name":"{}","ph":"M","ts":0.000,"pid":{},"tid":{},"args":{{"{}":{}}}}})";

    std::ostream& out_;
    const Timeline& timeline_;
    std::span<const Span> spans_;
    Lanes lanes_;
    std::unordered_map<const std::string*, std::string> quoted_;
    bool first_ = true;
};

}  // namespace

void write_chrome_trace(std::ostream& out, const Timeline& timeline) {
    ChromeWriter(out, timeline).write();
}

}  // namespace sim::report
