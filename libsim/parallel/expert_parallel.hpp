// Expert parallelism sends tokens to the ranks of their experts and brings the results back.
//
//   ExpertParallel experts(gpu, world(gpu), E, size);             // this member has experts.own_experts()
//   Dispatched sent = experts.dispatch(tokens, columns, chosen);
//   for each own expert e:     results[e] = work on sent.rows[e];
//   y = experts.combine(results, sent);                           // a result per choice, in the order of `chosen`
//   backward, from the gradient of y:                             // routes are those of the forward pass
//   drows = experts.dispatch_again(dy, sent);  dresults = …;  dtokens = experts.combine(dresults, sent);
//
// Expert e of E is on member floor(e n / E): contiguous, as even as can be; a member may have none. No expert is ever
// full: no token is dropped, however uneven the routing. A token with k experts travels k times.
//
// Cost: each of the four is one exchange, by messages an all-to-all of `size`, which is all that one member sends, k
// times its tokens: n-1 messages of ceil(size/n), so that (n-1)/n of `size` is sent. What is priced is balanced
// routing, whatever the real numbers of rows are (see all_to_all_v). Two forward and two backward. Source: Lepikhin et
// al., "GShard", 2020; Shazeer et al., "Outrageously large neural networks", 2017. Errors: ProgramError for an expert
// that is not there, for tokens that are no whole rows or have unequal numbers of experts, and for results of another
// number than what was dispatched.
#pragma once

#include "libsim/gpu.hpp"
#include "libsim/parallel/shares.hpp"

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace sim::parallel {

// The tokens that dispatch() has received, and their way back.
struct Dispatched {
    // For each own expert, its tokens row by row: those of member 0 first, each member's in the order it chose them.
    std::vector<std::vector<double>> rows;

    std::size_t columns = 1;
    std::vector<int> chosen;                        // the expert of each choice of this member's tokens
    std::vector<std::vector<std::size_t>> arrived;  // [member][own expert]: rows that came from it
};

// A member's place among those that share the experts, and how rows get to the others: by messages, or by whatever
// else a program has.
struct ExpertExchange {
    using Parts = std::vector<std::vector<double>>;

    int index = 0;
    int size = 1;
    // parts[i] to member i; returns what came from each, this member's own part included. Null: alone, so none travels.
    std::function<Parts(Parts parts)> exchange = nullptr;
};

// By messages among the ranks of `group`: each exchange is an all-to-all of `size`. Throws ProgramError unless the rank
// is in it. The GPU outlives it.
ExpertExchange among_ranks(GPU& gpu, const Group& group, Size size);

class ExpertParallel {
public:
    // Each exchange costs `size`. Throws ProgramError unless the rank is in `group` and there is an expert. The GPU
    // outlives it.
    ExpertParallel(GPU& gpu, const Group& group, int experts, Size size);
    // Throws ProgramError unless there is an expert.
    ExpertParallel(ExpertExchange among, int experts);

    int experts() const { return experts_; }
    Share own_experts() const { return experts_of(among_.index); }
    Share experts_of(int member) const;
    int member_of(int expert) const;

    // tokens: rows x columns. chosen: of each row its k experts, row by row, k the same for all rows of this member.
    Dispatched dispatch(std::span<const double> tokens, std::size_t columns, std::span<const int> chosen) const;
    // results[e] has as many rows as sent.rows[e], of `columns`. Returns one row per choice: choices x columns.
    std::vector<double> combine(std::span<const std::vector<double>> results, const Dispatched& sent) const;
    // One row per choice to the expert of that choice. Returns what dispatch() would as `rows`.
    std::vector<std::vector<double>> dispatch_again(std::span<const double> rows_of_choices,
                                                    const Dispatched& sent) const;

private:
    ExpertExchange::Parts exchange(ExpertExchange::Parts parts) const;
    std::vector<std::size_t> order_of(std::span<const int> chosen) const;
    std::vector<std::vector<double>> by_own_expert(std::span<const std::vector<double>> from_members,
                                                   const Dispatched& sent) const;

    ExpertExchange among_;
    int experts_;
};

}  // namespace sim::parallel
