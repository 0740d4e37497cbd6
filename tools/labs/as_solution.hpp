// This header is included before a solution that is compiled into the course: its last line becomes a function instead
// of main.
#pragma once

#define NDSIM_LAB(program)                   \
    namespace sim::labs {                    \
    sim::lab::Program NDSIM_LAB_SOLUTION() { \
        return ::program;                    \
    }                                        \
    }
