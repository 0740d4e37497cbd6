#include "scenarios/report/run_records.hpp"

#include "ranks/hosts.hpp"

#include <sys/resource.h>
#include <unistd.h>

namespace sim::scenarios {

using namespace report;
using namespace report::keys;

namespace {

using command_line::RunOptions;
using sim::ranks::Result;

std::int64_t own_peak_resident_bytes() {
    constexpr std::int64_t kibibyte = 1024;  // Linux counts it in KiB
    rusage own{};
    getrusage(RUSAGE_SELF, &own);
    return own.ru_maxrss * kibibyte;
}

const Record<RankOfRun>& process_record() {
    static const Record<RankOfRun> record(
        "A rank's process. What it used differs from run to run.",
        joined<RankOfRun>(
            {rank_record().fields(),
             {whole<RankOfRun>("peak_resident_bytes",
                               "Peak bytes of this computer's memory that it held, including shared ones.",
                               [](const RankOfRun& of) { return of.result->used[of.rank].peak_resident_bytes; }),
              number<RankOfRun>("cpu_seconds", "Seconds of this computer's processors that it used.",
                                [](const RankOfRun& of) { return of.result->used[of.rank].cpu_seconds; })}}));
    return record;
}

const Record<Result>& processes_record() {
    static const Record<Result> record(
        "The processes of the run.",
        {whole<Result>("launcher_pid",
                       "Process id of the program itself, which simulates time and network and has started the ranks.",
                       [](const Result&) { return getpid(); }),
         whole<Result>("launcher_peak_resident_bytes", "Peak bytes of this computer's memory that it held.",
                       [](const Result&) { return own_peak_resident_bytes(); }),
         list_of<Result>("ranks", "A row for each rank.", process_record(), ranks_of)});
    return record;
}

}  // namespace

const Record<RunOptions>& asked_record() {
    static const Record<RunOptions> record(
        "Settings of a run.",
        {name<RunOptions>("host", "How the ranks lived: as processes or as fibers of one process.",
                          [](const RunOptions& of) { return sim::ranks::name_of(of.host); }),
         one_of<RunOptions>("clock", {"virtual", "wall"},
                            "Whether the run was as fast as possible, or in step with the wall clock.",
                            [](const RunOptions& of) { return command_line::name_of(of.clock); }),
         name<RunOptions>("profile", "The profile that compute and messages were priced by: a name or a file.",
                          &RunOptions::profile),
         whole<RunOptions>("ranks", "Number of ranks.", &RunOptions::ranks)});
    return record;
}

const Record<Result>& run_record() {
    static const Record<Result> record(
        "Facts of a run of ranks.",
        {number<Result>("simulated_seconds", "Simulated seconds from the start to the end of the last rank.",
                        [](const Result& of) { return seconds(of.end); }),
         number<Result>("wall_seconds", "Seconds that the run really took. It differs from run to run.",
                        &Result::wall_seconds),
         name<Result>("timeline_sha256", "SHA-256 of all spans of the run: equal timelines have equal hashes.",
                      &Result::timeline_sha256),
         whole<Result>("messages", "Messages that were sent.", &Result::messages),
         whole<Result>("ops", "Operations that the ranks issued.", &Result::ops),
         part_or_null<Result>("processes", "The processes of the run; null: it had none of its own.",
                              processes_record(), [](const Result& of) { return of.used.empty() ? nullptr : &of; })});
    return record;
}

std::vector<RankOfRun> ranks_of(const Result& result) {
    std::vector<RankOfRun> all;
    for (std::size_t rank = 0; rank < result.ranks.size(); ++rank) {
        all.push_back({&result, rank});
    }
    return all;
}

const Record<RankOfRun>& rank_record() {
    static const Record<RankOfRun> record(
        "A rank.", {whole<RankOfRun>("rank", "Number of the rank, from 0.", &RankOfRun::rank),
                    whole<RankOfRun>("pid", "Process id of the rank; with fibers, of the process that they share.",
                                     &RankOfRun::pid)});
    return record;
}

}  // namespace sim::scenarios
