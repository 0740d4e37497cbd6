// This function reads a user's file as one text, up to a size limit.
//
// A file, a pipe and standard input (/dev/stdin) can be read. A folder and a device, which may have no end, cannot.
#pragma once

#include <cstddef>
#include <string>

namespace sim::config {

// The most that is read of what people write: profiles, models, machines, options, schedules of collectives.
inline constexpr std::size_t written_by_hand = std::size_t{16} << 20U;
// The most that is read of what programs write: GOAL schedules, flows, records of runs, tables.
inline constexpr std::size_t written_by_programs = std::size_t{1} << 30U;

// `kind` says in errors what the file should have been: "a TOML file". Throws UsageError: a folder, a device, more
// than `limit` bytes, or it cannot be read.
std::string read_text(const std::string& file, const std::string& kind, std::size_t limit = written_by_hand);

}  // namespace sim::config
