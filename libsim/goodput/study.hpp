// A study is a published account of the failures of a training run or a cluster: the options of `ndsim goodput` that
// describe it, each with its origin, and the figures that should come out.
#pragma once

#include "libsim/config/toml_file.hpp"
#include "libsim/goodput/sample.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sim::goodput {

// The basis of an option's value.
enum class Origin : std::uint8_t { published, derived, assumed };
const char* name_of(Origin origin);

struct StudyOption {
    std::string option;  // without --
    std::string where;   // FILE:LINE
    config::TomlValue value;
    Origin origin = Origin::assumed;
    std::string why;
};

// The figures that a publication may give and a sample yields.
enum class StudyFigure : std::uint8_t {
    ettr,
    estimated_ettr,  // by the formula of Kokolis et al.
    interruptions,   // unexpected, in a run
    interruptions_by_gpus,
    interruptions_by_nodes,
    interruptions_by_links,
    mtbf_hours,              // of the job
    failures_per_node_days,  // per thousand node-days
    lost_share,
    detection_share,
    restart_share,
    down_share,                    // the three shares above together
    minutes_lost,                  // work lost per interruption
    minutes_down,                  // the same, plus detection and restart
    hours_spent_per_interruption,  // all unproductive time per interruption, planned ones included
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
    std::string says;  // as published
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
// Takes a name, or a file: X.toml, or any path with a slash. Throws UsageError.
Study read_study(const std::string& name_or_file);

// The built-in studies. cmake/ndsim_embed.cmake generates the definition.
struct StudyFile {
    std::string_view name;
    std::string_view text;
};
std::span<const StudyFile> study_files();

}  // namespace sim::goodput
