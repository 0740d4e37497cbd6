// With a parameter server, all members send to member 0, which adds up and sends the result back to each.
//
// n members, S bytes, L latency (both ends together), B bandwidth, all arriving together: n (L + S/B) for n >= 2.
// The n-1 sends run concurrently; then the server acknowledges n-1 times and sends n-1 times, one after another:
//   (l + S/B) + (n-1) a + (n-1) (l + S/B) + a        l paid by a send, a by a receive, L = l + a
// The server sends (n-1) S, each other member S. Everything the server sends leaves by one link, so the time grows with
// n, unlike the ring's bytes.
// Source: Li et al., Scaling distributed machine learning with the parameter server, OSDI (2014).
#include "libsim/collectives/schedules/schedules.hpp"

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
