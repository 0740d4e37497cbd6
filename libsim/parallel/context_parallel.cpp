#include "libsim/parallel/context_parallel.hpp"

#include "libsim/collectives/data_reader.hpp"
#include "libsim/error.hpp"
#include "libsim/parallel/online_softmax.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <string_view>
#include <utility>

namespace sim {

namespace {

constexpr std::string_view label = "ring attention";
// No barrier has data, so that nobody else's messages carry its tag.
const Schedule rotation{.kind = CollectiveKind::barrier, .config = Algorithm::ring};

double dot(std::span<const double> a, std::span<const double> b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

void add_scaled(std::span<double> y, double factor, std::span<const double> x) {
    for (std::size_t c = 0; c < y.size(); ++c) {
        y[c] += factor * x[c];
    }
}

int index_in(const GPU& gpu, const Group& group) {
    const int index = group.index_of(gpu.rank());
    if (index < 0) {
        throw ProgramError(fmt::format("rank {} is not in the group that shares the positions", gpu.rank()));
    }
    return index;
}

void check_input(const AttentionInput& input) {
    if (input.width == 0 || input.q.size() % input.width != 0) {
        throw ProgramError(
            fmt::format("queries of {} numbers are no whole number of rows of {}", input.q.size(), input.width));
    }
    if (input.k.size() != input.q.size() || input.v.size() != input.q.size()) {
        throw ProgramError(fmt::format("q, k and v of {}, {} and {} numbers; every position has one of each",
                                       input.q.size(), input.k.size(), input.v.size()));
    }
}

// The rows of one head, and what they see of a visiting [K|V]: 2 width numbers for each of its positions.
class Blocks {
public:
    Blocks(const AttentionInput& input, int index)
        : input_(&input),
          index_(index),
          width_(input.width),
          rows_(input.q.size() / input.width),
          scale_(1.0 / std::sqrt(static_cast<double>(input.width))) {}

    std::size_t rows() const { return rows_; }
    bool sees(int member) const { return !input_->causal || member <= index_; }

    std::vector<double> own_keys_and_values() const {
        std::vector<double> kv;
        kv.reserve(2 * input_->k.size());
        for (std::size_t j = 0; j < rows_; ++j) {
            const auto key = input_->k.subspan(j * width_, width_);
            const auto value = input_->v.subspan(j * width_, width_);
            kv.insert(kv.end(), key.begin(), key.end());
            kv.insert(kv.end(), value.begin(), value.end());
        }
        return kv;
    }

    void merge(int member, std::span<const double> kv, std::vector<OnlineSoftmax>& merged,
               std::span<double> out) const {
        std::vector<double> scores(rows_);
        for (std::size_t i = 0; i < rows_; ++i) {
            const std::size_t seen = seen_by(i, member);
            for (std::size_t j = 0; j < seen; ++j) {
                scores[j] = scale_ * dot(query(i), row(kv, 2 * j));
            }
            merged[i].add(std::span(scores).first(seen), kv.subspan(width_), 2 * width_,
                          out.subspan(i * width_, width_));
        }
    }

    // With p_ij the softmax's weight, D_i = dout_i . out_i and ds_ij = p_ij (dout_i . v_j - D_i) / sqrt(width):
    //   dv_j += p_ij dout_i     dq_i += ds_ij k_j     dk_j += ds_ij q_i
    void add_gradient(int member, std::span<const double> kv, const Attention& attention, std::span<const double> dout,
                      std::span<double> dq, std::span<double> dkv) const {
        for (std::size_t i = 0; i < rows_; ++i) {
            const auto dy = row(dout, i);
            const double mean = dot(dy, row(std::span(attention.out), i));  // D_i
            for (std::size_t j = 0; j < seen_by(i, member); ++j) {
                const auto key = row(kv, 2 * j);
                const auto value = row(kv, 2 * j + 1);
                const double p = std::exp(scale_ * dot(query(i), key) - attention.log_sum[i]);
                const double ds = scale_ * p * (dot(dy, value) - mean);
                add_scaled(row(dq, i), ds, key);
                add_scaled(row(dkv, 2 * j), ds, query(i));
                add_scaled(row(dkv, 2 * j + 1), p, dy);
            }
        }
    }

    // [dK|dV] as two arrays.
    void take_apart(std::span<const double> dkv, AttentionGradient& gradient) const {
        for (std::size_t j = 0; j < rows_; ++j) {
            const auto dk = row(dkv, 2 * j);
            const auto dv = row(dkv, 2 * j + 1);
            gradient.dk.insert(gradient.dk.end(), dk.begin(), dk.end());
            gradient.dv.insert(gradient.dv.end(), dv.begin(), dv.end());
        }
    }

private:
    template <class T>
    std::span<T> row(std::span<T> x, std::size_t number) const {
        return x.subspan(number * width_, width_);
    }
    std::span<const double> query(std::size_t i) const { return row(input_->q, i); }
    std::size_t seen_by(std::size_t i, int member) const { return input_->causal && member == index_ ? i + 1 : rows_; }

    const AttentionInput* input_;
    int index_;
    std::size_t width_;
    std::size_t rows_;
    double scale_;
};

// A rotation that may run beside something else.
class Rotation {
public:
    Rotation(GPU& gpu, const Group& group, std::span<const double> x, std::optional<Size> size)
        : gpu_(&gpu),
          came_(x.size()),
          sent_(gpu.send_async(group.right_of(gpu.rank()), x, label, size)),
          received_(gpu.receive_async(group.left_of(gpu.rank()), came_, label, size)) {}

    std::vector<double> end() {
        gpu_->wait(received_);
        gpu_->wait(sent_);
        return std::move(came_);
    }

private:
    GPU* gpu_;
    std::vector<double> came_;
    Handle sent_;
    Handle received_;
};

// Calls work(member, [K|V]) for every block as it passes by: own ones first, then those of the members before.
template <class Work>
void for_each_visitor(GPU& gpu, const Group& group, int index, std::vector<double> visiting, const RingOptions& options,
                      Work work) {
    const int n = group.size();
    for (int step = 0; step < n; ++step) {
        const int member = (index - step + n) % n;
        const bool rotates = step + 1 < n;
        std::optional<Rotation> beside;
        if (rotates && options.overlap) {
            beside.emplace(gpu, group, visiting, options.rotated);
        }
        std::vector<double> next;
        work(member, visiting, [&] {
            if (beside) {
                next = beside->end();
            } else if (rotates) {
                next = rotate(gpu, group, std::move(visiting), options.rotated);
            }
        });
        visiting = std::move(next);
    }
}

}  // namespace

std::vector<double> rotate(GPU& gpu, const Group& group, std::vector<double> x, std::optional<Size> size) {
    index_in(gpu, group);
    if (group.size() == 1) {
        return x;
    }
    const Tag tag = tag_of(group, rotation);
    const Size cost = cost_of(size, std::span(x).size_bytes());
    gpu.send_in_collective(group.right_of(gpu.rank()), std::as_bytes(std::span(x)), label, cost, tag);
    std::vector<double> came(x.size());
    gpu.receive_in_collective(group.left_of(gpu.rank()), std::as_writable_bytes(std::span(came)), label, cost, tag);
    return came;
}

Attention ring_attention(GPU& gpu, const Group& group, const AttentionInput& input, const RingOptions& options) {
    check_input(input);
    const int index = index_in(gpu, group);
    const Blocks blocks(input, index);
    Attention attention{.out = std::vector<double>(input.q.size()), .log_sum = {}};
    std::vector<OnlineSoftmax> merged(blocks.rows());
    for_each_visitor(gpu, group, index, blocks.own_keys_and_values(), options,
                     [&](int member, std::span<const double> kv, const auto& end_rotation) {
                         if (blocks.sees(member)) {
                             if (options.before_block) {
                                 options.before_block(member);
                             }
                             blocks.merge(member, kv, merged, attention.out);
                         }
                         end_rotation();
                     });
    for (std::size_t i = 0; i < blocks.rows(); ++i) {
        merged[i].finish(std::span(attention.out).subspan(i * input.width, input.width));
        attention.log_sum.push_back(merged[i].log_sum());
    }
    return attention;
}

AttentionGradient ring_attention_backward(GPU& gpu, const Group& group, const AttentionInput& input,
                                          const Attention& attention, std::span<const double> dout,
                                          const RingOptions& options) {
    check_input(input);
    const int index = index_in(gpu, group);
    const Blocks blocks(input, index);
    if (dout.size() != input.q.size() || attention.out.size() != dout.size() ||
        attention.log_sum.size() != blocks.rows()) {
        throw ProgramError(fmt::format("a gradient of {} numbers of an output of {}, for queries of {}", dout.size(),
                                       attention.out.size(), input.q.size()));
    }
    AttentionGradient gradient{.dq = std::vector<double>(input.q.size()), .dk = {}, .dv = {}};
    std::vector<double> dkv(2 * input.k.size());
    for_each_visitor(gpu, group, index, blocks.own_keys_and_values(), options,
                     [&](int member, std::span<const double> kv, const auto& end_rotation) {
                         if (blocks.sees(member)) {
                             if (options.before_block) {
                                 options.before_block(member);
                             }
                             blocks.add_gradient(member, kv, attention, dout, gradient.dq, dkv);
                         }
                         end_rotation();
                         dkv = rotate(gpu, group, std::move(dkv), options.rotated);  // the last time: home
                     });
    blocks.take_apart(dkv, gradient);
    return gradient;
}

}  // namespace sim
