// A watch draws the timeline of a run in step with the wall clock while it grows, in place on standard error.
//
// It draws what is known: an op from its beginning, as far as its time has come; a receive or a collective that waits
// for others only once they have arrived.
#pragma once

#include "libsim/report/timeline.hpp"
#include "tools/command_line/run_options.hpp"
#include "tools/command_line/terminal.hpp"

#include <chrono>
#include <string>

namespace sim::scenarios {

class Watch {
public:
    explicit Watch(const command_line::RunOptions& options) : options_(&options) {}

    // Draws the current state, unless the last picture is too recent.
    void at(const report::Timeline& timeline, double wall_seconds);
    // A line that stays below the picture until the next.
    void note(const std::string& line) { note_ = line; }
    // Draws the last picture, which stays.
    void end(const report::Timeline& timeline, double wall_seconds);

private:
    void draw(const report::Timeline& timeline, Time now, Time until);
    Time room_for(Time come) const;
    Time now(const report::Timeline& timeline, double wall_seconds) const;

    const command_line::RunOptions* options_;
    command_line::LivePicture picture_;
    std::string note_;
    std::chrono::steady_clock::time_point next_{};
};

}  // namespace sim::scenarios
