// The price list says what each operator of PyTorch costs on a machine's GPU, and counts what was bought.
//
// Calls come as they reach CUDA's kernels: below autograd and autocast, so that types are what they are, and what
// PyTorch composes has come apart. Each is priced once for each signature (signature.hpp). While `is_compiled`, the
// operators that torch.compile fuses are collected in chains (chains.hpp), and charged when a chain ends.
//
// Cost: about 60 ns for an operator with a known signature; a view costs next to nothing. One thread at a time.
#pragma once

#include "libsim/training/operator_time.hpp"
#include "libsim/units.hpp"
#include "tools/torch/prices/bill.hpp"
#include "tools/torch/prices/chains.hpp"
#include "tools/torch/prices/operator.hpp"
#include "tools/torch/prices/signature.hpp"
#include "tools/torch/prices/works/works.hpp"
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

    // The operator's number in this list.
    std::int32_t known(const seam::Operator& schema);
    // Whether its price depends on `tf32`.
    bool multiplies(std::int32_t op) const { return prices::multiplies(operators_[static_cast<std::size_t>(op)].kind); }

    // The kernels that the host launches with this operator, in their order: none for a view. While compiled these are
    // the chains that end with it, before its own, if it has one. They are there until the next call.
    // Requires: `op` is a number that known() gave, and `arguments` are as many as its schema has.
    std::span<const Kernel> kernels(std::int32_t op, const seam::Value* arguments,
                                    std::span<const seam::Value> results);

    // What has not ended yet is charged now: before collectives, before the host waits, and at the end.
    std::span<const Kernel> flush();

    // Whether operators are priced as torch.compile fuses them; a region's optimizer, which it leaves as it is, is not.
    bool is_compiled = false;

    // How a script lets tensors of fp32 be multiplied: it may change between calls.
    Tf32 tf32 = {};

    // A row for each operator and way of pricing, the dearest first.
    std::vector<Row> rows() const { return bill_.rows(views_); }
    // The operators that are not known, and were priced as memory traffic.
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
    std::vector<Kernel> charged_;  // the last answer, where it is of several entries
    std::int64_t views_ = 0;
};

}  // namespace sim::torch::prices
