// Lab 1 as a PyTorch script: every sample once, and the mean gradient on every rank.
#include "tools/labs/script_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace sim::labs {

namespace {

struct DataParallelScript {
    int ranks;
    std::int64_t width, samples, batch, epochs;

    explicit DataParallelScript(const Case& played)
        : ranks(played.ranks),
          width(played.given.whole("width")),
          samples(played.given.whole("samples")),
          batch(played.given.whole("batch")),
          epochs(played.given.whole("epochs")) {}

    // Weights and biases of the two layers.
    std::vector<std::int64_t> parameter_bytes() const { return {4 * width * width, 4 * width, 4 * width, 4}; }
    std::int64_t gradient_bytes() const {
        const std::vector<std::int64_t> each = parameter_bytes();
        return std::accumulate(each.begin(), each.end(), std::int64_t{0});
    }
    std::int64_t steps() const { return epochs * samples / (ranks * batch); }
    std::int64_t samples_of_rank() const { return samples / ranks; }
};

Case data_parallel_case(int ranks, double width, double batch, double steps, double seed) {
    return {
        .ranks = ranks,
        .costs = on_machine("g4dn.12xlarge"),
        .given = Given(
            {{"width", width}, {"samples", ranks * batch * steps}, {"batch", batch}, {"epochs", 2}, {"seed", seed}})};
}

std::vector<Case> data_parallel_cases(std::uint64_t seed) {
    Draw draw(seed, 1);
    const double width = draw.of({8, 16, 24});
    const double batch = draw.of({4, 8});
    const double steps = draw.of({2, 3});
    return {data_parallel_case(4, width, batch, steps, 1), data_parallel_case(2, 2 * width, batch, steps + 1, 2)};
}

// The samples that a rank used in an epoch; fewer if it returned fewer.
std::vector<double> samples_in(const DataParallelScript& lab, const Record& found, int rank, std::int64_t epoch) {
    const std::vector<double>& used = reported(found, "samples", rank);
    const auto size = std::ssize(used);
    const auto begin = std::min(size, epoch * lab.samples_of_rank());
    const auto end = epoch + 1 == lab.epochs ? size : std::min(size, begin + lab.samples_of_rank());
    return {used.begin() + begin, used.begin() + end};
}

Check every_sample_once(const DataParallelScript& lab, const Record& found) {
    Check check{
        .aspect = Aspect::data,
        .ok = true,
        .expected = fmt::format("{} samples, each once in every epoch", lab.samples),
        .found = fmt::format("{} samples, each once in every epoch", lab.samples),
        .why = fmt::format("DistributedSampler gives each of {} ranks {} of them", lab.ranks, lab.samples_of_rank())};
    for (std::int64_t epoch = 0; epoch < lab.epochs && check.ok; ++epoch) {
        std::vector<int> times(static_cast<std::size_t>(lab.samples), 0);
        for (int rank = 0; rank < lab.ranks; ++rank) {
            for (const double number : samples_in(lab, found, rank, epoch)) {
                if (number >= 0 && number < static_cast<double>(lab.samples)) {
                    ++times[static_cast<std::size_t>(number)];
                }
            }
        }
        const auto wrong = std::find_if(times.begin(), times.end(), [](int count) { return count != 1; });
        if (wrong != times.end()) {
            check.ok = false;
            check.found = fmt::format("sample {} {} times in epoch {}", wrong - times.begin(), *wrong, epoch);
        }
    }
    return check;
}

Check another_order(const DataParallelScript& lab, const Record& found) {
    const bool ok = samples_in(lab, found, 0, 0) != samples_in(lab, found, 0, 1);
    return {.aspect = Aspect::order,
            .ok = ok,
            .expected = "other samples, or in another order, in epoch 1 than in epoch 0",
            .found = ok ? "another order in each epoch" : "the same samples in the same order in both epochs",
            .why = "sampler.set_epoch(epoch) before each epoch: the sampler shuffles by seed + epoch"};
}

// DistributedDataParallel compares the ranks' models by an all-gather before it begins.
bool shows_ddp(const Record& found) {
    const std::vector<Called> called = collectives_of(found, 0);
    return std::any_of(called.begin(), called.end(),
                       [](const Called& each) { return each.kind == CollectiveKind::all_gather; });
}

Check averaged_by_hand(const Record& found, std::string why) {
    Check check = same_everywhere(found, "gradients", std::move(why));
    if (shows_ddp(found)) {
        check.ok = false;
        check.expected = "gradients averaged by dist.all_reduce";
        check.found = "gradients averaged by DistributedDataParallel";
    }
    return check;
}

std::vector<Check> grade_data_parallel(const Case& played, const Record& found, const Record& reference) {
    const DataParallelScript lab(played);
    const auto price = [&](std::int64_t bytes) {
        return price_of(played, CollectiveKind::all_reduce, bytes, lab.ranks);
    };
    Duration each_alone{0};
    for (const std::int64_t bytes : lab.parameter_bytes()) {
        each_alone += price(bytes);
    }
    return {
        every_sample_once(lab, found),
        another_order(lab, found),
        same_everywhere(found, "weights", "equal weights and equal gradients stay equal weights"),
        averaged_by_hand(found, "all ranks step along the same gradient, the mean, which you compute yourself"),
        near_reference(found, reference, "weights", 1e-4,
                       fmt::format("each step goes along the mean gradient of {} x {} samples", lab.ranks, lab.batch)),
        bytes_called_are(found, {CollectiveKind::all_reduce}, lab.steps() * lab.gradient_bytes(),
                         fmt::format("{} steps, each with the whole gradient, {}", lab.steps(),
                                     text_of_bytes(lab.gradient_bytes()))),
        time_called_is(found, {CollectiveKind::all_reduce},
                       {lab.steps() * each_alone, lab.steps() * price(lab.gradient_bytes())},
                       fmt::format("{} steps of one all-reduce for each of 4 parameters, {} together", lab.steps(),
                                   text_of(each_alone)))};
}

std::string says_not_divided(const Case& played, const Record&) {
    return fmt::format(
        "You step along the sum of {0} gradients: {0} times too far. all_reduce adds up; divide by the "
        "number of ranks.",
        played.ranks);
}
std::string says_no_sampler(const Case& played, const Record&) {
    const DataParallelScript lab(played);
    return fmt::format(
        "Every rank trains on all {} samples, so {} ranks do the same work {} times. Give the DataLoader "
        "a DistributedSampler.",
        lab.samples, lab.ranks, lab.ranks);
}
std::string says_no_epoch(const Case&, const Record&) {
    return "Every epoch has the same order: the sampler shuffles by its seed and the epoch, which you never tell it. "
           "Call "
           "sampler.set_epoch(epoch).";
}
std::string says_never_averaged(const Case& played, const Record&) {
    return fmt::format(
        "The ranks' weights drift apart: each of the {} models follows its own samples. Average the "
        "gradients between backward() and step().",
        played.ranks);
}

std::string says_ddp(const Case& played, const Record&) {
    return fmt::format(
        "DistributedDataParallel averages the gradients for you, which is what this lab asks you to write: after each "
        "backward(), all-reduce the gradient of every parameter, and divide it by {}.",
        played.ranks);
}
std::string says_weights_averaged(const Case&, const Record&) {
    return "Each rank steps along its own gradient, and you average the weights after that. With SGD it comes to the "
           "same; with Adam, whose steps depend on the gradient's history, it does not. Average parameter.grad before "
           "optimizer.step().";
}

double bytes_of_a_step(const Case& played, const Record&) {
    return static_cast<double>(DataParallelScript(played).gradient_bytes());
}

}  // namespace

Lab torch_lab_01();
Lab torch_lab_01() {
    return {.number = 1,
            .folder = "01-data-parallel",
            .title = "Data parallelism by hand",
            .cases = data_parallel_cases,
            .solution = {},
            .grade = grade_data_parallel,
            .prediction = {.question = "How many bytes does a rank hand to all-reduce in one step?",
                           .quantity = Quantity::bytes,
                           .truth = bytes_of_a_step},
            .script_mistakes = {{"sum-not-mean", says_not_divided},
                                {"same-samples-on-every-rank", says_no_sampler},
                                {"forgot-set-epoch", says_no_epoch},
                                {"gradients-not-averaged", says_never_averaged},
                                {"ddp-not-by-hand", says_ddp},
                                {"weights-averaged", says_weights_averaged}}};
}

}  // namespace sim::labs
