// These functions find and read a user's files, each as one text up to a size limit.
//
// A file, a pipe and standard input (/dev/stdin) can be read. A folder and a device, which may have no end, cannot.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace sim::config {

// Size limit of files that people write: profiles, models, machines, options, schedules of collectives.
inline constexpr std::size_t written_by_hand = std::size_t{16} << 20U;
// Size limit of files that programs write: GOAL schedules, flows, records of runs, tables.
inline constexpr std::size_t written_by_programs = std::size_t{1} << 30U;

// `kind` names in errors the file that was expected: "a TOML file". Throws UsageError for a folder, a device, a file of
// more than `limit` bytes, or one that cannot be read.
std::string read_text(const std::string& file, const std::string& kind, std::size_t limit = written_by_hand);

// The same for JSON that is to be parsed: also refuses excessive nesting.
std::string read_json_text(const std::string& file, const std::string& kind, std::size_t limit = written_by_hand);
std::string read_toml_text(const std::string& file);

// Throws UsageError, as read_text() does, for a missing file, a folder or a device.
void check_input(const std::string& file, const std::string& kind);
bool is_folder(const std::string& path);
// Paths of the folder's entries, in the order of their names. Throws UsageError.
std::vector<std::string> files_in(const std::string& folder);

inline constexpr int most_nested = 64;                    // brackets, or parts of a dotted key
inline constexpr std::size_t longest_string = 1U << 20U;  // bytes of one quoted text

enum class Notation : unsigned char { json, toml };

// Refuses a text that would exhaust a parser's stack or time: deeply nested brackets, keys of many parts, overlong
// strings. Throws UsageError with file and line. Cost: one pass over the bytes.
void check_nesting(const std::string& text, const std::string& file, Notation notation);

}  // namespace sim::config
