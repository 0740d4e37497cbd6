#include "tools/ndsim/collective_check.hpp"

#include "ranks/launch.hpp"

#include <fmt/format.h>

namespace sim::tools {

using namespace planning;

std::string check_with_data(const planning::Sweep& sweep, planning::TimedMethod& timed) {
    const ranks::LaunchOptions launch{
        .ranks = timed.what.ranks, .host = ranks::Host::fiber, .cluster = sweep.cluster, .hash_timeline = false};
    const Schedule schedule = planning::schedule_for(sweep, timed.what);
    const auto differs = [&](Time end, const char* how) {
        return fmt::format("{} bytes by {} take {} s, and {} s {}", timed.what.bytes(), timed.name, timed.seconds(),
                           sim::seconds(end), how);
    };
    const ranks::Result messages =
        ranks::launch(launch, [&](GPU& gpu) { planning::run_messages(gpu, timed.what, schedule); });
    if (!messages.ok() || messages.end != timed.time.end()) {
        return messages.ok() ? differs(messages.end, "message by message") : messages.fault->message;
    }
    const ranks::Result numbers = ranks::launch(launch, [&](GPU& gpu) {
        gpu.report("wrong", static_cast<double>(planning::run_with_data(gpu, timed.what, schedule)));
    });
    if (!numbers.ok()) {
        return numbers.fault->message;
    }
    timed.wrong = 0;
    for (const auto& [rank, count] : numbers.reports.at("wrong")) {
        *timed.wrong += static_cast<std::int64_t>(count.front());
    }
    return numbers.end != timed.time.end() ? differs(numbers.end, "with numbers") : "";
}

}  // namespace sim::tools
