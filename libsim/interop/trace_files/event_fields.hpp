// This table lists the fields that are read from an event of a JSON trace, and their places in the event.
#pragma once

#include "libsim/interop/trace_files/gzip_input.hpp"
#include "libsim/units.hpp"

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace sim::trace_files {

// In the order of the table.
enum class EventField {
    name,
    phase,
    category,
    timestamp,
    duration,
    process,
    // in args; of ndsim's counters in "exact"
    kind,
    label,
    peer,
    units,
    bytes,
    flops,
    work_ps,
    ps,
    dur_ps,
    idle_ps,
    op,
    program_stream,
    tag,
    message,
    work,
    spent,
    stream,
    collective_name,
    elements,
    element_type,
    source,
    target,
    external_id,
    // lists, kept as JSON
    input_dims,
    input_types,
    concrete_inputs,
};

struct FieldRow {
    EventField field;
    bool in_args;
    std::string_view key;
};
inline constexpr auto event_fields = std::to_array<FieldRow>({
    {EventField::name, false, "name"},
    {EventField::phase, false, "ph"},
    {EventField::category, false, "cat"},
    {EventField::timestamp, false, "ts"},
    {EventField::duration, false, "dur"},
    {EventField::process, false, "pid"},
    {EventField::kind, true, "kind"},
    {EventField::label, true, "label"},
    {EventField::peer, true, "peer"},
    {EventField::units, true, "units"},
    {EventField::bytes, true, "bytes"},
    {EventField::flops, true, "flops"},
    {EventField::work_ps, true, "work_ps"},
    {EventField::ps, true, "ps"},
    {EventField::dur_ps, true, "dur_ps"},
    {EventField::idle_ps, true, "idle_ps"},
    {EventField::op, true, "op"},
    {EventField::program_stream, true, "program_stream"},
    {EventField::tag, true, "tag"},
    {EventField::message, true, "message"},
    {EventField::work, true, "work"},
    {EventField::spent, true, "spent_ps"},
    {EventField::stream, true, "stream"},
    {EventField::collective_name, true, "Collective name"},
    {EventField::elements, true, "In msg nelems"},
    {EventField::element_type, true, "dtype"},
    {EventField::source, true, "Src Rank"},
    {EventField::target, true, "Dst Rank"},
    {EventField::external_id, true, "External id"},
    {EventField::input_dims, true, "Input Dims"},
    {EventField::input_types, true, "Input type"},
    {EventField::concrete_inputs, true, "Concrete Inputs"},
});
inline constexpr std::size_t number_of_fields = event_fields.size();
constexpr bool fields_are_in_order() {
    for (std::size_t i = 0; i < number_of_fields; ++i) {
        if (event_fields[i].field != static_cast<EventField>(i)) {
            return false;
        }
    }
    return true;
}
static_assert(fields_are_in_order(), "a row for every field");

// A text or a number, exactly as in the file so that no digit is lost; or a list, as JSON text.
struct Scalar {
    std::string text;
    bool is_number = false;
};

class JsonEvent {
public:
    void clear() { fields_ = {}; }
    void set(EventField field, Scalar value) { fields_[static_cast<std::size_t>(field)] = std::move(value); }

    bool has(EventField field) const { return fields_[static_cast<std::size_t>(field)].has_value(); }
    // Empty if the field is missing or not a text.
    const std::string& text(EventField field) const;
    // The value in units of 10^-decimals, truncated; nothing if the field is missing. Throws UsageError, which begins
    // with `where`, for a value that is not a number or too large.
    std::optional<Wide> number(EventField field, int decimals, const std::string& where) const;
    // Like number(), for a field that must exist and fit into 64 bits.
    std::int64_t whole(EventField field, const std::string& where) const;

private:
    std::array<std::optional<Scalar>, number_of_fields> fields_;
};

// A file's statements about itself; any of them may be missing.
struct TraceHead {
    std::optional<std::int64_t> rank;     // distributedInfo.rank
    std::optional<std::int64_t> base_ns;  // baseTimeNanoseconds: the origin of timestamps
    bool partial = false;                 // the run ended early
    std::string answer = {};              // ndsim's description of its run, as one JSON object; empty: none
};

// Calls `visit` for each event of a JSON trace, one by one without keeping them, with its place for errors:
// "trace.json: event 7". The events are those of the list traceEvents, or of a file that is itself a list. Throws
// UsageError with line and column for text that is not JSON, and if there is no such list.
TraceHead for_each_event(GzipInput& in, const std::string& file,
                         const std::function<void(const JsonEvent& event, const std::string& where)>& visit);

}  // namespace sim::trace_files
