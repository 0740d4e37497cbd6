// Lab 6: tensor parallelism, as pairs of a column-parallel and a row-parallel layer.
#include <libsim/collectives/all_reduce.hpp>
#include <ranks/lab.hpp>

#include <vector>

namespace {

struct Matrix {
    int rows = 0;
    int columns = 0;
    std::vector<double> numbers;  // row by row

    Matrix(int r, int c) : rows(r), columns(c), numbers(static_cast<std::size_t>(r * c)) {}
    double& at(int row, int column) { return numbers[static_cast<std::size_t>(row * columns + column)]; }
    double at(int row, int column) const { return numbers[static_cast<std::size_t>(row * columns + column)]; }
};

// a b, which takes 2 m n k floating-point operations.
Matrix product(sim::GPU& gpu, const Matrix& a, const Matrix& b) {
    gpu.compute("product", sim::Flops{2LL * a.rows * a.columns * b.columns});
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

Matrix transposed(const Matrix& a) {
    Matrix t(a.columns, a.rows);
    for (int i = 0; i < a.rows; ++i) {
        for (int j = 0; j < a.columns; ++j) {
            t.at(j, i) = a.at(i, j);
        }
    }
    return t;
}

// `numbers` where `hidden` is above 0, else 0: relu(hidden) is where_positive(hidden, hidden).
Matrix where_positive(const Matrix& hidden, Matrix numbers) {
    for (std::size_t i = 0; i < numbers.numbers.size(); ++i) {
        numbers.numbers[i] = hidden.numbers[i] > 0 ? numbers.numbers[i] : 0;
    }
    return numbers;
}

// This rank's part of a pair of layers, y = relu(x A) B: some columns of A, and the same rows of B.
struct Pair {
    Matrix columns_of_a;
    Matrix rows_of_b;
    Matrix input{0, 0};   // set forward, for the way back
    Matrix hidden{0, 0};  // relu(x A), this rank's columns of it
    Matrix gradient_of_a{0, 0};
    Matrix gradient_of_b{0, 0};
};

double weight(int pair, int row, int column, int factor) {
    return (3 * row + 5 * column + row * column + 2 * pair + factor) % 5 - 2;
}

Pair make_pair(const sim::GPU& gpu, const sim::lab::Given& given, int number) {
    const int width = static_cast<int>(given.whole("width"));
    const int own = static_cast<int>(given.whole("hidden")) / gpu.world_size();
    const int factor = static_cast<int>(given.whole("factor"));
    Pair pair{.columns_of_a = Matrix(width, own), .rows_of_b = Matrix(own, width)};
    for (int i = 0; i < width; ++i) {
        for (int j = 0; j < own; ++j) {
            pair.columns_of_a.at(i, j) = weight(number, i, gpu.rank() * own + j, factor);
            pair.rows_of_b.at(j, i) = weight(number + 1, gpu.rank() * own + j, i, factor);
        }
    }
    return pair;
}

// Returns the output of the last pair and the gradient of the input of the first one, whole, on every rank.
struct Ends {
    Matrix output;
    Matrix gradient;
};
Ends train([[maybe_unused]] sim::GPU& gpu, [[maybe_unused]] std::vector<Pair>& pairs, Matrix x) {
    Matrix gradient(0, 0);
    // Your lines begin here: all pairs forward, then all pairs backward. The loss is half the sum of the squared
    // output, so its gradient is the output. sim::collectives::all_reduce(gpu, sim::world(gpu), m.numbers) sums over
    // ranks.
    // Starter: sim::lab::gap(gpu, "write both passes here");
    for (Pair& pair : pairs) {
        pair.input = x;
        const Matrix before_relu = product(gpu, x, pair.columns_of_a);
        pair.hidden = where_positive(before_relu, before_relu);
        x = product(gpu, pair.hidden, pair.rows_of_b);
        sim::collectives::all_reduce(gpu, sim::world(gpu), x.numbers);
    }
    gradient = x;
    for (std::size_t i = pairs.size(); i-- > 0;) {
        Pair& pair = pairs[i];
        pair.gradient_of_b = product(gpu, transposed(pair.hidden), gradient);
        const Matrix of_hidden = where_positive(pair.hidden, product(gpu, gradient, transposed(pair.rows_of_b)));
        pair.gradient_of_a = product(gpu, transposed(pair.input), of_hidden);
        gradient = product(gpu, of_hidden, transposed(pair.columns_of_a));
        sim::collectives::all_reduce(gpu, sim::world(gpu), gradient.numbers);
    }
    // Your lines end here.
    return {x, gradient};
}

void program(sim::GPU& gpu, const sim::lab::Given& given) {
    std::vector<Pair> pairs;
    for (int number = 0; number < 2 * given.whole("layers"); ++number) {
        pairs.push_back(make_pair(gpu, given, number));
    }
    Matrix x(static_cast<int>(given.whole("batch")), static_cast<int>(given.whole("width")));
    for (int i = 0; i < x.rows; ++i) {
        for (int j = 0; j < x.columns; ++j) {
            x.at(i, j) = (2 * i + 3 * j) % 4 - 1;
        }
    }
    const Ends ends = train(gpu, pairs, x);
    gpu.report("output", ends.output.numbers);
    gpu.report("gradient of the input", ends.gradient.numbers);
    gpu.report("gradient of A", pairs[0].gradient_of_a.numbers);
    gpu.report("gradient of B", pairs[0].gradient_of_b.numbers);
}

}  // namespace

NDSIM_LAB(program)
