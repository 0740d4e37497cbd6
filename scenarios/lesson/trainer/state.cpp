#include "scenarios/lesson/trainer/state.hpp"

#include "libsim/check.hpp"

#include <algorithm>
#include <cstring>

namespace sim::lesson {

namespace {

class StateWriter {
public:
    template <class T>
    void put(const std::vector<T>& values) {
        put_bytes(std::uint64_t{values.size()});
        const auto bytes = std::as_bytes(std::span(values));
        bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    }
    void put_bytes(std::uint64_t number) {
        const auto bytes = std::as_bytes(std::span(&number, 1));
        bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    }
    std::vector<std::byte> take() { return std::move(bytes_); }

private:
    std::vector<std::byte> bytes_;
};

class StateReader {
public:
    explicit StateReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

    template <class T>
    void take(std::vector<T>& values) {
        values.resize(take_number());
        const std::size_t size = values.size() * sizeof(T);
        check(size <= bytes_.size(), "a state of {} B more has {} B", size, bytes_.size());
        if (size > 0) {
            std::memcpy(values.data(), bytes_.data(), size);
        }
        bytes_ = bytes_.subspan(size);
    }
    std::uint64_t take_number() {
        std::uint64_t number = 0;
        check(sizeof number <= bytes_.size(), "a state ends after {} B", bytes_.size());
        std::memcpy(&number, bytes_.data(), sizeof number);
        bytes_ = bytes_.subspan(sizeof number);
        return number;
    }

private:
    std::span<const std::byte> bytes_;
};

}  // namespace

std::vector<std::byte> bytes_of(const TrainingState& state) {
    StateWriter out;
    out.put_bytes(state.size());
    for (const PackState& pack : state) {
        out.put(pack.places);
        out.put(pack.weights);
        out.put(pack.own);
        out.put_bytes(static_cast<std::uint64_t>(pack.optimizer.steps));
        out.put(pack.optimizer.mean);
        out.put(pack.optimizer.square);
        out.put_bytes(pack.unsent.size());
        for (const std::vector<double>& of_bucket : pack.unsent) {
            out.put(of_bucket);
        }
    }
    return out.take();
}

TrainingState state_of(std::span<const std::byte> bytes) {
    StateReader in(bytes);
    TrainingState state(in.take_number());
    for (PackState& pack : state) {
        in.take(pack.places);
        in.take(pack.weights);
        in.take(pack.own);
        pack.optimizer.steps = static_cast<int>(in.take_number());
        in.take(pack.optimizer.mean);
        in.take(pack.optimizer.square);
        pack.unsent.resize(in.take_number());
        for (std::vector<double>& of_bucket : pack.unsent) {
            in.take(of_bucket);
        }
    }
    return state;
}

WholeState::WholeState(std::span<const TrainingState> ranks) {
    for (const TrainingState& rank : ranks) {
        for (const PackState& pack : rank) {
            optimizer_steps_ = pack.optimizer.steps;
            const bool has_moments = !pack.optimizer.mean.empty();
            for (std::size_t i = 0; i < pack.own.size(); ++i) {
                const std::size_t place = pack.places[pack.own[i]];
                elements_.resize(std::max(elements_.size(), place + 1));
                elements_[place] = {.weight = pack.weights[pack.own[i]],
                                    .mean = has_moments ? pack.optimizer.mean[i] : 0,
                                    .square = has_moments ? pack.optimizer.square[i] : 0};
            }
        }
    }
}

void WholeState::fill(PackState& part) const {
    for (std::size_t i = 0; i < part.places.size(); ++i) {
        part.weights[i] = elements_.at(part.places[i]).weight;
    }
    part.optimizer.steps = optimizer_steps_;
    for (std::size_t i = 0; i < part.optimizer.mean.size(); ++i) {
        const Element& element = elements_.at(part.places[part.own[i]]);
        part.optimizer.mean[i] = element.mean;
        part.optimizer.square[i] = element.square;
    }
}

}  // namespace sim::lesson
