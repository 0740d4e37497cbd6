#include "scenarios/report/process_report.hpp"

#include <sys/resource.h>
#include <unistd.h>

namespace sim::scenarios {

nlohmann::ordered_json process_report(const sim::ranks::Result& result) {
    if (result.used.empty()) {
        return nullptr;
    }
    constexpr std::int64_t kibibyte = 1024;  // in which Linux counts it
    rusage own{};
    getrusage(RUSAGE_SELF, &own);
    auto ranks = nlohmann::ordered_json::array();
    for (std::size_t rank = 0; rank < result.used.size(); ++rank) {
        ranks.push_back({{"rank", rank},
                         {"pid", result.pids[rank]},
                         {"peak_resident_bytes", result.used[rank].peak_resident_bytes},
                         {"cpu_seconds", result.used[rank].cpu_seconds}});
    }
    return {{"launcher_pid", getpid()}, {"launcher_peak_resident_bytes", own.ru_maxrss * kibibyte}, {"ranks", ranks}};
}

}  // namespace sim::scenarios
