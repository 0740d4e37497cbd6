// Lab 6: two all-reduces for each layer and direction, and 1/N of the arithmetic.
#include "tools/labs/checks.hpp"
#include "tools/labs/course/tensor_pairs.hpp"

#include <fmt/format.h>

namespace sim::labs {

lab::Program solution_06();

namespace {

Case tensor_case(int ranks, const PairNumbers& numbers) {
    return {.ranks = ranks,
            .costs = numbers.costs.entries(),
            .given = Given({{"layers", numbers.layers},
                            {"batch", numbers.batch},
                            {"width", numbers.width},
                            {"hidden", numbers.hidden},
                            {"factor", numbers.factor},
                            {"latency_seconds", numbers.costs.latency_seconds},
                            {"bytes_per_second", numbers.costs.bytes_per_second},
                            {"flops_per_second", numbers.costs.flops_per_second}})};
}

std::vector<Case> tensor_cases(std::uint64_t seed) {
    Draw draw(seed, 6);
    PairNumbers numbers;
    numbers.layers = static_cast<int>(draw.of({1, 2}));
    numbers.batch = static_cast<int>(draw.of({3, 4, 6}));
    numbers.factor = static_cast<int>(draw.of({0, 1, 2}));
    numbers.costs = {.latency_seconds = draw.of({1e-6, 2e-6, 5e-6}),
                     .bytes_per_second = draw.of({1e9, 2e9, 4e9}),
                     .flops_per_second = 1e9};
    numbers.width = 8;
    numbers.hidden = static_cast<int>(draw.of({16, 24, 32}));
    const Case first = tensor_case(4, numbers);
    numbers.layers = 1;
    numbers.width = 6;
    const Case second = tensor_case(2, numbers);
    numbers.hidden = 15;
    numbers.batch += 1;
    return {first, second, tensor_case(3, numbers)};
}

Duration sum_time(const PairNumbers& numbers, int ranks) {
    return 2 * (ranks - 1) * numbers.costs.message(numbers.bytes_of_sum() / ranks);
}
Duration tensor_time(const PairNumbers& numbers, int ranks) {
    const Duration products = 6 * numbers.costs.compute(numbers.flops_of_product(ranks));
    return numbers.pairs() * (products + 2 * sum_time(numbers, ranks));
}
std::int64_t tensor_bytes(const PairNumbers& numbers, int ranks) {
    return 2 * numbers.pairs() * 2 * (ranks - 1) * (numbers.bytes_of_sum() / ranks);
}

std::map<int, std::vector<double>> on_every_rank(const PairNumbers& numbers, int ranks, Matrix PairResults::*what) {
    std::map<int, std::vector<double>> results;
    for (int rank = 0; rank < ranks; ++rank) {
        results[rank] = (right_results(numbers, ranks, rank).*what).numbers;
    }
    return results;
}

std::vector<Check> grade_tensor(const Case& played, const Record& found, const Record& reference) {
    const PairNumbers numbers(played.given);
    const int n = played.ranks;
    const auto right = [&](Matrix PairResults::*what) { return on_every_rank(numbers, n, what); };
    return {
        reports_are(found, "output", right(&PairResults::output),
                    "behind a row-parallel layer every rank holds a summand of the output: their sum is the output"),
        reports_are(found, "gradient of the input", right(&PairResults::gradient_of_input),
                    "before a column-parallel layer every rank holds a summand of the gradient of x"),
        reports_are(found, "gradient of A", right(&PairResults::gradient_of_a),
                    "a rank's columns of A have their gradient from its own columns of the hidden activations alone"),
        reports_are(found, "gradient of B", right(&PairResults::gradient_of_b),
                    "and so have its rows of B: weights need no communication"),
        time_is(found, tensor_time(numbers, n),
                fmt::format("{} pairs x (6 products x {} + 2 sums x 2 (N-1)(L + S/(N B)) = {})", numbers.pairs(),
                            text_of(numbers.costs.compute(numbers.flops_of_product(n))),
                            text_of(2 * sum_time(numbers, n)))),
        bytes_sent_are(
            found, [&](int) { return tensor_bytes(numbers, n); },
            fmt::format("2 sums for each layer and direction, {} in all, of {}: 2 (N-1)/N of it each",
                        2 * numbers.pairs(), text_of_bytes(numbers.bytes_of_sum()))),
        same_work(found, reference, "a pair takes two products forward and four backward, each of this rank's part")};
}

std::string says_no_sum_backward(const Case& played, const Record& theirs) {
    const PairNumbers numbers(played.given);
    return fmt::format(
        "{}: the way back has no sums, so each rank goes on with its own summand of the gradient of x, from its own {} "
        "columns of A. Sum it over the ranks before the pair in front of this one uses it.",
        text_of(theirs.end()), numbers.hidden / played.ranks);
}
std::string says_no_sum_forward(const Case& played, const Record& theirs) {
    return fmt::format(
        "{}: the output of a row-parallel layer is a sum over {} ranks, and you never add it up. All-reduce it after "
        "the "
        "second product of each pair.",
        text_of(theirs.end()), played.ranks);
}
std::string says_gathers(const Case& played, const Record& theirs) {
    const PairNumbers numbers(played.given);
    return fmt::format(
        "{}, {} too long: you gather the columns of the hidden activations between the two layers. The row-parallel "
        "layer needs just those columns that its rank has.",
        text_of(theirs.end()), text_of(theirs.end() - tensor_time(numbers, played.ranks)));
}
std::string says_weight_sums(const Case& played, const Record& theirs) {
    return fmt::format(
        "{} sent by each rank, where {} is right: you sum the gradients of weights, as data parallelism does. Here "
        "every "
        "rank has other weights, and their gradients are whole.",
        text_of_bytes(theirs.timeline.totals.front().bytes_sent),
        text_of_bytes(tensor_bytes(PairNumbers(played.given), played.ranks)));
}
std::string says_average(const Case& played, const Record&) {
    return fmt::format(
        "You average over the {} ranks. What they hold are summands of one product, not {} estimates of the same: add "
        "them "
        "up.",
        played.ranks, played.ranks);
}

std::vector<Slip> slips_of_tensor(const Case& played) {
    const PairNumbers numbers(played.given);
    const auto sums = static_cast<double>(2 * numbers.pairs());
    const auto bytes = static_cast<double>(numbers.bytes_of_sum());
    const auto right = static_cast<double>(tensor_bytes(numbers, played.ranks));
    return {{"", right / 2,
             "This is one direction: there is a sum for each pair forward, and one backward. Or it is half "
             "of the ring, which sends S (N-1)/N twice."},
            {"", sums * bytes, "This is S for each sum; a ring sends 2 (N-1)/N of it."},
            {"", 2 * sums * bytes, "This is 2 S for each sum; a ring sends 2 (N-1)/N S."},
            {"", right * played.ranks, "This is what all ranks send together."}};
}

double truth_of_tensor(const Case& played, const Record&) {
    return static_cast<double>(tensor_bytes(PairNumbers(played.given), played.ranks));
}

}  // namespace

Lab lab_06();
Lab lab_06() {
    return {.number = 6,
            .folder = "06-tensor-parallel",
            .title = "Tensor parallelism",
            .cases = tensor_cases,
            .solution = solution_06(),
            .grade = grade_tensor,
            .mistakes = {{"no-sum-on-the-way-back", tensor_parallel({.sums_backward = false}), says_no_sum_backward},
                         {"no-sum-forward", tensor_parallel({.sums_forward = false}), says_no_sum_forward},
                         {"gathers-between-the-layers", tensor_parallel({.gathers_hidden = true}), says_gathers},
                         {"sums-weight-gradients", tensor_parallel({.sums_weight_gradients = true}), says_weight_sums},
                         {"averages", tensor_parallel({.reduction = Reduction::average}), says_average}},
            .prediction = {.question = "How many bytes does each rank send in the step?",
                           .quantity = Quantity::bytes,
                           .truth = truth_of_tensor},
            .slips = slips_of_tensor};
}

}  // namespace sim::labs
