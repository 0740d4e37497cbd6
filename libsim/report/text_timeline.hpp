// This function draws a timeline as text: a row for each rank and used stream, time from left to right.
//
//   3d_pipeline_parallel: 2 ranks, 12 s; a column is 0.5 s
//           |0 s      |5 s      |10 s
//   rank 0  F0██F1██········B0██████B1██████
//   rank 1  ····F0██F1██B0██████B1██████····
//   █ compute  · waiting  F forward of micro-batch  B backward of micro-batch
//
// A cell shows what fills most of its time (timeline_cells.hpp). If the passes of a predicted step are narrower than a
// column, so that no letter fits, only the beginning is drawn, as far as the passes can be told apart.
// The layout is the same with and without colours, and in ASCII. No character of a label or name can control the
// terminal.
#pragma once

#include "libsim/report/timeline.hpp"

#include <optional>
#include <string>

namespace sim::report {

struct TextStyle {
    int width = 100;  // columns of the longest line; a picture needs about 24
    bool colour = false;
    bool ascii = false;
    int most_rows = 64;        // rows beyond these are only counted, in one line
    bool pids = false;         // show each rank's process id, if the timeline has it
    Time from = {};            // begin of the time axis
    Time until = {};           // its end; 0: the end of the timeline
    std::optional<Time> now;   // nothing later is drawn; none: the whole timeline
    std::optional<Time> mark;  // a time that is marked below the rows
};

// Every line ends with "\n". Cost: spans + ranks + cells.
std::string text_timeline(const Timeline& timeline, const TextStyle& style = {});

}  // namespace sim::report
