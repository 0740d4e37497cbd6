// ndsim's own node attributes, beside Chakra's: they preserve what a rerun of an ndsim trace needs to be identical.
#pragma once

namespace sim::chakra::attribute {

inline constexpr const char* time = "ndsim_ps";          // time of a computation, unless whole microseconds
inline constexpr const char* stream = "ndsim_stream";    // 0: the program's own, which computes; 255: asynchronous
inline constexpr const char* amount = "ndsim_amount";    // size of a message or collective, as ndsim counts it
inline constexpr const char* measure = "ndsim_measure";  // its measure: bytes, or (billionths of) units
// The kinds of computations without time.
inline constexpr const char* wait = "ndsim_wait";  // a wait or a mark
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
