#include "libsim/parallel/pipeline/schedules.hpp"

#include "libsim/error.hpp"
#include "libsim/nearest.hpp"
#include "libsim/parallel/pipeline/schedules/gpipe.hpp"
#include "libsim/parallel/pipeline/schedules/interleaved.hpp"
#include "libsim/parallel/pipeline/schedules/one_f_one_b.hpp"
#include "libsim/parallel/pipeline/schedules/zb_h1.hpp"
#include "libsim/parallel/pipeline/schedules/zb_h2.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>

namespace sim {

namespace {

// clang-format off
constexpr auto known = std::to_array<NamedPipelineSchedule>({
    // name, function, uses chunks, splits backward, what it requires, whether that holds, summary, how many micro-batches fill it
    {"gpipe", gpipe, false, false, nullptr, nullptr, "all micro-batches forward, then all backward; keeps every activation"},
    {"1f1b", one_f_one_b, false, false, nullptr, nullptr, "one forward, one backward: as fast as gpipe, keeps at most p - i micro-batches on stage i"},
    {"interleaved", interleaved, true, false, check_interleaved, fits_interleaved, "1f1b with several chunks per stage: idle time divided by the chunks, messages times the chunks"},
    {"zb_h1", zb_h1, false, true, nullptr, nullptr, "zero bubble H1: weights' gradients fill idle time; a third of 1f1b's, same memory"},
    {"zb_h2", zb_h2, false, true, nullptr, nullptr, "zero bubble H2: from 2p-1 micro-batches on no stage waits between its first and its last step; twice the memory", zb_h2_fills_from},
});
// clang-format on

}  // namespace

bool NamedPipelineSchedule::can_run(const PipelineShape& shape) const {
    return (shape.chunks == 1 || uses_chunks) && (fits == nullptr || fits(shape));
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
    if (shape.chunks > 1 && !uses_chunks) {
        throw ProgramError(
            fmt::format("{} must have one chunk per stage, not {}; interleaved takes more", name, shape.chunks));
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

const NamedPipelineSchedule* find_pipeline_schedule(std::string_view name) {
    const auto* const found = std::find_if(known.begin(), known.end(), [&](const auto& s) { return s.name == name; });
    return found == known.end() ? nullptr : found;
}

const NamedPipelineSchedule& pipeline_schedule(std::string_view name) {
    if (const NamedPipelineSchedule* const found = find_pipeline_schedule(name)) {
        return *found;
    }
    std::vector<std::string> names;
    for (const NamedPipelineSchedule& schedule : known) {
        names.emplace_back(schedule.name);
    }
    const std::string near = did_you_mean(name, names);
    throw ProgramError(fmt::format("there is no pipeline schedule \"{}\"{}", name,
                                   near.empty() ? fmt::format("; known: {}", fmt::join(names, ", ")) : near));
}

}  // namespace sim
