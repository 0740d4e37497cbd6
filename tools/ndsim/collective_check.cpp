#include "tools/ndsim/collective_check.hpp"

#include <fmt/format.h>

#include <utility>

namespace sim::tools {

using namespace search;

namespace {

ranks::LaunchOptions on_fibers(const Sweep& sweep, const TimedMethod& timed) {
    return {.ranks = timed.what.ranks, .host = ranks::Host::fiber, .cluster = sweep.cluster, .hash_timeline = false};
}

}  // namespace

ranks::Result carry_out_messages(const Sweep& sweep, const TimedMethod& timed, trace::SpanSink on_span) {
    const Schedule schedule = schedule_for(sweep, timed.what);
    ranks::LaunchOptions launch = on_fibers(sweep, timed);
    launch.on_span = std::move(on_span);
    return ranks::launch(launch, [&](GPU& gpu) { run_messages(gpu, timed.what, schedule); });
}

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

}  // namespace sim::tools
