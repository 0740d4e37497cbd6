// This table lists the pipeline schedules that ndsim knows by name: each row carries all facts about one schedule.
//
// Code that needs a fact about a schedule reads its row; names are never compared. A new schedule is one file in
// schedules/ and one row in schedules/table.cpp. A program may also use its own function:
// docs/how-to/add-a-pipeline-schedule.md.
#pragma once

#include "libsim/namespaces.hpp"
#include "libsim/parallel/pipeline/facts.hpp"
#include "libsim/parallel/pipeline/schedule.hpp"

#include <span>
#include <string>
#include <string_view>

namespace sim::parallel {

// The name of a schedule on a framework's command line or in its configuration; null: the framework lacks it.
struct ScheduleInFrameworks {
    bool megatron = false;  // Megatron-LM does not name it: 1F1B, or interleaved if there are several chunks
    const char* torchtitan = nullptr;
};

struct NamedPipelineSchedule {
    std::string_view name;
    std::string_view summary;  // one sentence, for --help and advice
    PipelineSchedule steps = nullptr;

    bool usual = false;            // the default: for one chunk, or for several
    bool uses_chunks = false;      // more than one chunk per stage is possible
    bool splits_backward = false;  // has backward_input and backward_weight, instead of backward or in addition to it
    bool whole_backward = true;    // has backward
    bool pairs = false;            // has pairs of a forward and a backward pass that hide each other's communication
    bool both_ways = false;        // micro-batches enter at both ends, and each stage holds two parts of the model
    bool steps_overlap = false;    // made for training steps that begin before all stages have finished the previous
                                   // one

    void (*requirement)(const PipelineShape&) = nullptr;  // throws ProgramError for an unsuitable shape; or null
    bool (*fits)(const PipelineShape&) = nullptr;         // whether `requirement` would not throw; null if that is
    int (*fills_from)(int stages) =
        nullptr;  // with fewer micro-batches stages wait, which the schedule is meant to avoid; or null

    // Closed forms; facts.hpp defines each. Null if no formula is known.
    PipelineBubble (*bubble)(const PipelineShape&) = nullptr;
    PipelineInFlight (*in_flight)(const PipelineShape&, int stage) = nullptr;  // for shapes of one chunk
    int (*visits)(const PipelineShape&, int count, int place) = nullptr;       // for shapes of several chunks
    Duration (*least_passes)(const PipelineShape&, int stage, const StagePasses&) = nullptr;

    ScheduleInFrameworks launched_as;
    // Names in papers, in lower case and separated by |: of this schedule, and of those to which it is the closest.
    std::string_view published = {};
    std::string_view nearest_to = {};

    // The shape in which it runs, if each stage has `chunks` chunks of the model per direction.
    PipelineShape shape(int stages, int micro_batches, int chunks = 1) const {
        return {stages, micro_batches, both_ways ? 2 * chunks : chunks, both_ways};
    }
    // True if this schedule can run in this shape. Requires counts of 1 or more. Allocates nothing.
    bool can_run(const PipelineShape& shape) const;
    // Throws ProgramError, naming what would fit, unless this schedule can run in this shape.
    void check(const PipelineShape& shape) const;
    // One line if the shape has too few micro-batches for the schedule's promise, otherwise empty.
    std::string warning(const PipelineShape& shape) const;
};

std::span<const NamedPipelineSchedule> pipeline_schedules();
std::vector<std::string> pipeline_schedule_names();
// Throws ProgramError, suggesting the nearest name, if there is none of this name.
const NamedPipelineSchedule& pipeline_schedule(std::string_view name);
// The default schedule.
const NamedPipelineSchedule& usual_pipeline_schedule(int chunks = 1);

// One of the schedules above, as a value of pointer size; the default schedule if not given. pipeline_schedule()
// converts a name wherever one is read.
class KnownSchedule {
public:
    KnownSchedule() : row_(&usual_pipeline_schedule()) {}
    KnownSchedule(const NamedPipelineSchedule& row) : row_(&row) {}  // NOLINT: a row of the table is one

    const NamedPipelineSchedule& operator*() const { return *row_; }
    const NamedPipelineSchedule* operator->() const { return row_; }
    friend bool operator==(const KnownSchedule&, const KnownSchedule&) = default;

private:
    const NamedPipelineSchedule* row_;
};
inline std::string_view name_of(const KnownSchedule& schedule) {
    return schedule->name;
}
// All of them, in table order.
std::vector<KnownSchedule> known_schedules();

}  // namespace sim::parallel
