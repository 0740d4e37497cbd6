// A study is what somebody published of the failures of a training or a cluster: the options of `ndsim goodput` that
// describe it, each with where it is from, and the figures that should come out.
#pragma once

#include "libsim/config/toml_file.hpp"
#include "libsim/goodput/sample.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sim::goodput {

// What an option's value rests on.
enum class Origin : std::uint8_t { published, derived, assumed };
const char* name_of(Origin origin);

struct StudyOption {
    std::string option;  // without --
    std::string where;   // FILE:LINE
    config::TomlValue value;
    Origin origin = Origin::assumed;
    std::string why;
};

// A number that a sample has and a publication can have.
enum class StudyFigure : std::uint8_t {
    ettr,
    estimated_ettr,  // by the formula of Kokolis et al.
    interruptions,   // unexpected, in a run
    interruptions_by_gpus,
    interruptions_by_nodes,
    interruptions_by_links,
    mtbf_hours,              // of the job
    failures_per_node_days,  // of a thousand of them
    lost_share,
    detection_share,
    restart_share,
    down_share,                    // these three together
    minutes_lost,                  // work, per interruption
    minutes_down,                  // and detection and restart, too
    hours_spent_per_interruption,  // all that was not productive, per interruption, planned ones included
};
struct StudyFigureRow {
    const char* key;
    const char* title;
};
const StudyFigureRow& study_row_of(StudyFigure figure);
double value_of(StudyFigure figure, const LongJob& job, const JobSample& sample);

struct PublishedFigure {
    StudyFigure figure = StudyFigure::ettr;
    double low = 0;
    double high = 0;
    std::string says;  // as it was published
    std::string source;

    bool holds(double value) const { return value >= low && value <= high; }
};

struct Study {
    std::string name;
    std::string title;
    std::string source;
    std::vector<StudyOption> options;
    std::vector<PublishedFigure> published;
};

std::vector<std::string> study_names();
// A name, or a file: X.toml, or with a slash. Throws UsageError.
Study read_study(const std::string& name_or_file);

// The studies that are compiled in. The definitions are generated: cmake/ndsim_embed.cmake.
struct StudyFile {
    std::string_view name;
    std::string_view text;
};
std::span<const StudyFile> study_files();

}  // namespace sim::goodput
