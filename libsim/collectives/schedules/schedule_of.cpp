// Which collective has which algorithms: one row for each schedule there is.
#include "libsim/check.hpp"
#include "libsim/collectives/schedules/bidirectional_ring.hpp"
#include "libsim/collectives/schedules/binomial_tree.hpp"
#include "libsim/collectives/schedules/bruck.hpp"
#include "libsim/collectives/schedules/direct.hpp"
#include "libsim/collectives/schedules/dissemination.hpp"
#include "libsim/collectives/schedules/double_binary_tree.hpp"
#include "libsim/collectives/schedules/halving_doubling.hpp"
#include "libsim/collectives/schedules/hierarchical.hpp"
#include "libsim/collectives/schedules/parameter_server.hpp"
#include "libsim/collectives/schedules/ring.hpp"

#include <algorithm>
#include <array>

namespace sim {

namespace {

struct Asked {
    Method method;
    int members;
    int root;
};

struct Row {
    CollectiveKind kind;
    Algorithm algorithm;
    Schedule (*build)(const Asked& asked);
};

using enum CollectiveKind;

constexpr std::array rows{
    Row{barrier, Algorithm::bruck, [](const Asked& a) { return dissemination_barrier(a.members); }},

    Row{broadcast, Algorithm::ring, [](const Asked& a) { return ring_broadcast(a.members, a.root, a.method); }},
    Row{broadcast, Algorithm::binomial_tree,
        [](const Asked& a) { return binomial_broadcast(a.members, a.root, a.method.channels); }},
    Row{broadcast, Algorithm::double_binary_tree,
        [](const Asked& a) { return double_tree_broadcast(a.members, a.root, a.method); }},
    Row{broadcast, Algorithm::hierarchical,
        [](const Asked& a) { return hierarchical(broadcast, a.members, a.root, a.method); }},

    Row{all_gather, Algorithm::ring, [](const Asked& a) { return ring_all_gather(a.members, a.method); }},
    Row{all_gather, Algorithm::bidirectional_ring,
        [](const Asked& a) { return bidirectional_ring(all_gather, a.members, a.method.channels); }},
    Row{all_gather, Algorithm::halving_doubling,
        [](const Asked& a) { return doubling_all_gather(a.members, a.method.channels); }},
    Row{all_gather, Algorithm::bruck, [](const Asked& a) { return bruck_all_gather(a.members, a.method.channels); }},
    Row{all_gather, Algorithm::direct, [](const Asked& a) { return direct_all_gather(a.members, a.method.channels); }},
    Row{all_gather, Algorithm::hierarchical,
        [](const Asked& a) { return hierarchical(all_gather, a.members, 0, a.method); }},

    Row{reduce_scatter, Algorithm::ring, [](const Asked& a) { return ring_reduce_scatter(a.members, a.method); }},
    Row{reduce_scatter, Algorithm::bidirectional_ring,
        [](const Asked& a) { return bidirectional_ring(reduce_scatter, a.members, a.method.channels); }},
    Row{reduce_scatter, Algorithm::halving_doubling,
        [](const Asked& a) { return halving_reduce_scatter(a.members, a.method.channels); }},
    Row{reduce_scatter, Algorithm::bruck,
        [](const Asked& a) { return bruck_reduce_scatter(a.members, a.method.channels); }},
    Row{reduce_scatter, Algorithm::direct,
        [](const Asked& a) { return direct_reduce_scatter(a.members, a.method.channels); }},
    Row{reduce_scatter, Algorithm::hierarchical,
        [](const Asked& a) { return hierarchical(reduce_scatter, a.members, 0, a.method); }},

    Row{all_reduce, Algorithm::ring, [](const Asked& a) { return ring_all_reduce(a.members, a.method); }},
    Row{all_reduce, Algorithm::bidirectional_ring,
        [](const Asked& a) { return bidirectional_ring(all_reduce, a.members, a.method.channels); }},
    Row{all_reduce, Algorithm::binomial_tree,
        [](const Asked& a) { return binomial_all_reduce(a.members, a.method.channels); }},
    Row{all_reduce, Algorithm::double_binary_tree,
        [](const Asked& a) { return double_tree_all_reduce(a.members, a.method); }},
    Row{all_reduce, Algorithm::halving_doubling,
        [](const Asked& a) { return halving_doubling_all_reduce(a.members, a.method.channels); }},
    Row{all_reduce, Algorithm::bruck, [](const Asked& a) { return bruck_all_reduce(a.members, a.method.channels); }},
    Row{all_reduce, Algorithm::direct, [](const Asked& a) { return direct_all_reduce(a.members, a.method.channels); }},
    Row{all_reduce, Algorithm::hierarchical,
        [](const Asked& a) { return hierarchical(all_reduce, a.members, 0, a.method); }},
    Row{all_reduce, Algorithm::parameter_server,
        [](const Asked& a) { return parameter_server_all_reduce(a.members, a.method.channels); }},

    Row{reduce, Algorithm::ring, [](const Asked& a) { return ring_reduce(a.members, a.root, a.method); }},
    Row{reduce, Algorithm::binomial_tree,
        [](const Asked& a) { return binomial_reduce(a.members, a.root, a.method.channels); }},
    Row{reduce, Algorithm::double_binary_tree,
        [](const Asked& a) { return double_tree_reduce(a.members, a.root, a.method); }},
    Row{reduce, Algorithm::hierarchical,
        [](const Asked& a) { return hierarchical(reduce, a.members, a.root, a.method); }},

    Row{gather, Algorithm::direct, [](const Asked& a) { return direct_gather(a.members, a.root, a.method.channels); }},
    Row{gather, Algorithm::binomial_tree,
        [](const Asked& a) { return binomial_gather(a.members, a.root, a.method.channels); }},
    Row{scatter, Algorithm::direct,
        [](const Asked& a) { return direct_scatter(a.members, a.root, a.method.channels); }},
    Row{scatter, Algorithm::binomial_tree,
        [](const Asked& a) { return binomial_scatter(a.members, a.root, a.method.channels); }},

    Row{all_to_all, Algorithm::direct, [](const Asked& a) { return direct_all_to_all(a.members, a.method.channels); }},
    Row{all_to_all, Algorithm::bruck, [](const Asked& a) { return bruck_all_to_all(a.members); }},
};

const Row* row_of(CollectiveKind kind, Algorithm algorithm) {
    const auto wanted = [&](const Row& row) { return row.kind == kind && row.algorithm == algorithm; };
    const auto* const row = std::find_if(rows.begin(), rows.end(), wanted);
    return row == rows.end() ? nullptr : row;
}

}  // namespace

bool has_algorithm(CollectiveKind kind, Algorithm algorithm) {
    return row_of(kind, algorithm) != nullptr;
}

Schedule schedule_of(CollectiveKind kind, const Method& method, int members, int root) {
    check(members >= 1 && root >= 0 && root < members, "a schedule of {} members has root {}", members, root);
    check_method(kind, method, members);
    Schedule schedule = row_of(kind, method.algorithm)->build({method, members, root});
    schedule.method = method;
    return schedule;
}

Schedule split_over(Schedule schedule, int channels) {
    schedule.channels = channels;
    schedule.chunks *= channels;
    schedule.parts = channels;
    schedule.split = channels > 1;
    return schedule;
}

// The part of a whole block is one chunk; so parts of blocks in a row are as far apart as there are channels.
Step Schedule::part_of(Step step, int channel) const {
    for (ChunkSet* const set : {&step.send, &step.receive}) {
        if (set->first < 0) {
            continue;
        }
        check(set->run == 1 || set->run == set->span, "a set of {} of every {} blocks has no parts", set->run,
              set->period);
        const int period = set->run == 1 ? set->period : 1;
        *set = {set->first * channels + channel, 1, period * channels, set->span * channels};
    }
    return step;
}

}  // namespace sim
