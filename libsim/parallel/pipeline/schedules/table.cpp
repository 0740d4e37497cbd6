#include "libsim/parallel/pipeline/schedules.hpp"

#include "libsim/error.hpp"
#include "libsim/nearest.hpp"
#include "libsim/parallel/pipeline/schedules/schedules.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>

namespace sim::parallel {

namespace {

// Micro-batches enter at both ends, and forward passes run beside backward passes.
constexpr NamedPipelineSchedule from_both_ends{
    .name = "dualpipe",
    .summary =
        "micro-batches from both ends, forward beside backward, which hide each other's dispatch; twice the "
        "parameters, p+1 activations",
    .steps = dualpipe,
    .splits_backward = true,
    .pairs = true,
    .both_ways = true,
    .requirement = check_dualpipe,
    .fits = fits_dualpipe,
    .bubble = dualpipe_bubble,
    .in_flight = dualpipe_in_flight,
    .least_passes = dualpipe_passes,
    .published = "dualpipe",
};

constexpr auto known = std::to_array<NamedPipelineSchedule>({
    {.name = "gpipe",
     .summary = "all micro-batches forward, then all backward; keeps every activation",
     .steps = gpipe,
     .bubble = gpipe_bubble,
     .in_flight = gpipe_in_flight,
     .least_passes = gpipe_passes,
     .launched_as = {.torchtitan = "GPipe"},
     .published = "gpipe"},
    {.name = "1f1b",
     .summary = "one forward, one backward: as fast as gpipe, keeps at most p - i micro-batches on stage i",
     .steps = one_f_one_b,
     .usual = true,
     .bubble = one_f_one_b_bubble,
     .in_flight = one_f_one_b_in_flight,
     .least_passes = one_f_one_b_passes,
     .launched_as = {.megatron = true, .torchtitan = "1F1B"},
     .published = "1f1b"},
    {.name = "interleaved",
     .summary = "1f1b with several chunks per stage: idle time divided by the chunks, messages times the chunks",
     .steps = interleaved,
     .usual = true,
     .uses_chunks = true,
     .requirement = check_interleaved,
     .fits = fits_interleaved,
     .bubble = interleaved_bubble,
     .in_flight = interleaved_in_flight,
     .visits = interleaved_visits,
     .least_passes = interleaved_passes,
     .launched_as = {.megatron = true, .torchtitan = "Interleaved1F1B"},
     .published = "interleaved"},
    {.name = "zb_h1",
     .summary = "zero bubble H1: weights' gradients fill idle time; a third of 1f1b's, same memory",
     .steps = zb_h1,
     .splits_backward = true,
     .whole_backward = false,
     .steps_overlap = true,
     .bubble = zb_h1_bubble,
     .in_flight = zb_h1_in_flight,
     .least_passes = zb_h1_passes,
     .published = "zb-h1",
     .nearest_to = "zb-1p|v-half|v-min"},
    {.name = "zb_h2",
     .summary =
         "zero bubble H2: from 2p-1 micro-batches on no stage waits between its first and its last step; twice the "
         "memory",
     .steps = zb_h2,
     .splits_backward = true,
     .whole_backward = false,
     .steps_overlap = true,
     .fills_from = zb_h2_fills_from,
     .bubble = zb_h2_bubble,
     .in_flight = zb_h2_in_flight,
     .least_passes = zb_h2_passes,
     .published = "zb-h2",
     .nearest_to = "zb-2p|zb-v|zbv"},
    from_both_ends,
});

}  // namespace

bool NamedPipelineSchedule::can_run(const PipelineShape& shape) const {
    return shape.both_ways == both_ways && (shape.chunks == (both_ways ? 2 : 1) || uses_chunks) &&
           (fits == nullptr || fits(shape));
}

void NamedPipelineSchedule::check(const PipelineShape& shape) const {
    const auto one_or_more = [](int count, const char* what) {
        if (count < 1) {
            throw ProgramError(fmt::format("a pipeline needs 1 or more {}, not {}", what, count));
        }
    };
    one_or_more(shape.stages, "stages");
    one_or_more(shape.micro_batches, "micro-batches");
    one_or_more(shape.chunks, "chunks per stage");
    if (shape.both_ways != both_ways) {
        throw ProgramError(fmt::format("{} lets micro-batches enter at {}, and this shape at {}", name,
                                       both_ways ? "both ends" : "one end", both_ways ? "one end" : "both ends"));
    }
    const int chunks = both_ways ? shape.chunks / 2 : shape.chunks;
    if (chunks > 1 && !uses_chunks) {
        throw ProgramError(fmt::format("{} must have one chunk per stage{}, not {}; {} takes more", name,
                                       both_ways ? " and way" : "", chunks, usual_pipeline_schedule(chunks).name));
    }
    if (requirement != nullptr) {
        requirement(shape);
    }
}

std::string NamedPipelineSchedule::warning(const PipelineShape& shape) const {
    if (fills_from == nullptr || shape.stages == 1 || shape.micro_batches >= fills_from(shape.stages)) {
        return "";
    }
    return fmt::format(
        "{} fills {} stages from {} micro-batches on; with {} they wait: take more, or zb_h1, which needs "
        "less memory",
        name, shape.stages, fills_from(shape.stages), shape.micro_batches);
}

std::span<const NamedPipelineSchedule> pipeline_schedules() {
    return known;
}

std::vector<std::string> pipeline_schedule_names() {
    std::vector<std::string> names;
    for (const NamedPipelineSchedule& schedule : known) {
        names.emplace_back(schedule.name);
    }
    return names;
}

std::vector<KnownSchedule> known_schedules() {
    return {known.begin(), known.end()};
}

const NamedPipelineSchedule& pipeline_schedule(std::string_view name) {
    const auto* const found = std::find_if(known.begin(), known.end(), [&](const auto& s) { return s.name == name; });
    if (found != known.end()) {
        return *found;
    }
    const std::vector<std::string> names = pipeline_schedule_names();
    const std::string near = did_you_mean(name, names);
    throw ProgramError(fmt::format("there is no pipeline schedule \"{}\"{}", name,
                                   near.empty() ? fmt::format("; known: {}", fmt::join(names, ", ")) : near));
}

const NamedPipelineSchedule& usual_pipeline_schedule(int chunks) {
    return *std::find_if(known.begin(), known.end(),
                         [&](const auto& s) { return s.usual && s.uses_chunks == (chunks > 1); });
}

}  // namespace sim::parallel
