#include "tools/labs/course/slow_ranks.hpp"

#include "libsim/collectives/all_reduce.hpp"
#include "libsim/faults/checkpoint_intervals.hpp"
#include "libsim/parallel/shares.hpp"

#include <numeric>

namespace sim::labs {

SlowRankNumbers::SlowRankNumbers(const Given& given, int n)
    : ranks(n),
      items(static_cast<int>(given.whole("items"))),
      slow_rank(static_cast<int>(given.whole("slow_rank"))),
      slowdown(given["slowdown"]),
      elements(given.whole("elements")),
      flops_per_item(given.whole("flops_per_item")),
      checkpoint_seconds(given["checkpoint_seconds"]),
      gpu_hours_between_failures(given["gpu_hours_between_failures"]),
      cluster_gpus(given["cluster_gpus"]) {}

std::vector<int> SlowRankNumbers::fair_shares() const {
    std::vector<double> speeds;
    for (int rank = 0; rank < ranks; ++rank) {
        speeds.push_back(1 / slowdown_of(rank));
    }
    std::vector<int> counts;
    for (const parallel::Share& share : parallel::weighted_shares(items, speeds)) {
        counts.push_back(share.count);
    }
    return counts;
}

double SlowRankNumbers::youngs_interval() const {
    return faults::young_interval(checkpoint_seconds, seconds_between_failures());
}

lab::Program with_slow_rank(SlowRankHabits habits) {
    return [habits = std::move(habits)](GPU& gpu, const Given& given) {
        const SlowRankNumbers numbers(given, gpu.world_size());
        const std::vector<int> counts = habits.shares ? habits.shares(numbers) : numbers.fair_shares();
        const int own = counts[static_cast<std::size_t>(gpu.rank())];
        const int first = habits.first_item ? habits.first_item(numbers, gpu.rank())
                                            : std::accumulate(counts.begin(), counts.begin() + gpu.rank(), 0);
        gpu.compute("items", Flops{own * numbers.flops_per_item});
        std::vector<double> gradient(static_cast<std::size_t>(numbers.elements));
        for (int item = first; item < first + own; ++item) {
            for (std::size_t i = 0; i < gradient.size(); ++i) {
                gradient[i] += item + 1 + static_cast<double>(i % 3);
            }
        }
        const auto divide = [&gradient](int by) {
            for (double& number : gradient) {
                number /= by;
            }
        };
        if (habits.divides_by_own_items) {
            divide(own);
        }
        if (habits.barrier) {
            gpu.barrier();
        }
        if (habits.sums) {
            collectives::all_reduce(gpu, world(gpu), gradient);
        }
        if (habits.divides) {
            divide(habits.divides_by_own_items || habits.divides_by_ranks ? numbers.ranks : numbers.items);
        }
        gpu.report("gradient", gradient);
        gpu.report("checkpoint interval", habits.interval ? habits.interval(numbers) : numbers.youngs_interval());
    };
}

}  // namespace sim::labs
