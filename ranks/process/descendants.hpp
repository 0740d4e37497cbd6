// The processes that ranks start, and those that these start, end with the run, wherever they hide.
//
// A process whose parent ends comes to the launcher, which is a subreaper for the run: no session and no double fork
// leads away from it. The launcher's program may have children of its own, so a rank carries a mark that its
// descendants inherit through fork and exec: a limit on file locks, which Linux keeps and has not read since 2.4.
#pragma once

#include <chrono>
#include <functional>
#include <vector>

#include <sys/resource.h>

namespace sim::ranks {

class Descendants {
public:
    // Requires: no rank has been forked.
    Descendants();
    ~Descendants();
    Descendants(const Descendants&) = delete;
    Descendants& operator=(const Descendants&) = delete;

    // In a rank's process, before its program: from now on, what it starts is known.
    void mark_own() const;
    // Reaps those that have come to the launcher and have ended, but no rank. Costs a look at every child.
    void reap_ended(const std::function<bool(int pid)>& is_rank) const;
    // Kills and reaps them all, at most so long. False: some are left. Requires: no rank is left.
    bool end_all(std::chrono::milliseconds at_most) const;

private:
    bool is_marked(int pid) const;
    std::vector<int> orphans() const;

    rlimit own_{};                   // the launcher's, and so that of its other children
    int was_subreaper_ = 0;          // before the run
    std::vector<int> other_before_;  // children of the launcher's program, ascending
};

}  // namespace sim::ranks
