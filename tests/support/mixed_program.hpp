// A mixed program does everything that a rank program can, at random, to compare two ways of running it.
#pragma once

#include "libsim/collectives/all_reduce.hpp"
#include "libsim/collectives/broadcast.hpp"
#include "tests/support/random.hpp"

#include <unistd.h>

#include <string>
#include <vector>

namespace sim::test {

// The order of sends and receives when all ranks send to the one at a distance. Blocking senders would wait forever in
// a circle if no rank received first.
enum class First { all_send, some_receive };

template <class Send, class Receive>
void exchange(GPU& gpu, First first, int distance, const Send& send, const Receive& receive) {
    if (first == First::some_receive && gpu.rank() < distance) {
        receive();
        send();
    } else {
        send();
        receive();
    }
}

// Every rank sends to its right and receives from its left on one stream: as messages by size, as a collective, or as a
// collective with data.
inline Handle exchange_on(GPU& gpu, Stream stream, int form, First first, std::vector<double>& data, Size size) {
    const int n = gpu.world_size();
    return gpu.on(stream, [&] {
        switch (form) {
            case 0:
                exchange(
                    gpu, first, 1, [&] { gpu.send((gpu.rank() + 1) % n, "on a stream", size); },
                    [&] { gpu.receive((gpu.rank() + n - 1) % n, "on a stream", size); });
                break;
            case 1: all_reduce(gpu, world(gpu), size); break;
            default: all_reduce(gpu, world(gpu), data, size); break;
        }
    });
}

// Everything at once: uneven compute, messages with and without data, asynchronous messages, collectives, streams,
// memory, queries. Ranks also dawdle in wall time, which must have no effect.
inline void mixed_program(GPU& gpu, std::uint64_t seed, First first = First::all_send) {
    Random shared(seed);  // the same on all ranks
    Random own(seed * 1000 + static_cast<std::uint64_t>(gpu.rank()));
    const int n = gpu.world_size();
    std::vector<double> data(static_cast<std::size_t>(shared.below(50)), gpu.rank());
    std::vector<Handle> unjoined;
    for (int round = 0; round < 8; ++round) {
        gpu.compute("work", Units(own.below(20)));
        gpu.allocate("round", Units(own.below(9)));
        if (own.below(4) == 0) {
            usleep(static_cast<useconds_t>(own.below(300)));
        }
        const int distance = n > 1 ? 1 + shared.below(n - 1) : 0;
        const int to = (gpu.rank() + distance) % n;
        const int from = (gpu.rank() - distance + n) % n;
        const Size size = Units(shared.below(100));
        switch (n > 1 ? shared.below(9) : 8) {
            case 0:
                exchange(
                    gpu, first, distance, [&] { gpu.send(to, "plain", size, Tag{round}); },
                    [&] { gpu.receive(from, "plain", size, Tag{round}); });
                break;
            case 1: {
                const Handle receiving = gpu.receive_async(from, "overlapped", size);
                gpu.send_async(to, "overlapped", size);
                gpu.compute("meanwhile", Units(own.below(10)));
                gpu.wait(receiving);
                break;
            }
            case 2:
                exchange(
                    gpu, first, distance, [&] { gpu.send(to, std::vector<double>(data), "data", size); },
                    [&] { gpu.receive(from, std::span(data), "data", size); });
                break;
            case 3: all_reduce(gpu, world(gpu), data, size); break;
            case 4: broadcast(gpu, world(gpu), shared.below(n), size); break;
            case 5:
            case 6:
            case 7: {
                const Stream stream{static_cast<std::uint8_t>(1 + shared.below(3))};
                unjoined.push_back(exchange_on(gpu, stream, shared.below(3), first, data, size));
                break;
            }
            default: gpu.barrier(); break;
        }
        if (!unjoined.empty() && own.below(2) == 0) {
            gpu.wait(unjoined.back());
            unjoined.pop_back();
        }
        if (own.below(3) == 0) {
            gpu.log("now " + std::to_string(gpu.now().count()));
        }
    }
    gpu.report("data", data);
}

}  // namespace sim::test
