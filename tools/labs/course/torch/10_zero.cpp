// Lab 10 as a PyTorch script: FSDP keeps a shard of everything, and moves half as much again as DDP.
#include "tools/labs/script_checks.hpp"

#include <fmt/format.h>

namespace sim::labs {

namespace {

// Smaller collectives are FSDP's comparisons of the unit order.
constexpr std::int64_t least_of_weights = 1024;
// The caching allocator rounds tensors up to whole blocks of this many bytes.
constexpr std::int64_t block_of_memory = 512;

std::int64_t in_blocks(std::int64_t bytes) {
    return (bytes + block_of_memory - 1) / block_of_memory * block_of_memory;
}

struct ShardedScript {
    int ranks;
    std::int64_t width, blocks, batch, steps;

    explicit ShardedScript(const Case& played)
        : ranks(played.ranks),
          width(played.given.whole("width")),
          blocks(played.given.whole("blocks")),
          batch(played.given.whole("batch")),
          steps(played.given.whole("steps")) {}

    // A norm, and two layers of width x 4 width; divisible by the ranks.
    std::int64_t block_weights() const { return 8 * width * width + 7 * width; }
    std::int64_t block_bytes() const { return 4 * block_weights(); }
    std::int64_t share_of_block() const { return block_bytes() / ranks; }
    std::int64_t held() const {
        return 3 * blocks * in_blocks(share_of_block()) + in_blocks(4 * steps * batch * width);
    }
};

Case sharded_case(int ranks, double width, double blocks, double batch, double seed) {
    return {.ranks = ranks,
            .costs = on_machine("g4dn.12xlarge"),
            .given = Given({{"width", width}, {"blocks", blocks}, {"batch", batch}, {"steps", 2}, {"seed", seed}})};
}

std::vector<Case> sharded_cases(std::uint64_t seed) {
    Draw draw(seed, 10);
    const double width = draw.of({48, 64, 80});
    const double blocks = draw.of({3, 4});
    const double batch = draw.of({8, 16});
    return {sharded_case(4, width, blocks, batch, 1), sharded_case(2, width - 16, blocks - 1, batch, 2)};
}

Check held_is(const ShardedScript& lab, const Record& found) {
    const auto held = [&](int rank) {
        const std::vector<double>& bytes = reported(found, "held", rank);
        return bytes.empty() ? 0 : static_cast<std::int64_t>(bytes.front());
    };
    int shown = 0;
    for (int rank = 0; rank < lab.ranks; ++rank) {
        if (held(rank) != lab.held()) {
            shown = rank;
            break;
        }
    }
    return {.aspect = Aspect::memory,
            .ok = held(shown) == lab.held(),
            .expected = fmt::format("{} held after the last step on rank {}", text_of_bytes(lab.held()), shown),
            .found = fmt::format("{} held after the last step on rank {}", text_of_bytes(held(shown)), shown),
            .why = fmt::format("12 P/d: weights and two states of AdamW, of {} blocks {} each, and the inputs; all in "
                               "blocks of 512 B",
                               lab.blocks, text_of_bytes(lab.share_of_block()))};
}

std::vector<Check> grade_sharded(const Case& played, const Record& found, const Record& reference) {
    const ShardedScript lab(played);
    const Which gathers{CollectiveKind::all_gather, least_of_weights};
    const Which scatters{CollectiveKind::reduce_scatter, least_of_weights};
    const std::int64_t bytes = lab.block_bytes();
    const std::int64_t times = lab.steps * lab.blocks;
    const Duration gather = price_of(played, gathers.kind, bytes, lab.ranks);
    const Duration scatter = price_of(played, scatters.kind, bytes, lab.ranks);
    return {near_reference(found, reference, "losses", 1e-4, "sharded training is the training of one model"),
            bytes_called_are(found, gathers, 2 * times * bytes,
                             fmt::format("each block of {} is gathered twice in each of {} steps, forward and backward",
                                         text_of_bytes(bytes), lab.steps)),
            bytes_called_are(found, scatters, times * bytes,
                             fmt::format("its gradient is reduced and scattered once: with the gathers 3 (d-1)/d P, "
                                         "half as much again as an all-reduce sends")),
            time_called_is(found, gathers, {2 * times * gather},
                           fmt::format("2 x {} steps x {} blocks, {} each", lab.steps, lab.blocks, text_of(gather))),
            time_called_is(found, scatters, {times * scatter},
                           fmt::format("{} steps x {} blocks, {} each", lab.steps, lab.blocks, text_of(scatter))),
            held_is(lab, found),
            peak_is_at_most(found, reference, "shares of everything, and what is gathered: a block, and the next one")};
}

std::string says_one_unit(const Case& played, const Record&) {
    const ShardedScript lab(played);
    return fmt::format(
        "The model is one unit: all {} blocks, {}, are gathered at once and held together. Wrap each Block "
        "as a unit of its own with auto_wrap_policy.",
        lab.blocks, text_of_bytes(lab.blocks * lab.block_bytes()));
}
std::string says_gathered_once(const Case& played, const Record&) {
    return fmt::format(
        "Each block is gathered once a step: SHARD_GRAD_OP keeps all {} blocks whole from forward to "
        "backward. FULL_SHARD frees them in between, and gathers again.",
        ShardedScript(played).blocks);
}
std::string says_too_early(const Case&, const Record&) {
    return "The losses do not fall: the optimizer was made before the wrapping, and steps weights that FSDP has "
           "replaced "
           "by its shares. Make it of the wrapped model's parameters.";
}
std::string says_ddp(const Case& played, const Record&) {
    return fmt::format(
        "Every rank holds all weights and all states, and gradients are all-reduced: that is DDP. FSDP "
        "leaves 1/{} of them on each rank.",
        played.ranks);
}

double held_share(const Case& played, const Record&) {
    const ShardedScript lab(played);
    return 3.0 * static_cast<double>(lab.blocks * lab.share_of_block());
}

}  // namespace

Lab torch_lab_10();
Lab torch_lab_10() {
    return {
        .number = 10,
        .folder = "10-zero",
        .title = "Fully sharded: ZeRO-3 with FSDP",
        .cases = sharded_cases,
        .solution = {},
        .grade = grade_sharded,
        .prediction = {.question = "How many bytes of weights and AdamW's states does a rank hold between two steps?",
                       .quantity = Quantity::bytes,
                       .truth = held_share},
        .script_mistakes = {{"whole-model-as-one-unit", says_one_unit},
                            {"gathered-once-a-step", says_gathered_once},
                            {"optimizer-before-wrapping", says_too_early},
                            {"ddp-not-fsdp", says_ddp}}};
}

}  // namespace sim::labs
