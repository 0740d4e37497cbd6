#include "ranks/lab/record.hpp"

#include <utility>

namespace sim::lab {

Record play(ranks::LaunchOptions options, const sim::Program& program) {
    Record record;
    report::Timeline& timeline = record.timeline;
    options.on_span = [&timeline](const trace::Span& span) { timeline.add(span); };
    ranks::Result result = ranks::launch(options, program);
    timeline.ranks = options.ranks;
    timeline.totals = std::move(result.ranks);
    timeline.end = result.end;
    if (result.fault) {
        timeline.fault = result.fault->message;
        timeline.fault_rank = result.fault->rank;
    }
    record.fault = std::move(result.fault);
    record.reports = std::move(result.reports);
    record.messages = result.messages;
    record.timeline_sha256 = std::move(result.timeline_sha256);
    return record;
}

}  // namespace sim::lab
