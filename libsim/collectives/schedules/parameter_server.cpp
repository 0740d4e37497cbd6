#include "libsim/collectives/schedules/parameter_server.hpp"

namespace sim::collectives {

namespace {

// Step k: worker k+1 to the server; step n-1+k: back to worker k+1.
Step server_step(const Schedule& schedule, int /*channel*/, int member, int step) {
    constexpr int server = 0;
    const int workers = schedule.members - 1;
    const bool back = step >= workers;
    const int worker = 1 + (back ? step - workers : step);
    const int sender = back ? server : worker;
    const int receiver = back ? worker : server;
    if (member == sender) {
        return {.to = receiver, .send = {0}};
    }
    return member == receiver ? Step{.from = sender, .receive = {0}, .reduce = !back} : Step{};
}

}  // namespace

Schedule parameter_server_schedule(const ScheduleRequest& request) {
    return split_over({.kind = CollectiveKind::all_reduce,
                       .members = request.members,
                       .steps = 2 * (request.members - 1),
                       .at = server_step},
                      request.config.channels);
}

}  // namespace sim::collectives
