#include "scenarios/options/options.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/config/injection_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace sim::scenarios {

using namespace command_line;
using namespace config;

namespace {

constexpr std::int64_t most_steps = 1'000'000;
constexpr std::int64_t snapshot_parts = 10;

// The streams below this one sum the gradients of each chunk (StageChunk).
Stream stream_beside(int chunks) {
    return Stream{static_cast<std::uint8_t>(std::min(1 + 2 * chunks, most_streams))};
}

}  // namespace

void add_recovery(Options& options, std::vector<OptionRow>& rows) {
    std::vector<std::string> names;
    for (const ranks::OnFaultRow& row : ranks::on_fault_rows()) {
        names.emplace_back(row.name);
    }
    ranks::RecoveryPolicy& policy = options.recovery;
    parallel::Checkpointing& checkpoints = options.checkpoints;
    rows.insert(
        rows.end(),
        {{"on-fault", "NAME", fmt::format("reaction to a rank's death: {} (abort)", fmt::join(names, ", ")),
          enumerator(policy.on_fault, names)},
         {"checkpoint-every", "N", "steps between checkpoints; 0: none (0)",
          Whole{0, most_steps, [&checkpoints](std::int64_t n) { checkpoints.every = n; }}},
         {"checkpoint", "NAME", "sync: training stops until it is written; async: until it is copied (sync)",
          Choice{{"sync", "async"}, [&checkpoints](std::size_t i) { checkpoints.asynchronous = i == 1; }}},
         {"checkpoint-time", "TIME", "time to write a checkpoint (2s)", duration(checkpoints.write)},
         {"snapshot-time", "TIME", "time to copy it, with --checkpoint async (a tenth of that)",
          duration(checkpoints.snapshot)},
         {"detection-time", "TIME", "time until a death is detected and ranks end (0s)", duration(policy.detection)},
         {"repair-time", "TIME", "time to repair dead parts, unless a spare takes over (0s)", duration(policy.repair)},
         {"restart-time", "TIME", "time until all ranks are back and have read the checkpoint (0s)",
          duration(policy.restart)},
         {"mtbf", "TIME", "mean time between faults of the run; prints the best interval",
          duration(options.between_faults)},
         {"spares", "N", "ranks that can be replaced, with --on-fault spare (0)",
          whole(policy.spares, 0, most_ranks)}});
}

void settle_recovery(const Settings& settings, Options& options) {
    const auto needs = [&](const char* name, bool is_there, const char* other) {
        const auto setting = settings.find(name);
        if (setting != settings.end() && !is_there) {
            throw UsageError(fmt::format("{} does nothing without {}", setting->second.what, other));
        }
    };
    const ranks::OnFaultRow& policy = ranks::row_of(options.recovery.on_fault);
    for (const char* const name : {"checkpoint", "checkpoint-time", "snapshot-time", "mtbf"}) {
        needs(name, options.checkpoints.every > 0, "--checkpoint-every");
    }
    for (const char* const name : {"detection-time", "repair-time", "restart-time"}) {
        needs(name, policy.goes_on, "--on-fault restart, spare or elastic");
    }
    needs("snapshot-time", options.checkpoints.asynchronous, "--checkpoint async");
    needs("spares", policy.takes_spares, "--on-fault spare");
    if (policy.shrinks && options.mesh.dp < 2) {
        throw UsageError(
            "--on-fault elastic goes on with fewer replicas, and here there is one: it needs --dp 2 or more; "
            "--on-fault restart needs none");
    }
    if (policy.goes_on && wants_program(options.outputs)) {
        throw UsageError(fmt::format(
            "--on-fault {} and --goal or --chakra exclude each other: a run of several lives is not one program",
            policy.name));
    }
    parallel::Checkpointing& checkpoints = options.checkpoints;
    if (!settings.contains("snapshot-time")) {
        checkpoints.snapshot = checkpoints.write / snapshot_parts;
    }
    checkpoints.stream = stream_beside(options.schedule->both_ways ? 2 : options.chunks);
}

}  // namespace sim::scenarios
