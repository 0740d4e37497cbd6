// The price list prices each operator of PyTorch on a machine's GPU, and keeps the bill.
//
// It sees calls as they reach CUDA's kernels: below autograd and autocast, so that types are final and composite
// operators are decomposed. Each signature (signature.hpp) is priced once. While `is_compiled`, the operators that
// torch.compile fuses are collected in chains (chains.hpp) and charged when a chain ends.
//
// Cost: about 60 ns for an operator with a known signature; a view costs next to nothing. One thread at a time.
#pragma once

#include "libsim/training/operator_time.hpp"
#include "libsim/units.hpp"
#include "tools/torch/prices/bill.hpp"
#include "tools/torch/prices/chains.hpp"
#include "tools/torch/prices/operator.hpp"
#include "tools/torch/prices/signature.hpp"
#include "tools/torch/prices/works.hpp"
#include "tools/torch/seam.hpp"

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

namespace sim::torch::prices {

class PriceList {
public:
    explicit PriceList(training::OperatorTimes times);

    // Returns the operator's number in this list.
    std::int32_t known(const seam::Operator& schema);
    // Whether its price depends on `tf32`.
    bool multiplies(std::int32_t op) const { return prices::multiplies(operators_[static_cast<std::size_t>(op)].kind); }

    // Charges a call and returns the kernels that the host launches for it, in order, valid until the next call; none
    // for a view. While compiled, these are the chains that end with it, then its own kernel if it has one. Requires:
    // `op` is a number from known(), and `arguments` has as many elements as its schema has arguments.
    std::span<const Kernel> kernels(std::int32_t op, const seam::Value* arguments,
                                    std::span<const seam::Value> results);

    // Ends and charges all open chains. Call it before collectives, before the host waits, and at the end.
    std::span<const Kernel> flush();

    // Whether operators are priced as torch.compile fuses them. An optimizer's are not, even within a region.
    bool is_compiled = false;

    // The script's settings for fp32 products, which may change between calls.
    Tf32 tf32 = {};

    // One row per operator and way of pricing, most expensive first.
    std::vector<Row> rows() const { return bill_.rows(views_); }
    // The unknown operators, which were priced as memory traffic.
    std::vector<std::string> guessed() const;

private:
    Entry& entry(std::int32_t op, const Call& call, const seam::Value* arguments, std::span<const seam::Value> results);
    std::span<const Kernel> of_chains(std::int32_t op, const Call& call, const seam::Value* arguments,
                                      std::span<const seam::Value> results);
    void charge(const Chains::Ended& chains);

    training::OperatorTimes times_;
    std::deque<Operator> operators_;
    Signature signature_;
    Prices prices_;
    Bill bill_;
    Chains chains_;
    std::vector<Kernel> charged_;  // the last answer, if it combines several entries
    std::int64_t views_ = 0;
};

}  // namespace sim::torch::prices
