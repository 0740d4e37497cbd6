#include "scenarios/report/narration.hpp"

#include "libsim/kernel/parts/describe.hpp"
#include "ranks/launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace sim::scenarios {

using namespace report;

namespace {

constexpr std::size_t most_lines = 400;
constexpr std::size_t first_lines = 200;
constexpr std::size_t last_lines = 100;
// Lines are trimmed at this number, which bounds the memory, instead of the run's length.
constexpr std::size_t sort_out_at = 8'192;

}  // namespace

std::string amount_text(Measure measure, std::int64_t amount) {
    switch (measure) {
        case Measure::units: {
            const double units = Units::from_billionths(amount).value();
            return fmt::format("{:.12g} unit{}", units, units == 1 ? "" : "s");
        }
        case Measure::flops: return fmt::format("{} FLOPs", amount);
        case Measure::picoseconds: return kernel::describe_time(Time{Duration{amount}});
        case Measure::bytes: break;
    }
    return fmt::format("{} byte{}", amount, amount == 1 ? "" : "s");
}

bool Narration::Line::operator<(const Line& other) const {
    // A log line has the number of the op that follows it.
    const bool is_op = span.kind != OpKind::log;
    const bool other_is_op = other.span.kind != OpKind::log;
    return std::tie(at, span.rank, span.op_number, is_op, phase) <
           std::tie(other.at, other.span.rank, other.span.op_number, other_is_op, other.phase);
}

void Narration::add(const Span& span) {
    if (span.kind == OpKind::allocate) {
        return;  // takes no time: the trace shows it
    }
    Span kept = span;
    kept.label = labels_.keep(span.label);
    push({span.begin, kept, Phase::begin});
    if (span.kind != OpKind::log) {
        push({span.end, kept, Phase::end});
    }
    // Ops of streams may be ahead of the current time.
    if (options_.live && (span.stream == Stream::main || span.stream == Stream::own)) {
        tell_until(span.begin);
    }
}

void Narration::push(const Line& line) {
    lines_.push_back(line);
    if (!options_.everything && !options_.live && lines_.size() >= sort_out_at) {
        drop_the_middle();
    }
}

// Keeps only lines that can still be among the first most_lines or the last last_lines of the whole run.
void Narration::drop_the_middle() {
    std::stable_sort(lines_.begin(), lines_.end());
    if (lines_.size() > most_lines + last_lines) {
        dropped_ += lines_.size() - most_lines - last_lines;
        lines_.erase(lines_.begin() + most_lines, lines_.end() - last_lines);
    }
}

void Narration::tell_until(Time now) {
    std::stable_sort(lines_.begin(), lines_.end());
    const auto end = std::find_if(lines_.begin(), lines_.end(), [&](const Line& line) { return line.at > now; });
    std::for_each(lines_.begin(), end, [&](const Line& line) { tell(line); });
    lines_.erase(lines_.begin(), end);
}

void Narration::tell_all() {
    std::stable_sort(lines_.begin(), lines_.end());
    const std::size_t total = lines_.size() + dropped_;
    if (options_.everything || options_.live || total <= most_lines) {
        std::for_each(lines_.begin(), lines_.end(), [&](const Line& line) { tell(line); });
        return;
    }
    std::for_each(lines_.begin(), lines_.begin() + first_lines, [&](const Line& line) { tell(line); });
    options_.tell(fmt::format("  … {} more lines: --verbose shows them all …", total - first_lines - last_lines));
    std::for_each(lines_.end() - last_lines, lines_.end(), [&](const Line& line) { tell(line); });
}

void Narration::tell(const Line& line) const {
    options_.tell(ranks::to_text(
        {.at = line.at, .pid = options_.pid(line.span.rank), .rank = line.span.rank, .text = text(line)}));
}

std::string Narration::text(const Line& line) const {
    const bool is_apart = line.span.stream != Stream::main && line.span.stream != Stream::own;
    return what_happens(line) + (is_apart ? fmt::format(", stream {}", static_cast<int>(line.span.stream)) : "");
}

std::string Narration::what_happens(const Line& line) const {
    const Span& span = line.span;
    const std::string& label = *span.label;
    const double took = seconds(span.end - span.begin);
    const bool begin = line.phase == Phase::begin;
    const std::string size = amount_text(span.measure, span.amount);
    switch (span.kind) {
        case OpKind::compute:
            return begin ? fmt::format("Starting compute: {} ({})", label, size)
                         : fmt::format("Finished compute: {} (took {:.3f}s)", label, took);
        case OpKind::send:
            return begin ? fmt::format("Initiating send: {} ({}) to Rank {}", label, size, span.peer)
                         : fmt::format("Finished send: {} to Rank {} (took {:.3f}s)", label, span.peer, took);
        case OpKind::receive: {
            if (begin) {
                return fmt::format("Expecting receive: {} ({}) from Rank {}", label, size, span.peer);
            }
            const Duration acknowledgement = options_.acknowledgement(span);
            const Duration waited = span.end - span.begin - acknowledgement;
            const std::string wait = waited > Duration{0} ? fmt::format("waited {:.3f}s, ", seconds(waited)) : "";
            return fmt::format("Finished receive: {} from Rank {} ({}ack delay {:.3f}s)", label, span.peer, wait,
                               seconds(acknowledgement));
        }
        case OpKind::log: return label;
        case OpKind::checkpoint:
            return begin ? fmt::format("Starting {} ({})", label, size)
                         : fmt::format("Finished {} (took {:.3f}s)", label, took);
        case OpKind::idle:
            return begin ? fmt::format("Down for {}", label) : fmt::format("Finished {} (took {:.3f}s)", label, took);
        default:
            return begin ? fmt::format("Starting {}: {} ({})", name_of(span.kind), label, size)
                         : fmt::format("Finished {}: {} (took {:.3f}s)", name_of(span.kind), label, took);
    }
}

}  // namespace sim::scenarios
