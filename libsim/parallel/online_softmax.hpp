// Online softmax computes the softmax-weighted mean of value rows exactly, while their scores arrive block by block.
//
// One object handles one row of scores. After any number of blocks, with s all scores seen and v their value rows,
//   largest = max s    sum = sum_i exp(s_i - largest)    output = sum_i exp(s_i - largest) v_i
// and a block that raises `largest` rescales the other two: no block is needed again, so the keys and values of a ring
// of ranks can pass by one after the other. finish() divides output by sum.
// Cost of a block of n scores and rows of width w: n (w + 1) multiply-adds and n + 1 exponentials.
// Source: Milakov & Gimelshein, "Online normalizer calculation for softmax", 2018; Liu, Zaharia & Abbeel, "Ring
// attention with blockwise transformers", 2023.
#pragma once

#include "libsim/namespaces.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

namespace sim::parallel {

class OnlineSoftmax {
public:
    // Requires: the value row of scores[i] is values[i * stride] and the output.size() - 1 numbers after it; output is
    // zero before the first block and unmodified between blocks; scores are finite.
    void add(std::span<const double> scores, std::span<const double> values, std::size_t stride,
             std::span<double> output) {
        if (scores.empty()) {
            return;
        }
        const double highest = *std::max_element(scores.begin(), scores.end());
        if (highest > largest_) {
            const double scale = std::exp(largest_ - highest);  // 0 for the first block
            sum_ *= scale;
            for (double& value : output) {
                value *= scale;
            }
            largest_ = highest;
        }
        for (std::size_t i = 0; i < scores.size(); ++i) {
            const double weight = std::exp(scores[i] - largest_);
            sum_ += weight;
            for (std::size_t c = 0; c < output.size(); ++c) {
                output[c] += weight * values[i * stride + c];
            }
        }
    }

    // Requires: at least one score was added.
    void finish(std::span<double> output) const {
        for (double& value : output) {
            value /= sum_;
        }
    }

    // log sum_i exp(s_i): the weight of score s is exp(s - log_sum()), so a backward pass can recompute it.
    double log_sum() const { return largest_ + std::log(sum_); }

private:
    double largest_ = -std::numeric_limits<double>::infinity();
    double sum_ = 0;
};

}  // namespace sim::parallel
