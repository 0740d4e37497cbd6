#include "tools/ndsim/collective_timeline.hpp"

#include "libsim/config/byte_sizes.hpp"
#include "tools/ndsim/collective_check.hpp"

#include <fmt/format.h>

namespace sim::tools {

report::Timeline message_timeline(const search::Sweep& sweep, const search::TimedMethod& timed) {
    const search::CollectiveCase& what = timed.what;
    report::Timeline timeline{.title = fmt::format("{} of {}", what.name(), config::size_text(what.bytes())),
                              .facts = {{"algorithm", timed.name}, {"network", sweep.cluster.name}},
                              .ranks = what.ranks,
                              .topology = network::shared_topology(sweep.cluster.network),
                              .bytes_per_unit = sweep.cluster.bytes_per_unit};
    const ranks::Result result = carry_out_messages(sweep, timed, [&](const trace::Span& span) { timeline.add(span); });
    timeline.totals = result.ranks;
    timeline.end = result.end;
    timeline.fault = result.ok() ? "" : result.fault->message;
    return timeline;
}

}  // namespace sim::tools
