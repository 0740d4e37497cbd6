#include "tools/command_line/trace_output.hpp"

#include "libsim/report/trace_formats.hpp"
#include "tools/command_line/exit.hpp"
#include "tools/command_line/output_file.hpp"
#include "tools/command_line/output_folder.hpp"

namespace sim::command_line {

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
