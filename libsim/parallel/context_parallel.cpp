#include "libsim/parallel/context_parallel.hpp"

#include "libsim/collectives/data_reader.hpp"
#include "libsim/error.hpp"
#include "libsim/parallel/online_softmax.hpp"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <numeric>
#include <string_view>
#include <utility>

namespace sim::parallel {

namespace {

constexpr std::string_view label = "ring attention";
// Barriers carry no data, so nobody else's messages have this tag.
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
    const std::size_t row = input.width * input.heads;
    if (row == 0 || input.items == 0 || input.q.size() % (row * input.items) != 0) {
        throw ProgramError(fmt::format("queries of {} numbers are no whole number of rows of {}{}", input.q.size(), row,
                                       input.items == 1 ? "" : fmt::format(" for each of {} items", input.items)));
    }
    if (input.k.size() != input.q.size() || input.v.size() != input.q.size()) {
        throw ProgramError(fmt::format("q, k and v of {}, {} and {} numbers; every position has one of each",
                                       input.q.size(), input.k.size(), input.v.size()));
    }
}

// The rows of one head in one item, and the part of a visiting [K|V] that they see; each of its rows has all heads'
// keys and then all heads' values.
class Blocks {
public:
    Blocks(const AttentionInput& input, int index)
        : input_(&input),
          index_(index),
          width_(input.width),
          columns_(input.width * input.heads),
          rows_(input.q.size() / columns_),
          positions_(rows_ / input.items),
          scale_(1.0 / std::sqrt(static_cast<double>(input.width))) {}

    std::size_t softmaxes() const { return rows_ * input_->heads; }
    bool sees(int member) const { return !input_->causal || member <= index_; }

    std::vector<double> own_keys_and_values() const {
        std::vector<double> kv;
        kv.reserve(2 * input_->k.size());
        for (std::size_t row = 0; row < rows_; ++row) {
            const auto keys = input_->k.subspan(row * columns_, columns_);
            const auto values = input_->v.subspan(row * columns_, columns_);
            kv.insert(kv.end(), keys.begin(), keys.end());
            kv.insert(kv.end(), values.begin(), values.end());
        }
        return kv;
    }

    void merge(int member, std::span<const double> kv, std::vector<OnlineSoftmax>& merged,
               std::span<double> out) const {
        std::vector<double> scores(positions_);
        for_each_query([&](std::size_t item, std::size_t head, std::size_t i) {
            const std::size_t row = item * positions_ + i;
            const std::size_t seen = seen_by(i, member);
            const auto query = part(input_->q, row, head);
            for (std::size_t j = 0; j < seen; ++j) {
                scores[j] = scale_ * dot(query, key(kv, item * positions_ + j, head));
            }
            const std::size_t first_value = item * positions_ * 2 * columns_ + columns_ + head * width_;
            merged[row * input_->heads + head].add(std::span(scores).first(seen), kv.subspan(first_value), 2 * columns_,
                                                   part(out, row, head));
        });
    }

    void finish(const std::vector<OnlineSoftmax>& merged, Attention& attention) const {
        for (std::size_t softmax = 0; softmax < softmaxes(); ++softmax) {
            merged[softmax].finish(std::span(attention.out).subspan(softmax * width_, width_));
            attention.log_sum.push_back(merged[softmax].log_sum());
        }
    }

    // With p_ij the softmax weight, D_i = dout_i . out_i and ds_ij = p_ij (dout_i . v_j - D_i) / sqrt(width):
    //   dv_j += p_ij dout_i     dq_i += ds_ij k_j     dk_j += ds_ij q_i
    void add_gradient(int member, std::span<const double> kv, const Attention& attention, std::span<const double> dout,
                      std::span<double> dq, std::span<double> dkv) const {
        for_each_query([&](std::size_t item, std::size_t head, std::size_t i) {
            const std::size_t row = item * positions_ + i;
            const auto query = part(input_->q, row, head);
            const auto dy = part(dout, row, head);
            const double mean = dot(dy, part(std::span(attention.out), row, head));  // D_i
            const double log_sum = attention.log_sum[row * input_->heads + head];
            for (std::size_t at = item * positions_; at < item * positions_ + seen_by(i, member); ++at) {
                const double p = std::exp(scale_ * dot(query, key(kv, at, head)) - log_sum);
                const double ds = scale_ * p * (dot(dy, value(kv, at, head)) - mean);
                add_scaled(part(dq, row, head), ds, key(kv, at, head));
                add_scaled(key(dkv, at, head), ds, query);
                add_scaled(value(dkv, at, head), p, dy);
            }
        });
    }

    // Splits [dK|dV] into two arrays.
    void take_apart(std::span<const double> dkv, AttentionGradient& gradient) const {
        for (std::size_t row = 0; row < rows_; ++row) {
            const auto dk = dkv.subspan(row * 2 * columns_, columns_);
            const auto dv = dkv.subspan(row * 2 * columns_ + columns_, columns_);
            gradient.dk.insert(gradient.dk.end(), dk.begin(), dk.end());
            gradient.dv.insert(gradient.dv.end(), dv.begin(), dv.end());
        }
    }

private:
    template <class Visit>
    void for_each_query(Visit visit) const {
        for (std::size_t item = 0; item < input_->items; ++item) {
            for (std::size_t head = 0; head < input_->heads; ++head) {
                for (std::size_t i = 0; i < positions_; ++i) {
                    visit(item, head, i);
                }
            }
        }
    }
    template <class T>
    std::span<T> part(std::span<T> x, std::size_t row, std::size_t head) const {
        return x.subspan(row * columns_ + head * width_, width_);
    }
    template <class T>
    std::span<T> key(std::span<T> kv, std::size_t row, std::size_t head) const {
        return part(kv, 2 * row, head);
    }
    template <class T>
    std::span<T> value(std::span<T> kv, std::size_t row, std::size_t head) const {
        return part(kv, 2 * row + 1, head);
    }
    // The number of positions of the visiting part that position i sees.
    std::size_t seen_by(std::size_t i, int member) const {
        return input_->causal && member == index_ ? i + 1 : positions_;
    }

    const AttentionInput* input_;
    int index_;
    std::size_t width_;
    std::size_t columns_;    // of all heads
    std::size_t rows_;       // of all items
    std::size_t positions_;  // of an item
    double scale_;
};

// A rotation that may run concurrently with other work.
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

// Calls work(member, [K|V], end_rotation) for every block as it passes by: this member's own first, then those of the
// preceding members.
template <class Work>
void for_each_visitor(const Ring& ring, std::vector<double> visiting, Work work) {
    for (int step = 0; step < ring.size; ++step) {
        const int member = (ring.index - step + ring.size) % ring.size;
        const bool rotates = step + 1 < ring.size;
        std::function<std::vector<double>()> end_beside;
        if (rotates && ring.begin_rotation) {
            end_beside = ring.begin_rotation(visiting);
        }
        std::vector<double> next;
        work(member, visiting, [&] {
            if (end_beside) {
                next = end_beside();
            } else if (rotates) {
                next = ring.rotate(std::move(visiting));
            }
        });
        visiting = std::move(next);
    }
}

Ring ring_of(GPU& gpu, const Group& group, const RingOptions& options) {
    Ring ring{.index = index_in(gpu, group), .size = group.size()};
    ring.rotate = [&](std::vector<double> x) { return rotate(gpu, group, std::move(x), options.rotated); };
    if (options.overlap) {
        ring.begin_rotation = [&](std::span<const double> x) {
            return [rotation = std::make_shared<Rotation>(gpu, group, x, options.rotated)] { return rotation->end(); };
        };
    }
    return ring;
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

Attention ring_attention(const Ring& ring, const AttentionInput& input,
                         const std::function<void(int member)>& before_block) {
    check_input(input);
    const Blocks blocks(input, ring.index);
    Attention attention{.out = std::vector<double>(input.q.size()), .log_sum = {}};
    std::vector<OnlineSoftmax> merged(blocks.softmaxes());
    for_each_visitor(ring, blocks.own_keys_and_values(),
                     [&](int member, std::span<const double> kv, const auto& end_rotation) {
                         if (blocks.sees(member)) {
                             if (before_block) {
                                 before_block(member);
                             }
                             blocks.merge(member, kv, merged, attention.out);
                         }
                         end_rotation();
                     });
    blocks.finish(merged, attention);
    return attention;
}

AttentionGradient ring_attention_backward(const Ring& ring, const AttentionInput& input, const Attention& attention,
                                          std::span<const double> dout,
                                          const std::function<void(int member)>& before_block) {
    check_input(input);
    const Blocks blocks(input, ring.index);
    if (dout.size() != input.q.size() || attention.out.size() != dout.size() ||
        attention.log_sum.size() != blocks.softmaxes()) {
        throw ProgramError(fmt::format("a gradient of {} numbers of an output of {}, for queries of {}", dout.size(),
                                       attention.out.size(), input.q.size()));
    }
    AttentionGradient gradient{.dq = std::vector<double>(input.q.size()), .dk = {}, .dv = {}};
    std::vector<double> dkv(2 * input.k.size());
    for_each_visitor(ring, blocks.own_keys_and_values(),
                     [&](int member, std::span<const double> kv, const auto& end_rotation) {
                         if (blocks.sees(member)) {
                             if (before_block) {
                                 before_block(member);
                             }
                             blocks.add_gradient(member, kv, attention, dout, gradient.dq, dkv);
                         }
                         end_rotation();
                         if (ring.size > 1) {
                             dkv = ring.rotate(std::move(dkv));  // the last rotation brings it home
                         }
                     });
    blocks.take_apart(dkv, gradient);
    return gradient;
}

Attention ring_attention(GPU& gpu, const Group& group, const AttentionInput& input, const RingOptions& options) {
    return ring_attention(ring_of(gpu, group, options), input, options.before_block);
}

AttentionGradient ring_attention_backward(GPU& gpu, const Group& group, const AttentionInput& input,
                                          const Attention& attention, std::span<const double> dout,
                                          const RingOptions& options) {
    return ring_attention_backward(ring_of(gpu, group, options), input, attention, dout, options.before_block);
}

}  // namespace sim::parallel
