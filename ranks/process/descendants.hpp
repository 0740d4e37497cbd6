// Descendants ends the processes that ranks start, and those that these start, with the run, wherever they hide.
//
// A process whose parent ends is re-parented to the launcher, which is a subreaper for the run: neither a session nor a
// double fork escapes it. The launcher's program may have children of its own, so a rank carries a mark that its
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

    // Called in a rank's process before its program: marks it, so that the processes it starts are recognised.
    void mark_own() const;
    // Reaps ended processes that were re-parented to the launcher, except ranks. Costs a look at every child.
    void reap_ended(const std::function<bool(int pid)>& is_rank) const;
    // Kills and reaps them all within this time. False: some are left. Requires: no rank is left.
    bool end_all(std::chrono::milliseconds at_most) const;

private:
    bool is_marked(int pid) const;
    std::vector<int> orphans() const;

    rlimit own_{};                   // of the launcher, and so of its other children
    int was_subreaper_ = 0;          // before the run
    std::vector<int> other_before_;  // children of the launcher's program, ascending
};

}  // namespace sim::ranks
