// ndsim_peer_simgrid RANKS lock-step|jittered: the load of tests/bench/ring_load.hpp in SimGrid, with one actor per
// rank and a private link to its right neighbour. Prints messages per second of CPU time, and the simulated seconds.
#include "tests/bench/ring_load.hpp"

#include <simgrid/s4u.hpp>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

namespace {

namespace s4u = simgrid::s4u;
using namespace sim::bench;

std::vector<s4u::Host*> build_ring(int ranks) {
    s4u::NetZone* zone = s4u::create_full_zone("ring");
    std::vector<s4u::Host*> hosts;
    for (int rank = 0; rank < ranks; ++rank) {
        hosts.push_back(zone->create_host("rank" + std::to_string(rank), 1e9)->seal());
    }
    for (int rank = 0; rank < ranks; ++rank) {
        const s4u::Host* right = hosts[static_cast<std::size_t>((rank + 1) % ranks)];
        const s4u::Link* link = zone->create_link("link" + std::to_string(rank), static_cast<double>(bytes_per_second))
                                    ->set_latency(latency_seconds)
                                    ->seal();
        zone->add_route(hosts[static_cast<std::size_t>(rank)]->get_netpoint(), right->get_netpoint(), nullptr, nullptr,
                        {s4u::LinkInRoute(link)}, false);
    }
    zone->seal();
    return hosts;
}

void run_rank(int rank, int ranks, bool jittered) {
    static char payload;
    s4u::Mailbox* to_right = s4u::Mailbox::by_name(std::to_string((rank + 1) % ranks));
    s4u::Mailbox* mine = s4u::Mailbox::by_name(std::to_string(rank));
    for (int step = 0; step < steps_of(ranks); ++step) {
        const auto bytes = static_cast<std::uint64_t>(message_bytes(jittered, rank, step));
        const s4u::CommPtr send = to_right->put_async(&payload, bytes);
        mine->get<char>();
        send->wait();
    }
}

}  // namespace

int main(int argc, char** argv) {
    s4u::Engine engine(&argc, argv);
    s4u::Engine::set_config("network/model:CM02");
    s4u::Engine::set_config("network/crosstraffic:0");
    s4u::Engine::set_config("contexts/stack-size:64");
    if (argc != 3) {
        std::fprintf(stderr, "usage: ndsim_peer_simgrid RANKS lock-step|jittered\n");
        return 2;
    }
    const int ranks = std::atoi(argv[1]);
    const bool jittered = std::string(argv[2]) == "jittered";
    const std::vector<s4u::Host*> hosts = build_ring(ranks);
    for (int rank = 0; rank < ranks; ++rank) {
        s4u::Actor::create("rank", hosts[static_cast<std::size_t>(rank)],
                           [rank, ranks, jittered] { run_rank(rank, ranks, jittered); });
    }
    const std::clock_t begin = std::clock();
    engine.run();
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    const double messages = static_cast<double>(ranks) * steps_of(ranks);
    std::printf("%.0f messages/s, simulated %.9f s\n", messages / seconds, s4u::Engine::get_clock());
    return 0;
}
