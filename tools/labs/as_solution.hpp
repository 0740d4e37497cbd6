// Included before a solution is compiled into the course: its last line is then a function of its own, no main.
#pragma once

#define NDSIM_LAB(program)                   \
    namespace sim::labs {                    \
    sim::lab::Program NDSIM_LAB_SOLUTION() { \
        return ::program;                    \
    }                                        \
    }
