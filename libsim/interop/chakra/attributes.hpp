// Our own attributes of nodes, beside Chakra's: what a trace of ndsim keeps so that it runs again as it ran.
#pragma once

namespace sim::chakra::attribute {

inline constexpr const char* time = "ndsim_ps";          // of a computation, where it is no whole microsecond
inline constexpr const char* stream = "ndsim_stream";    // 0: the program's own, which computes; 255: asynchronous
inline constexpr const char* amount = "ndsim_amount";    // of a message or collective, as ndsim counts it
inline constexpr const char* measure = "ndsim_measure";  // of that: bytes, or (billionths of) units
// Of a computation of no time: what it is in place of one.
inline constexpr const char* wait = "ndsim_wait";  // it waits or marks
inline constexpr const char* allocation = "ndsim_allocation";
inline constexpr const char* log_line = "ndsim_log_line";
inline constexpr const char* in_collective = "ndsim_in_collective";
inline constexpr const char* root = "ndsim_root";
inline constexpr const char* reduction = "ndsim_reduction";
inline constexpr const char* algorithm = "ndsim_algorithm";
inline constexpr const char* channels = "ndsim_channels";
inline constexpr const char* pieces = "ndsim_pieces";
inline constexpr const char* inner = "ndsim_inner";
inline constexpr const char* middle = "ndsim_middle";

}  // namespace sim::chakra::attribute
