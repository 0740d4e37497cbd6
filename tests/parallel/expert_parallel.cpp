// Expert parallelism: every token reaches its experts wherever they are, at the cost of four all-to-alls.
#include "libsim/parallel/expert_parallel.hpp"
#include "tests/parallel/numbers.hpp"
#include "tests/support/simulate.hpp"

#include <algorithm>

using namespace sim;
using namespace sim::test;
using namespace std::chrono_literals;

namespace {

class ExpertParallelism : public OnBothHosts {};
INSTANTIATE_TEST_SUITE_P(Hosts, ExpertParallelism, both_hosts(), host_name);

using Numbers = std::vector<double>;

constexpr std::size_t columns = 3;
constexpr int tokens_of_a_rank = 5;

// Expert e multiplies rows by its factor, and gradients likewise in the backward pass.
double factor(int expert) {
    return 1.5 + std::cos(3.0 * expert);
}

Numbers tokens_of(int rank) {
    return numbers(tokens_of_a_rank * columns, rank);
}
Numbers gradient_of(int rank, std::size_t k) {
    return numbers(tokens_of_a_rank * k * columns, 100 + rank);
}

// The j-th expert of token t of a rank.
using Routing = std::function<int(int rank, int token, int j)>;

std::vector<int> chosen_by(int rank, const Routing& routing, int k) {
    std::vector<int> chosen;
    for (int token = 0; token < tokens_of_a_rank; ++token) {
        for (int j = 0; j < k; ++j) {
            chosen.push_back(routing(rank, token, j));
        }
    }
    return chosen;
}

std::vector<Numbers> apply_experts(const ExpertParallel& experts, std::vector<Numbers> rows) {
    for (std::size_t e = 0; e < rows.size(); ++e) {
        const double f = factor(experts.own_experts().first + static_cast<int>(e));
        std::transform(rows[e].begin(), rows[e].end(), rows[e].begin(), [f](double v) { return f * v; });
    }
    return rows;
}

void mix(GPU& gpu, int experts_in_all, const Routing& routing, int k, Size size) {
    const ExpertParallel experts(gpu, world(gpu), experts_in_all, size);
    const Dispatched sent = experts.dispatch(tokens_of(gpu.rank()), columns, chosen_by(gpu.rank(), routing, k));
    gpu.report("y", experts.combine(apply_experts(experts, sent.rows), sent));
    const std::vector<Numbers> dresults =
        experts.dispatch_again(gradient_of(gpu.rank(), static_cast<std::size_t>(k)), sent);
    gpu.report("dtokens", experts.combine(apply_experts(experts, dresults), sent));
    for (std::size_t e = 0; e < sent.rows.size(); ++e) {
        const int expert = experts.own_experts().first + static_cast<int>(e);
        gpu.report("rows of " + std::to_string(expert), sent.rows[e]);
        gpu.report("gradients of " + std::to_string(expert), dresults[e]);
    }
}

// A rank's result: for each choice, the token (or the choice's gradient) times the expert's factor.
Numbers expected_of(const Numbers& rows, const std::vector<int>& chosen) {
    const std::size_t choices_per_row = chosen.size() * columns / rows.size();
    Numbers result;
    for (std::size_t choice = 0; choice < chosen.size(); ++choice) {
        for (std::size_t c = 0; c < columns; ++c) {
            result.push_back(factor(chosen[choice]) * rows[choice / choices_per_row * columns + c]);
        }
    }
    return result;
}

// All ranks' rows for an expert, in the order of ranks and choices.
Numbers rows_for(int expert, int n, const Routing& routing, int k, bool gradient) {
    Numbers rows;
    for (int rank = 0; rank < n; ++rank) {
        const std::vector<int> chosen = chosen_by(rank, routing, k);
        const Numbers all = gradient ? gradient_of(rank, static_cast<std::size_t>(k)) : tokens_of(rank);
        for (std::size_t choice = 0; choice < chosen.size(); ++choice) {
            if (chosen[choice] == expert) {
                const std::size_t row = gradient ? choice : choice / static_cast<std::size_t>(k);
                const auto begin = all.begin() + static_cast<std::ptrdiff_t>(row * columns);
                rows.insert(rows.end(), begin, begin + static_cast<std::ptrdiff_t>(columns));
            }
        }
    }
    return rows;
}

void expect_mixed(const ranks::LaunchOptions& launch, int experts, const Routing& routing, int k) {
    const int n = launch.ranks;
    const Simulation s = simulate_well(launch, [&](GPU& gpu) { mix(gpu, experts, routing, k, Units{120}); });
    for (int rank = 0; rank < n; ++rank) {
        const std::vector<int> chosen = chosen_by(rank, routing, k);
        EXPECT_EQ(s.result.reports.at("y").at(rank), expected_of(tokens_of(rank), chosen)) << n << " ranks";
        EXPECT_EQ(s.result.reports.at("dtokens").at(rank),
                  expected_of(gradient_of(rank, static_cast<std::size_t>(k)), chosen));
    }
    for (int expert = 0; expert < experts; ++expert) {
        const int member = expert * n / experts;
        EXPECT_EQ(s.result.reports.at("rows of " + std::to_string(expert)).at(member),
                  rows_for(expert, n, routing, k, false));
        EXPECT_EQ(s.result.reports.at("gradients of " + std::to_string(expert)).at(member),
                  rows_for(expert, n, routing, k, true));
    }
}

const Routing spread_out = [](int rank, int token, int j) { return (3 * rank + 2 * token + j) % 6; };
const Routing all_to_one = [](int, int, int) { return 4; };

}  // namespace

TEST_P(ExpertParallelism, BringsEveryTokenToItsExpertsAndTheResultsBackInOrder) {
    for (const int n : {1, 2, 3, 4, 6}) {
        for (const int k : {1, 2, 3}) {
            expect_mixed(ranks(n), 6, spread_out, k);
        }
    }
}

TEST_P(ExpertParallelism, LeavesExpertsWithoutTokensAndDropsNone) {
    for (const int n : {1, 2, 4}) {
        expect_mixed(ranks(n), 6, all_to_one, 1);
        expect_mixed(ranks(n), 6, all_to_one, 2);
    }
}

TEST_P(ExpertParallelism, OfFewerExpertsThanRanksLeavesRanksWithoutExperts) {
    const Routing first_or_last = [](int rank, int token, int) { return (rank + token) % 2; };
    expect_mixed(ranks(3), 2, first_or_last, 1);
}

TEST_P(ExpertParallelism, SendsFourTimesNMinusOneNthsWhateverTheRouting) {
    // 120 units on n ranks: four all-to-alls of n-1 messages of 120/n units, 0.1 s + 1.2 s / n each.
    for (const int n : {1, 2, 3, 4}) {
        for (const Routing& routing : {spread_out, all_to_one}) {
            const Simulation s = simulate_well(ranks(n), [&](GPU& gpu) { mix(gpu, 6, routing, 2, Units{120}); });
            EXPECT_EQ(s.end(), 4 * (n - 1) * (100ms + duration_of_seconds(1.2) / n));
            for (const RankTotals& totals : s.result.ranks) {
                EXPECT_EQ(totals.messages_sent, 4 * (n - 1));
                EXPECT_EQ(totals.billionths_sent, 4 * (n - 1) * Units{120}.billionths() / n);
            }
        }
    }
}

TEST_P(ExpertParallelism, OfARankWithoutTokensStillServesTheOthers) {
    const Simulation s = simulate_well(ranks(2), [](GPU& gpu) {
        const ExpertParallel experts(gpu, world(gpu), 2, Units{10});
        const bool has_tokens = gpu.rank() == 0;
        const Numbers tokens = has_tokens ? Numbers{1, 2} : Numbers{};
        const std::vector<int> chosen = has_tokens ? std::vector{1, 1} : std::vector<int>{};
        const Dispatched sent = experts.dispatch(tokens, 1, chosen);
        gpu.report("y", experts.combine(apply_experts(experts, sent.rows), sent));
    });
    EXPECT_EQ(s.result.reports.at("y").at(0), (Numbers{factor(1), 2 * factor(1)}));
    EXPECT_EQ(s.result.reports.at("y").at(1), Numbers{});
}

TEST_P(ExpertParallelism, HasContiguousExpertsOnEveryMember) {
    const Simulation s = simulate_well(ranks(4), [](GPU& gpu) {
        const ExpertParallel experts(gpu, world(gpu), 6, Units{1});
        EXPECT_EQ(experts.own_experts(), experts.experts_of(gpu.rank()));
        for (int expert = 0; expert < 6; ++expert) {  // floor(e 4 / 6)
            gpu.report("member of " + std::to_string(expert), experts.member_of(expert));
        }
        gpu.report("own", std::vector<double>{1.0 * experts.own_experts().first, 1.0 * experts.own_experts().count});
    });
    const std::vector<double> members{0, 0, 1, 2, 2, 3};
    for (int expert = 0; expert < 6; ++expert) {
        EXPECT_EQ(s.result.reports.at("member of " + std::to_string(expert)).at(0),
                  Numbers{members[static_cast<std::size_t>(expert)]});
    }
    const std::vector<Numbers> own{{0, 2}, {2, 1}, {3, 2}, {5, 1}};
    for (int rank = 0; rank < 4; ++rank) {
        EXPECT_EQ(s.result.reports.at("own").at(rank), own[static_cast<std::size_t>(rank)]);
    }
}

TEST_P(ExpertParallelism, ThatCannotBeIsExplained) {
    const auto message = [&](auto action) {
        return simulate(ranks(1), [action](GPU& gpu) { action(ExpertParallel(gpu, world(gpu), 2, Units{1})); })
            .result.fault->message;
    };
    const Numbers four(4);
    const auto dispatched = [&](const ExpertParallel& experts, std::size_t width, const std::vector<int>& chosen) {
        return experts.dispatch(four, width, chosen);
    };
    EXPECT_THAT(message([&](const ExpertParallel& experts) {
                    dispatched(experts, 2, {0, 2});
                }),
                testing::HasSubstr("expert 2 does not exist: there are 2, from 0 on"));
    EXPECT_THAT(message([&](const ExpertParallel& experts) { dispatched(experts, 3, {0}); }),
                testing::HasSubstr("tokens of 4 numbers are no whole number of rows of 3"));
    EXPECT_THAT(message([&](const ExpertParallel& experts) {
                    dispatched(experts, 2, {0, 1, 0});
                }),
                testing::HasSubstr("3 experts are chosen for 2 rows; every row has the same number of them"));
    EXPECT_THAT(message([&](const ExpertParallel& experts) {
                    const Dispatched sent = dispatched(experts, 2, {0, 1});
                    experts.combine(std::vector<Numbers>{{1}, {1, 2}}, sent);
                }),
                testing::HasSubstr("expert 0 has results of 1 numbers for tokens of 2"));
    EXPECT_THAT(message([&](const ExpertParallel& experts) {
                    const Dispatched sent = dispatched(experts, 2, {0, 1});
                    experts.combine(std::vector<Numbers>{{1, 2}}, sent);
                }),
                testing::HasSubstr("results of 1 experts; this rank has 2"));
    EXPECT_THAT(message([&](const ExpertParallel& experts) {
                    const Dispatched sent = dispatched(experts, 2, {0, 1});
                    experts.dispatch_again(Numbers(3), sent);
                }),
                testing::HasSubstr("3 numbers for 2 choices of 2 columns"));
    EXPECT_THAT(
        simulate(ranks(1), [](GPU& gpu) { ExpertParallel(gpu, world(gpu), 0, Units{1}); }).result.fault->message,
        testing::HasSubstr("0 experts: there must be at least 1"));
}
