#include "scenarios/run/watch.hpp"

#include "libsim/report/terminal_text.hpp"
#include "libsim/report/text_timeline.hpp"
#include "libsim/report/time_axis.hpp"
#include "tools/command_line/terminal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

namespace sim::scenarios {

using namespace report;

namespace {

constexpr std::chrono::milliseconds between_pictures{100};
// In multiples of a picture's cost, so that watching does not slow down a run with many spans.
constexpr int pause_after_picture = 10;
// Lines of a picture other than rows: heading, axis, omitted rows, legend, fault, note; and the cursor's line.
constexpr int lines_without_rows = 9;
constexpr int fewest_rows = 2;
// The simulated time that the first picture has room for.
constexpr double first_wall_seconds = 2;
constexpr double most_first_seconds = 1e6;  // within the range of simulated time

}  // namespace

// The current wall time, limited to the known part: a run that cannot keep up is behind it.
Time Watch::now(const Timeline& timeline, double wall_seconds) const {
    const Time known = timeline.end_of_all();
    const double scale = options_->time_scale;
    const double come = scale > 0 ? wall_seconds / scale : seconds(known);
    return come >= seconds(known) ? known : Time{Duration{static_cast<std::int64_t>(come * 1e12)}};
}

// The end of the time axis, chosen so that rows grow to the right and are seldom redrawn at another scale.
Time Watch::room_for(Time come) const {
    const double first = options_->time_scale > 0 ? first_wall_seconds / options_->time_scale : 1;
    const Time least{Duration{static_cast<std::int64_t>(std::min(first, most_first_seconds) * 1e12)}};
    return round_time(std::max(come, least));
}

void Watch::at(const Timeline& timeline, double wall_seconds) {
    const auto begin = std::chrono::steady_clock::now();
    if (begin < next_) {
        return;
    }
    const Time come = now(timeline, wall_seconds);
    draw(timeline, come, room_for(come));
    const auto end = std::chrono::steady_clock::now();
    next_ = std::max(begin + between_pictures, end + pause_after_picture * (end - begin));
}

void Watch::end(const Timeline& timeline, double wall_seconds) {
    if (timeline.fault.empty()) {
        return draw(timeline, timeline.end_of_all(), timeline.end_of_all());
    }
    const Time come = now(timeline, wall_seconds);
    draw(timeline, come, room_for(come));
}

void Watch::draw(const Timeline& timeline, Time now, Time until) {
    const command_line::Terminal terminal = command_line::terminal_at(STDERR_FILENO);
    TextStyle style = command_line::text_style(options_->outputs, STDERR_FILENO);
    style.width = terminal.columns - 1;  // a full line would begin another
    if (terminal.lines > 0) {
        style.most_rows = std::clamp(terminal.lines - lines_without_rows, fewest_rows, style.most_rows);
    }
    style.pids = true;
    style.now = now;
    style.until = until;
    const std::string note = note_.empty() ? "" : terminal_text(note_, style.width, style.ascii) + "\n";
    picture_.draw(text_timeline(timeline, style) + note);
}

}  // namespace sim::scenarios
