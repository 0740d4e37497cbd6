// Flows over shared links, without the kernel. Rates are per second of CPU time.
#include "libsim/network/flows.hpp"

#include <benchmark/benchmark.h>

#include <functional>
#include <vector>

namespace {

using namespace sim;

constexpr double GB = 1e9;
constexpr double us = 1e6;

struct Load {
    std::vector<FlowNetwork::Channel> links;
    std::vector<std::vector<LinkId>> routes;  // one per sender
};

// Uneven sizes, so that no two events coincide.
class Sizes {
public:
    double next() {
        state_ = state_ * 6364136223846793005U + 1442695040888963407U;
        return 1e6 + static_cast<double>(state_ >> 44U);
    }

private:
    std::uint64_t state_ = 1;
};

// Every sender sends one message after another, `flows` in total.
void stream(benchmark::State& state, const Load& load, int flows) {
    std::vector<FlowNetwork::Ended> ended;
    for (auto _ : state) {
        FlowNetwork network(load.links);
        Sizes sizes;
        std::vector<std::size_t> sender_of(2 * load.routes.size());  // by number
        for (std::size_t i = 0; i < load.routes.size(); ++i) {
            sender_of.at(network.start(0, load.routes[i], sizes.next())) = i;
        }
        for (int left = flows - static_cast<int>(load.routes.size()); network.next_event();) {
            ended.clear();
            network.advance(ended);
            for (const FlowNetwork::Ended& end : ended) {
                if (left-- > 0) {
                    const std::size_t sender = sender_of[end.flow];
                    sender_of.at(network.start(end.at, load.routes[sender], sizes.next())) = sender;
                }
            }
        }
        benchmark::DoNotOptimize(network.now());
    }
    state.counters["flows/s"] = benchmark::Counter(static_cast<double>(flows) * static_cast<double>(state.iterations()),
                                                   benchmark::Counter::kIsRate);
}

// Each rank sends to the next over a link of its own.
Load ring(int ranks) {
    Load load;
    for (int rank = 0; rank < ranks; ++rank) {
        load.links.push_back({50 * GB, 1 * us});
        load.routes.push_back({static_cast<LinkId>(rank)});
    }
    return load;
}

// Each rank sends to its counterpart on the next node: out of the GPU, out of the NIC that `sharing` ranks share, into
// the next NIC, into the GPU.
Load ring_of_nodes(int ranks, int sharing) {
    Load load;
    const auto n = static_cast<LinkId>(ranks);
    const auto cards = static_cast<LinkId>(ranks / sharing);
    for (LinkId i = 0; i < 2 * n; ++i) {
        load.links.push_back({450 * GB, 0.5 * us});
    }
    for (LinkId i = 0; i < 2 * cards; ++i) {
        load.links.push_back({50 * GB, 1 * us});
    }
    for (LinkId rank = 0; rank < n; ++rank) {
        const LinkId card = rank / static_cast<LinkId>(sharing);
        load.routes.push_back(
            {rank, 2 * n + card, 2 * n + cards + (card + 1) % cards, n + (rank + static_cast<LinkId>(sharing)) % n});
    }
    return load;
}

// All messages cross one link.
Load backbone(int ranks) {
    Load load;
    const auto n = static_cast<LinkId>(ranks);
    load.links.push_back({400 * GB, 1 * us});
    for (LinkId rank = 0; rank < n; ++rank) {
        load.links.push_back({50 * GB, 1 * us});
        load.links.push_back({50 * GB, 1 * us});
        load.routes.push_back({2 * rank + 1, 0, 2 * ((rank + 1) % n) + 2});
    }
    return load;
}

void flows_private_links(benchmark::State& state) {
    stream(state, ring(static_cast<int>(state.range(0))), 200'000);
}
BENCHMARK(flows_private_links)->Arg(10)->Arg(100)->Arg(1'000)->Arg(10'000)->Unit(benchmark::kMillisecond);

// Arguments: ranks, and how many of them share a NIC.
void flows_shared_cards(benchmark::State& state) {
    stream(state, ring_of_nodes(static_cast<int>(state.range(0)), static_cast<int>(state.range(1))), 200'000);
}
BENCHMARK(flows_shared_cards)
    ->Args({256, 2})
    ->Args({256, 4})
    ->Args({16, 8})
    ->Args({256, 8})
    ->Args({1'024, 8})
    ->Args({10'240, 8})
    ->Unit(benchmark::kMillisecond);

void flows_one_backbone(benchmark::State& state) {
    const auto ranks = static_cast<int>(state.range(0));
    stream(state, backbone(ranks), 10 * ranks);
}
BENCHMARK(flows_one_backbone)->Arg(10)->Arg(100)->Arg(256)->Arg(1'000)->Unit(benchmark::kMillisecond);

// A full-bisection fat tree of leaves with 32 GPUs and as many spines; the target selects the spine.
struct FatTree {
    explicit FatTree(LinkId gpus) : n(gpus), leaves((gpus + 31) / 32) {
        links.resize(4 * n + 2 * leaves * 32, {50 * GB, 0.5 * us});
    }
    std::vector<LinkId> route(LinkId source, LinkId target) const {
        const LinkId up = 4 * n + source / 32 * 32 + target % 32;
        const LinkId down = 4 * n + leaves * 32 + target / 32 * 32 + target % 32;
        if (source / 32 == target / 32) {
            return {source, n + source, 2 * n + target, 3 * n + target};
        }
        return {source, n + source, up, down, 2 * n + target, 3 * n + target};
    }
    LinkId n;
    LinkId leaves;
    std::vector<FlowNetwork::Channel> links;
};

// Arguments: ranks, and messages in flight per rank, each to another rank: saturated links couple most of the flows.
void flows_random_pairs(benchmark::State& state) {
    const FatTree tree(static_cast<LinkId>(state.range(0)));
    const auto each = static_cast<LinkId>(state.range(1));
    Load load{tree.links, {}};
    Sizes random;
    for (LinkId i = 0; i < each * tree.n; ++i) {
        const LinkId rank = i % tree.n;
        const LinkId away = 1 + static_cast<LinkId>(random.next()) % (tree.n - 1);
        load.routes.push_back(tree.route(rank, (rank + away) % tree.n));
    }
    stream(state, load, static_cast<int>(4 * each * tree.n));
}
BENCHMARK(flows_random_pairs)
    ->Args({128, 1})
    ->Args({1'024, 1})
    ->Args({16, 8})
    ->Args({128, 8})
    ->Unit(benchmark::kMillisecond);

// All-to-all in steps: in each step all ranks send 1 MB at the same instant, to the rank `step` away.
void flows_all_to_all_steps(benchmark::State& state) {
    const FatTree tree(static_cast<LinkId>(state.range(0)));
    const LinkId steps = 20;
    std::vector<FlowNetwork::Ended> ended;
    for (auto _ : state) {
        FlowNetwork network(tree.links);
        for (LinkId step = 1; step <= steps; ++step) {
            const LinkId away = 1 + step * 37 % (tree.n - 1);
            for (LinkId rank = 0; rank < tree.n; ++rank) {
                network.start(network.now(), tree.route(rank, (rank + away) % tree.n), 1e6);
            }
            while (network.next_event()) {
                ended.clear();
                network.advance(ended);
            }
        }
    }
    state.counters["flows/s"] = benchmark::Counter(
        static_cast<double>(tree.n * steps) * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK(flows_all_to_all_steps)->Arg(16)->Arg(128)->Arg(1'024)->Arg(8'192)->Unit(benchmark::kMillisecond);

// All-to-all at once: n (n-1) flows start at the same instant.
void flows_all_to_all_at_once(benchmark::State& state) {
    const FatTree tree(static_cast<LinkId>(state.range(0)));
    std::vector<FlowNetwork::Ended> ended;
    for (auto _ : state) {
        FlowNetwork network(tree.links);
        for (LinkId source = 0; source < tree.n; ++source) {
            for (LinkId target = 0; target < tree.n; ++target) {
                if (source != target) {
                    network.start(0, tree.route(source, target), 1e6);
                }
            }
        }
        while (network.next_event()) {
            ended.clear();
            network.advance(ended);
        }
    }
    state.counters["flows/s"] =
        benchmark::Counter(static_cast<double>(tree.n * (tree.n - 1)) * static_cast<double>(state.iterations()),
                           benchmark::Counter::kIsRate);
}
BENCHMARK(flows_all_to_all_at_once)->Arg(16)->Arg(128)->Arg(512)->Unit(benchmark::kMillisecond);

}  // namespace
