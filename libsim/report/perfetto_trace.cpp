// This function writes a timeline as a Perfetto trace (protobuf), for ui.perfetto.dev and trace_processor.
//
// It shows the same as Chrome JSON in a third of the bytes: a process track for each rank, below it a track for each of
// its lanes in their order, slices with debug annotations, arrows for messages, memory as a counter. Times are
// nanoseconds, rounded down. The exact picoseconds are annotations, and so is the account of a rank's time:
// spent_tensor_ps. Training steps have a track of their own; the answer of the run is an annotation of an instant at
// its begin. Process ids begin at 1, because 0 is the system's idle process. Source: protos/perfetto/trace/ of
// Perfetto: trace_packet, track_event, track_descriptor, interned_data.
#include "libsim/report/trace_formats.hpp"

#include "libsim/report/lanes.hpp"
#include "libsim/report/protobuf.hpp"
#include "libsim/report/span_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace sim::report {

namespace {

// Field numbers and enumerators, by their names in Perfetto's protos.
namespace trace_ {
constexpr std::uint32_t packet = 1;
}
namespace packet_ {
constexpr std::uint32_t timestamp = 8, trusted_packet_sequence_id = 10, track_event = 11, interned_data = 12,
                        sequence_flags = 13, track_descriptor = 60;
constexpr std::uint64_t incremental_state_cleared = 1, needs_incremental_state = 2;
}  // namespace packet_
namespace descriptor_ {
constexpr std::uint32_t uuid = 1, name = 2, process = 3, parent_uuid = 5, counter = 8, child_ordering = 11,
                        sibling_order_rank = 12;
constexpr std::uint32_t process_pid = 1, process_name = 6, counter_unit = 3;
constexpr std::uint64_t explicit_order = 3, unit_count = 2, unit_size_bytes = 3;
}  // namespace descriptor_
namespace event_ {
constexpr std::uint32_t category_iids = 3, debug_annotations = 4, type = 9, name_iid = 10, track_uuid = 11,
                        counter_value = 30, double_counter_value = 44, flow_ids = 47, terminating_flow_ids = 48;
constexpr std::uint64_t slice_begin = 1, slice_end = 2, instant = 3, counter = 4;
}  // namespace event_
namespace annotation_ {
constexpr std::uint32_t name_iid = 1, int_value = 4, double_value = 5, string_value = 6, json_value = 9;
}
namespace interned_ {
constexpr std::uint32_t event_categories = 1, event_names = 2, debug_annotation_names = 3;
constexpr std::uint32_t iid = 1, name = 2;
}  // namespace interned_

// A part of a span, or of a step.
enum class Phase { whole, begin, end, step_begin, step_end };

struct PerfettoEvent {
    std::int64_t ns;
    std::size_t span;  // or step
    Phase phase;
    bool is_of_step() const { return phase == Phase::step_begin || phase == Phase::step_end; }
};

// Names that packets refer to by number; the first packet that uses a name defines it.
class InternedNames {
public:
    explicit InternedNames(std::uint32_t field) : field_(field) {}

    std::uint64_t number_of(const std::string& name, ProtobufMessage& said) {
        const auto [at, is_new] = numbers_.try_emplace(name, numbers_.size() + 1);
        if (is_new) {
            ProtobufMessage entry;
            entry.number(interned_::iid, at->second);
            entry.text(interned_::name, name);
            said.message(field_, entry);
        }
        return at->second;
    }

private:
    std::uint32_t field_;
    std::unordered_map<std::string, std::uint64_t> numbers_;
};

class PerfettoWriter {
public:
    PerfettoWriter(std::ostream& out, const Timeline& timeline)
        : out_(out), timeline_(timeline), spans_(timeline.spans), lanes_(lanes_of(spans_)) {
        for (const Arrow& arrow : arrows_of(spans_)) {
            // The earliest event with a flow's number is its source: a receive may be posted before its send, but it
            // never ends before it.
            if (whole_nanoseconds(spans_[arrow.send].begin) < whole_nanoseconds(spans_[arrow.receive].end)) {
                has_arrow_[arrow.send] = has_arrow_[arrow.receive] = true;
            }
        }
    }

    void write() {
        write_tracks();
        if (!timeline_.answer.empty()) {
            write_answer();
        }
        for (const PerfettoEvent& event : sorted_events()) {
            event.is_of_step() ? write_step(event) : write_event(event);
        }
        if (timeline_.is_partial()) {
            write_early_end();
        }
    }

private:
    void write_packet(ProtobufMessage packet) {
        packet.number(packet_::trusted_packet_sequence_id, 1);
        packet.number(packet_::sequence_flags, packet_::needs_incremental_state |
                                                   (first_ ? packet_::incremental_state_cleared : std::uint64_t{0}));
        first_ = false;
        ProtobufMessage trace;
        trace.message(trace_::packet, packet);
        out_ << trace.bytes();
    }

    void write_track(const ProtobufMessage& descriptor) {
        ProtobufMessage packet;
        packet.message(packet_::track_descriptor, descriptor);
        write_packet(std::move(packet));
    }

    static std::uint64_t process_uuid(int rank) { return (static_cast<std::uint64_t>(rank) + 1) << 32U; }
    static std::uint64_t uuid_of(int rank, const Lane& lane) {
        return process_uuid(rank) + static_cast<std::uint64_t>(lane.id());
    }
    static std::uint64_t uuid_of(int rank, Measure curve) {
        return process_uuid(rank) + (std::uint64_t{1} << 31U) + static_cast<std::uint64_t>(curve);
    }

    void write_tracks() {
        for (int rank = 0; rank < timeline_.ranks; ++rank) {
            ProtobufMessage process;
            process.number(descriptor_::process_pid, static_cast<std::uint64_t>(rank) + 1);
            process.text(descriptor_::process_name, timeline_.name_of(rank));
            ProtobufMessage descriptor;
            descriptor.number(descriptor_::uuid, process_uuid(rank));
            descriptor.message(descriptor_::process, process);
            descriptor.number(descriptor_::child_ordering, descriptor_::explicit_order);
            write_track(descriptor);
        }
        std::uint64_t order = 0;
        const auto write_row = [&](int rank, std::uint64_t uuid, const std::string& name) {
            ProtobufMessage descriptor;
            descriptor.number(descriptor_::uuid, uuid);
            descriptor.text(descriptor_::name, name);
            descriptor.number(descriptor_::parent_uuid, process_uuid(rank));
            descriptor.number(descriptor_::sibling_order_rank, order++);
            write_track(descriptor);
        };
        for (const int rank : timeline_.ranks_with_steps()) {
            write_row(rank, process_uuid(rank) + steps_lane, steps_name);
        }
        for (const UsedLane& used : lanes_.used) {
            write_row(used.rank, uuid_of(used.rank, used.lane), used.lane.name(timeline_));
        }
        std::map<std::pair<int, Measure>, bool> curves;
        for (const Span& span : spans_) {
            if (span.kind == OpKind::allocate) {
                curves[{span.rank, span.measure}] = true;
            }
        }
        for (const auto& [curve, used] : curves) {
            const bool bytes = curve.second == Measure::bytes;
            ProtobufMessage counter;
            counter.number(descriptor_::counter_unit, bytes ? descriptor_::unit_size_bytes : descriptor_::unit_count);
            ProtobufMessage descriptor;
            descriptor.number(descriptor_::uuid, uuid_of(curve.first, curve.second));
            descriptor.text(descriptor_::name, bytes ? "memory, bytes" : "memory, units");
            descriptor.number(descriptor_::parent_uuid, process_uuid(curve.first));
            descriptor.message(descriptor_::counter, counter);
            descriptor.number(descriptor_::sibling_order_rank, order++);
            write_track(descriptor);
        }
    }

    // Events of a track are in drawing order, so that a slice of zero length still begins before it ends.
    std::vector<PerfettoEvent> sorted_events() const {
        std::vector<std::size_t> order(spans_.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        const auto place = [&](std::size_t i) {
            const Span& span = spans_[i];
            return std::make_tuple(span.rank, lanes_.of_span[i].id(), span.begin, span.end, span.op_number);
        };
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return place(a) < place(b); });
        std::vector<PerfettoEvent> events;
        for (std::size_t i = 0; i < timeline_.steps.size(); ++i) {
            events.push_back({whole_nanoseconds(timeline_.steps[i].begin), i, Phase::step_begin});
            events.push_back({whole_nanoseconds(timeline_.steps[i].end), i, Phase::step_end});
        }
        for (const std::size_t i : order) {
            const Span& span = spans_[i];
            if (span.kind == OpKind::log || span.kind == OpKind::allocate) {
                events.push_back({whole_nanoseconds(span.begin), i, Phase::whole});
            } else {
                events.push_back({whole_nanoseconds(span.begin), i, Phase::begin});
                events.push_back({whole_nanoseconds(span.end), i, Phase::end});
            }
        }
        std::stable_sort(events.begin(), events.end(),
                         [](const PerfettoEvent& a, const PerfettoEvent& b) { return a.ns < b.ns; });
        return events;
    }

    void write_event(const PerfettoEvent& at) {
        const Span& span = spans_[at.span];
        ProtobufMessage event;
        ProtobufMessage said;
        if (span.kind == OpKind::allocate) {
            event.number(event_::type, event_::counter);
            event.number(event_::track_uuid, uuid_of(span.rank, span.measure));
            if (span.measure == Measure::units) {
                event.real(event_::double_counter_value, Units::from_billionths(span.amount).value());
            } else {
                event.signed_number(event_::counter_value, span.amount);
            }
        } else {
            event.number(event_::track_uuid, uuid_of(span.rank, lanes_.of_span[at.span]));
            if (at.phase == Phase::end) {
                event.number(event_::type, event_::slice_end);
            } else {
                event.number(event_::type, at.phase == Phase::whole ? event_::instant : event_::slice_begin);
                event.number(event_::category_iids, categories_.number_of(name_of(span.kind), said));
                event.number(event_::name_iid, names_.number_of(*span.label, said));
                annotate(event, at.span, said);
            }
            add_flow(event, at);
        }
        write_at(at.ns, event, said);
    }

    void write_at(std::int64_t ns, const ProtobufMessage& event, const ProtobufMessage& said) {
        ProtobufMessage packet;
        packet.number(packet_::timestamp, static_cast<std::uint64_t>(ns));
        packet.message(packet_::track_event, event);
        if (!said.bytes().empty()) {
            packet.message(packet_::interned_data, said);
        }
        write_packet(std::move(packet));
    }

    void write_step(const PerfettoEvent& at) {
        const TrainingStep& step = timeline_.steps[at.span];
        ProtobufMessage event;
        ProtobufMessage said;
        event.number(event_::track_uuid, process_uuid(step.rank) + steps_lane);
        event.number(event_::type, at.phase == Phase::step_end ? event_::slice_end : event_::slice_begin);
        if (at.phase == Phase::step_begin) {
            event.number(event_::category_iids, categories_.number_of(std::string(step_kind), said));
            event.number(event_::name_iid, names_.number_of(step.name, said));
            add_number(event, "ps", step.begin.time_since_epoch().count(), said);
            add_number(event, "dur_ps", (step.end - step.begin).count(), said);
        }
        write_at(at.ns, event, said);
    }

    // An instant on the track of a rank's process; of rank 0 if `rank` is negative.
    ProtobufMessage instant(int rank, const std::string& name, ProtobufMessage& said) {
        ProtobufMessage event;
        event.number(event_::type, event_::instant);
        event.number(event_::track_uuid, process_uuid(std::max(rank, 0)));
        event.number(event_::name_iid, names_.number_of(name, said));
        return event;
    }

    void write_answer() {
        ProtobufMessage said;
        ProtobufMessage event = instant(0, "the answer of the run", said);
        event.number(event_::category_iids, categories_.number_of("answer", said));
        add_number(event, "ps", 0, said);
        ProtobufMessage annotation;
        annotation.number(annotation_::name_iid, annotations_.number_of("answer", said));
        annotation.text(annotation_::json_value, timeline_.answer);
        event.message(event_::debug_annotations, annotation);
        write_at(0, event, said);
    }

    // Marks the early end of the run on the rank that caused it, or else on rank 0.
    void write_early_end() {
        ProtobufMessage said;
        const ProtobufMessage event = instant(timeline_.fault_rank, "partial: the run ended early", said);
        write_at(whole_nanoseconds(timeline_.end_of_all()), event, said);
    }

    void add_number(ProtobufMessage& event, const std::string& name, std::int64_t value, ProtobufMessage& said) {
        ProtobufMessage annotation;
        annotation.number(annotation_::name_iid, annotations_.number_of(name, said));
        annotation.signed_number(annotation_::int_value, value);
        event.message(event_::debug_annotations, annotation);
    }

    void add_flow(ProtobufMessage& event, const PerfettoEvent& at) const {
        const Span& span = spans_[at.span];
        if (!has_arrow_.contains(at.span)) {
            return;
        }
        if (span.kind == OpKind::send && at.phase == Phase::begin) {
            event.fixed(event_::flow_ids, span.message);
        } else if (span.kind == OpKind::receive && at.phase == Phase::end) {
            event.fixed(event_::terminating_flow_ids, span.message);
        }
    }

    void annotate(ProtobufMessage& event, std::size_t number, ProtobufMessage& said) {
        const Span& span = spans_[number];
        const auto add = [&](const std::string& name, std::int64_t value) { add_number(event, name, value, said); };
        add("ps", span.begin.time_since_epoch().count());
        add("op", span.op_number);
        if (const std::string* const work = timeline_.work_of(span); work != span.label) {
            ProtobufMessage annotation;
            annotation.number(annotation_::name_iid, annotations_.number_of(std::string(span_work_name), said));
            annotation.text(annotation_::string_value, *work);
            event.message(event_::debug_annotations, annotation);
        }
        for (const trace::Spent& one : trace::spent_on(timeline_.account, number)) {
            add(fmt::format("spent_{}_ps", name_of(one.category)).c_str(), one.time.count());
        }
        if (span.kind == OpKind::log) {
            return;
        }
        add("dur_ps", (span.end - span.begin).count());
        add("idle_ps", span.idle.count());
        if (span.peer >= 0) {
            add("peer", span.peer);
            add("tag", span.tag);
        }
        if (span.measure == Measure::units) {
            ProtobufMessage annotation;
            annotation.number(annotation_::name_iid, annotations_.number_of("units", said));
            annotation.real(annotation_::double_value, Units::from_billionths(span.amount).value());
            event.message(event_::debug_annotations, annotation);
        } else {
            add(std::string(amount_name(span.measure)), span.amount);
        }
    }

    std::ostream& out_;
    const Timeline& timeline_;
    std::span<const Span> spans_;
    Lanes lanes_;
    std::unordered_map<std::size_t, bool> has_arrow_;  // by span
    InternedNames categories_{interned_::event_categories};
    InternedNames names_{interned_::event_names};
    InternedNames annotations_{interned_::debug_annotation_names};
    bool first_ = true;
};

}  // namespace

void write_perfetto_trace(std::ostream& out, const Timeline& timeline) {
    PerfettoWriter(out, timeline).write();
}

}  // namespace sim::report
