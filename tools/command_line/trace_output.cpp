#include "tools/command_line/trace_output.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/report/trace_formats.hpp"
#include "tools/command_line/exit.hpp"
#include "tools/command_line/output_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace sim::command_line {

namespace {

[[noreturn]] void refuse_folder(const std::string& folder, const std::string& reason) {
    throw config::OutputError(fmt::format("{} cannot be written: {}", folder, reason));
}

std::string without_slashes(const std::string& folder) {
    const std::size_t last = folder.find_last_not_of('/');
    if (last == std::string::npos) {
        refuse_folder(folder, "it is not a separate folder for the trace");
    }
    return folder.substr(0, last + 1);
}

// Creates a new folder beside `path`.
std::string make_beside(const std::string& path, const std::string& folder) {
    for (int attempt = 0; attempt < 100; ++attempt) {
        const std::string name = fmt::format("{}.{}.{}.part", path, ::getpid(), attempt);
        if (::mkdir(name.c_str(), 0755) == 0) {
            return name;
        }
        if (errno != EEXIST) {
            break;
        }
    }
    refuse_folder(folder, std::strerror(errno));
}

}  // namespace

void check_output_folder(const std::string& folder) {
    const std::string path = without_slashes(folder);
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0) {
        return check_output(path);
    }
    std::error_code error;
    if (!S_ISDIR(status.st_mode)) {
        refuse_folder(folder, "it exists and is not a folder");
    }
    const bool empty = std::filesystem::is_empty(path, error);
    if (error) {
        refuse_folder(folder, error.message());
    }
    if (!empty) {
        refuse_folder(folder, "it exists and is not empty");
    }
}

void write_output_folder(const std::string& folder, const std::vector<report::TraceFile>& files) {
    check_output_folder(folder);
    const std::string path = without_slashes(folder);
    const std::string part = make_beside(path, folder);
    std::error_code ignored;
    try {
        for (const report::TraceFile& file : files) {
            write_output(fmt::format("{}/{}", part, file.name), file.write);
        }
    } catch (...) {
        std::filesystem::remove_all(part, ignored);
        throw;
    }
    if (std::rename(part.c_str(), path.c_str()) != 0) {
        const int error = errno;
        std::filesystem::remove_all(part, ignored);
        refuse_folder(folder, std::strerror(error));
    }
}

void check_trace(const std::string& file) {
    (report::trace_format_of(file).is_folder() ? check_output_folder : check_output)(file);
}

void write_trace(const std::string& file, const report::Timeline& timeline) {
    const report::TraceFormat& format = report::trace_format_of(file);
    const std::vector<report::TraceFile> files = format.files(timeline);
    if (const std::string advice = report::viewing_advice(file, timeline); !advice.empty()) {
        tell(advice + "\n");
    }
    if (format.is_folder()) {
        write_output_folder(file, files);
    } else {
        write_output(file, files.at(0).write);
    }
}

}  // namespace sim::command_line
