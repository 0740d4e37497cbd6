// These functions find and read a user's files, as one text up to a size limit.
//
// A file, a pipe and standard input (/dev/stdin) can be read. A folder and a device, which may have no end, cannot.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace sim::config {

// The most that is read of what people write: profiles, models, machines, options, schedules of collectives.
inline constexpr std::size_t written_by_hand = std::size_t{16} << 20U;
// The most that is read of what programs write: GOAL schedules, flows, records of runs, tables.
inline constexpr std::size_t written_by_programs = std::size_t{1} << 30U;

// `kind` says in errors what the file should have been: "a TOML file". Throws UsageError: a folder, a device, more
// than `limit` bytes, or it cannot be read.
std::string read_text(const std::string& file, const std::string& kind, std::size_t limit = written_by_hand);

// The same of a file in a notation that is to be parsed: what is nested too deep for that is refused (nesting.hpp).
std::string read_json_text(const std::string& file, const std::string& kind, std::size_t limit = written_by_hand);
std::string read_toml_text(const std::string& file);

// Throws UsageError, as read_text does, for what is not there, a folder or a device.
void check_input(const std::string& file, const std::string& kind);
bool is_folder(const std::string& path);
// What lies in the folder, with its path, in the order of the names. Throws UsageError.
std::vector<std::string> files_in(const std::string& folder);

}  // namespace sim::config
