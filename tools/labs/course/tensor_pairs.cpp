#include "tools/labs/course/tensor_pairs.hpp"

#include "libsim/collectives/all_gather.hpp"
#include "libsim/collectives/all_reduce.hpp"

#include <algorithm>
#include <functional>

namespace sim::labs {

namespace {

Matrix multiplied(const Matrix& a, const Matrix& b) {
    Matrix c(a.rows, b.columns);
    for (int i = 0; i < a.rows; ++i) {
        for (int j = 0; j < b.columns; ++j) {
            for (int k = 0; k < a.columns; ++k) {
                c.at(i, j) += a.at(i, k) * b.at(k, j);
            }
        }
    }
    return c;
}

Matrix flipped(const Matrix& a) {
    Matrix t(a.columns, a.rows);
    for (int i = 0; i < a.rows; ++i) {
        for (int j = 0; j < a.columns; ++j) {
            t.at(j, i) = a.at(i, j);
        }
    }
    return t;
}

Matrix cut_off(const Matrix& where, Matrix numbers) {
    for (std::size_t i = 0; i < numbers.numbers.size(); ++i) {
        numbers.numbers[i] = where.numbers[i] > 0 ? numbers.numbers[i] : 0;
    }
    return numbers;
}

double weight_of_pair(int pair, int row, int column, int factor) {
    return (3 * row + 5 * column + row * column + 2 * pair + factor) % 5 - 2;
}

struct PairOfLayers {
    Matrix a;  // own columns
    Matrix b;  // own rows
    Matrix input;
    Matrix hidden;
    Matrix gradient_of_a;
    Matrix gradient_of_b;
};

std::vector<PairOfLayers> pairs_of(const PairNumbers& numbers, int ranks, int rank) {
    const int own = numbers.hidden / ranks;
    std::vector<PairOfLayers> pairs;
    for (int number = 0; number < numbers.pairs(); ++number) {
        PairOfLayers pair{.a = Matrix(numbers.width, own), .b = Matrix(own, numbers.width)};
        for (int i = 0; i < numbers.width; ++i) {
            for (int j = 0; j < own; ++j) {
                pair.a.at(i, j) = weight_of_pair(number, i, rank * own + j, numbers.factor);
                pair.b.at(j, i) = weight_of_pair(number + 1, rank * own + j, i, numbers.factor);
            }
        }
        pairs.push_back(std::move(pair));
    }
    return pairs;
}

Matrix batch_of(const PairNumbers& numbers) {
    Matrix x(numbers.batch, numbers.width);
    for (int i = 0; i < x.rows; ++i) {
        for (int j = 0; j < x.columns; ++j) {
            x.at(i, j) = (2 * i + 3 * j) % 4 - 1;
        }
    }
    return x;
}

// Points at which a pass may deviate from plain arithmetic.
struct Hooks {
    std::function<Matrix(const Matrix&, const Matrix&)> product = multiplied;
    std::function<void(Matrix&)> after_columns = nullptr;  // hidden
    std::function<void(Matrix&)> after_rows = nullptr;     // output of a pair
    std::function<void(PairOfLayers&, Matrix& of_hidden)> on_the_way_back = nullptr;
    std::function<void(Matrix&, bool is_first)> after_backward = nullptr;
    bool masks_backward = true;
    bool cuts_after_sum = false;
    double scale = 1;
};

template <class Hook, class... Arguments>
void call(const Hook& hook, Arguments&&... arguments) {
    if (hook) {
        hook(arguments...);
    }
}

PairResults pass_both_ways(std::vector<PairOfLayers>& pairs, Matrix x, const Hooks& hooks) {
    for (PairOfLayers& pair : pairs) {
        pair.input = x;
        pair.hidden = hooks.product(x, pair.a);
        pair.hidden = hooks.cuts_after_sum ? pair.hidden : cut_off(pair.hidden, pair.hidden);
        call(hooks.after_columns, pair.hidden);
        x = hooks.product(pair.hidden, pair.b);
        call(hooks.after_rows, x);
        x = hooks.cuts_after_sum ? cut_off(x, x) : x;
    }
    const Matrix output = x;
    Matrix gradient = x;
    std::for_each(gradient.numbers.begin(), gradient.numbers.end(), [&](double& number) { number *= hooks.scale; });
    for (std::size_t i = pairs.size(); i-- > 0;) {
        PairOfLayers& pair = pairs[i];
        pair.gradient_of_b = hooks.product(flipped(pair.hidden), gradient);
        Matrix of_hidden = hooks.product(gradient, flipped(pair.b));
        of_hidden = hooks.masks_backward ? cut_off(pair.hidden, of_hidden) : of_hidden;
        pair.gradient_of_a = hooks.product(flipped(pair.input), of_hidden);
        call(hooks.on_the_way_back, pair, of_hidden);
        gradient = hooks.product(of_hidden, flipped(pair.a));
        call(hooks.after_backward, gradient, i == 0);
    }
    return {output, gradient, pairs.front().gradient_of_a, pairs.front().gradient_of_b};
}

Hooks hooks_of(GPU& gpu, const TensorHabits& habits) {
    const auto sum = [&gpu, habits](Matrix& m) {
        if (habits.barriers) {
            gpu.barrier();
        }
        collectives::all_reduce(gpu, world(gpu), m.numbers, {}, habits.reduction, habits.algorithm);
    };
    Hooks hooks{
        .masks_backward = habits.masks_backward, .cuts_after_sum = habits.cuts_after_sum, .scale = habits.scale};
    hooks.product = [&gpu, habits](const Matrix& a, const Matrix& b) {
        const std::int64_t times = habits.whole_products ? gpu.world_size() : 1;
        gpu.compute("product", Flops{times * 2 * a.rows * a.columns * b.columns});
        return multiplied(a, b);
    };
    if (habits.gathers_hidden) {
        hooks.after_columns = [&gpu](const Matrix& hidden) {
            std::vector<double> whole(hidden.numbers.size() * static_cast<std::size_t>(gpu.world_size()));
            collectives::all_gather(gpu, world(gpu), whole);
        };
    }
    if (habits.sums_forward) {
        hooks.after_rows = sum;
    }
    hooks.on_the_way_back = [sum, habits](PairOfLayers& pair, Matrix& of_hidden) {
        if (habits.sums_weight_gradients) {
            sum(pair.gradient_of_b);
            sum(pair.gradient_of_a);
        }
        if (habits.sums_hidden_gradients) {
            sum(of_hidden);
        }
    };
    if (habits.sums_backward) {
        hooks.after_backward = [sum, habits](Matrix& gradient, bool is_first) {
            if (!is_first || !habits.leaves_out_first_sum) {
                sum(gradient);
            }
        };
    }
    return hooks;
}

}  // namespace

PairNumbers::PairNumbers(const Given& given)
    : layers(static_cast<int>(given.whole("layers"))),
      batch(static_cast<int>(given.whole("batch"))),
      width(static_cast<int>(given.whole("width"))),
      hidden(static_cast<int>(given.whole("hidden"))),
      factor(static_cast<int>(given.whole("factor"))),
      costs(UniformCosts::of(given)) {}

PairResults right_results(const PairNumbers& numbers, int ranks, int rank) {
    std::vector<PairOfLayers> whole = pairs_of(numbers, 1, 0);
    PairResults results = pass_both_ways(whole, batch_of(numbers), {});
    const int own = numbers.hidden / ranks;
    PairResults part{results.output, results.gradient_of_input, Matrix(numbers.width, own), Matrix(own, numbers.width)};
    for (int i = 0; i < numbers.width; ++i) {
        for (int j = 0; j < own; ++j) {
            part.gradient_of_a.at(i, j) = results.gradient_of_a.at(i, rank * own + j);
            part.gradient_of_b.at(j, i) = results.gradient_of_b.at(rank * own + j, i);
        }
    }
    return part;
}

lab::Program tensor_parallel(const TensorHabits& habits) {
    return [habits](GPU& gpu, const Given& given) {
        const PairNumbers numbers(given);
        std::vector<PairOfLayers> pairs = pairs_of(numbers, gpu.world_size(), gpu.rank());
        const PairResults results = pass_both_ways(pairs, batch_of(numbers), hooks_of(gpu, habits));
        gpu.report("output", results.output.numbers);
        gpu.report("gradient of the input", results.gradient_of_input.numbers);
        gpu.report("gradient of A", results.gradient_of_a.numbers);
        gpu.report("gradient of B", results.gradient_of_b.numbers);
    };
}

}  // namespace sim::labs
