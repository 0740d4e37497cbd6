// Expert parallelism sends tokens to the ranks of their experts and brings the results back.
//
//   ExpertParallel experts(gpu, world(gpu), E, size);             // this member has experts.own_experts()
//   Dispatched sent = experts.dispatch(tokens, columns, chosen);
//   for each own expert e:     results[e] = work on sent.rows[e];
//   y = experts.combine(results, sent);                           // a result per choice, in the order of `chosen`
//   backward, from the gradient of y:                             // routes are those of the forward pass
//   drows = experts.dispatch_again(dy, sent);  dresults = …;  dtokens = experts.combine(dresults, sent);
//
// Expert e of E is on member floor(e n / E): contiguous and as even as possible; a member may have none. Experts have
// unlimited capacity: no token is dropped, however uneven the routing. A token with k experts travels k times.
//
// Cost: each of the four calls is one exchange, by messages an all-to-all of `size`, which is everything that one
// member sends, k times its tokens: n-1 messages of ceil(size/n), so (n-1)/n of `size` is sent. The price is that of
// balanced routing, whatever the real numbers of rows (see all_to_all_v). Two exchanges forward and two backward.
// Source: Lepikhin et al., "GShard", 2020; Shazeer et al., "Outrageously large neural networks", 2017. Errors:
// ProgramError for an unknown expert, for tokens that are not whole rows or have different numbers of experts, and for
// a number of results other than was dispatched.
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
    // For each of this member's experts, its tokens row by row: those of member 0 first, each member's in the order
    // chosen.
    std::vector<std::vector<double>> rows;

    std::size_t columns = 1;
    std::vector<int> chosen;                        // the expert of each choice of this member's tokens
    std::vector<std::vector<std::size_t>> arrived;  // [member][own expert]: rows received from it
};

// A member's place among those that share the experts, and its way to exchange rows: by messages, or by any other means
// that a program has.
struct ExpertExchange {
    using Parts = std::vector<std::vector<double>>;

    int index = 0;
    int size = 1;
    // Sends parts[i] to member i; returns the part received from each, including its own. Null: a single member,
    // nothing travels.
    std::function<Parts(Parts parts)> exchange = nullptr;
};

// Uses messages among the ranks of `group`: each exchange is an all-to-all of `size`. Throws ProgramError unless the
// rank is in it. The GPU must outlive it.
ExpertExchange among_ranks(GPU& gpu, const Group& group, Size size);

class ExpertParallel {
public:
    // Each exchange costs `size`. Throws ProgramError unless the rank is in `group` and there is at least one expert.
    // The GPU must outlive it.
    ExpertParallel(GPU& gpu, const Group& group, int experts, Size size);
    // Throws ProgramError unless there is at least one expert.
    ExpertParallel(ExpertExchange among, int experts);

    int experts() const { return experts_; }
    Share own_experts() const { return experts_of(among_.index); }
    Share experts_of(int member) const;
    int member_of(int expert) const;

    // tokens: rows x columns. chosen: the k experts of each row, row by row, with the same k for all rows of this
    // member.
    Dispatched dispatch(std::span<const double> tokens, std::size_t columns, std::span<const int> chosen) const;
    // results[e] has as many rows of `columns` as sent.rows[e]. Returns one row per choice: choices x columns.
    std::vector<double> combine(std::span<const std::vector<double>> results, const Dispatched& sent) const;
    // Sends one row per choice to the expert of that choice. Returns the equivalent of Dispatched::rows.
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
