#include "tools/ndsim/collective/report.hpp"

#include "libsim/config/typed_numbers.hpp"
#include "libsim/report/chunk_steps.hpp"
#include "ranks/launch.hpp"

#include <fmt/format.h>

#include <utility>

namespace sim::tools {

using namespace search;

namespace {

ranks::LaunchOptions on_fibers(const Sweep& sweep, const TimedMethod& timed) {
    return {.ranks = timed.what.ranks, .host = ranks::Host::fiber, .cluster = sweep.cluster, .hash_timeline = false};
}

// Carries out the messages by size, without payloads.
ranks::Result carry_out_messages(const Sweep& sweep, const TimedMethod& timed, trace::SpanSink on_span = nullptr) {
    const Schedule schedule = schedule_for(sweep, timed.what);
    ranks::LaunchOptions launch = on_fibers(sweep, timed);
    launch.on_span = std::move(on_span);
    return ranks::launch(launch, [&](GPU& gpu) { run_messages(gpu, timed.what, schedule); });
}

}  // namespace

std::string check_with_data(const Sweep& sweep, TimedMethod& timed) {
    const Schedule schedule = schedule_for(sweep, timed.what);
    const auto differs = [&](Time end, const char* how) {
        return fmt::format("{} bytes by {} take {} s, and {} s {}", timed.what.bytes(), timed.name, timed.seconds(),
                           sim::seconds(end), how);
    };
    const ranks::Result messages = carry_out_messages(sweep, timed);
    if (!messages.ok() || messages.end != timed.end()) {
        return messages.ok() ? differs(messages.end, "message by message") : messages.fault->message;
    }
    const ranks::Result numbers = ranks::launch(on_fibers(sweep, timed), [&](GPU& gpu) {
        gpu.report("wrong", static_cast<double>(run_with_data(gpu, timed.what, schedule)));
    });
    if (!numbers.ok()) {
        return numbers.fault->message;
    }
    timed.wrong = 0;
    for (const auto& [rank, count] : numbers.reports.at("wrong")) {
        *timed.wrong += static_cast<std::int64_t>(count.front());
    }
    return numbers.end != timed.end() ? differs(numbers.end, "with numbers") : "";
}

report::Timeline message_timeline(const Sweep& sweep, const TimedMethod& timed) {
    const CollectiveCase& what = timed.what;
    report::Timeline timeline{.title = fmt::format("{} of {}", what.name(), config::size_text(what.bytes())),
                              .facts = {{"algorithm", timed.name}, {"network", sweep.cluster.name}},
                              .ranks = what.ranks,
                              .topology = sweep.cluster.network->shared_topology(),
                              .bytes_per_unit = sweep.cluster.bytes_per_unit};
    const ranks::Result result = carry_out_messages(sweep, timed, [&](const trace::Span& span) { timeline.add(span); });
    timeline.chunks = report::chunk_steps(fmt::format("{} by {}", what.name(), timed.name), schedule_for(sweep, what));
    timeline.totals = result.ranks;
    timeline.end = result.end;
    timeline.fault = result.ok() ? "" : result.fault->message;
    return timeline;
}

}  // namespace sim::tools
