// The event queue alone, in the hold model: pop the next event and push it again some time later.
#include "libsim/kernel/parts/event_queue.hpp"
#include "tests/support/random.hpp"

#include <benchmark/benchmark.h>

namespace {

using namespace sim;
using namespace sim::kernel;

void event_queue_hold(benchmark::State& state) {
    test::Random random(1);
    std::vector<Duration> delays;
    for (int i = 0; i < 4096; ++i) {
        delays.emplace_back(random.below(1'000'000));
    }
    EventQueue queue;
    for (int rank = 0; rank < state.range(0); ++rank) {
        queue.push({Time{delays[static_cast<std::size_t>(rank) % delays.size()]}, rank, 0});
    }
    std::size_t next = 0;
    for (auto _ : state) {
        Event event = queue.pop();
        event.at += delays[next++ % delays.size()];
        event.op_number += 1;
        queue.push(event);
    }
    state.counters["events/s"] =
        benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK(event_queue_hold)->Arg(1'000)->Arg(100'000)->Arg(1'000'000);

}  // namespace
