#include "libsim/goodput/study.hpp"

#include "libsim/check.hpp"
#include "libsim/config/errors.hpp"
#include "libsim/config/toml_reader.hpp"
#include "libsim/goodput/closed_forms.hpp"
#include "libsim/known_name.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace sim::goodput {

namespace {

constexpr std::array<StudyFigureRow, 15> figure_rows{{
    {"ettr", "effective training time"},
    {"estimated_ettr", "effective training time, by Kokolis' formula"},
    {"interruptions", "unexpected interruptions"},
    {"interruptions_by_gpus", "interruptions by GPUs"},
    {"interruptions_by_nodes", "interruptions by nodes"},
    {"interruptions_by_links", "interruptions by links"},
    {"mtbf_hours", "hours between failures"},
    {"failures_per_node_days", "failures in 1,000 node-days"},
    {"lost_share", "share of time for lost work"},
    {"detection_share", "share of time until failures are noticed"},
    {"restart_share", "share of time for restarts"},
    {"down_share", "share of time that failures cost"},
    {"minutes_lost", "minutes of work lost in a failure"},
    {"minutes_down", "minutes that a failure costs"},
    {"hours_spent_per_interruption", "hours that an interruption costs, of any kind"},
}};

template <std::size_t count, class Rows>
std::vector<std::string> keys_of(const Rows& rows) {
    std::vector<std::string> keys;
    for (std::size_t i = 0; i < count; ++i) {
        keys.emplace_back(rows[i].key);
    }
    return keys;
}

std::vector<std::string> origin_names() {
    return {name_of(Origin::published), name_of(Origin::derived), name_of(Origin::assumed)};
}

Study study_of(const config::TomlReader& file, const std::string& name) {
    file.know_only({"title", "source", "given[].option", "given[].value", "given[].from", "given[].why",
                    "published[].figure", "published[].low", "published[].high", "published[].says",
                    "published[].source"});
    const auto text = [&](const std::string& key) { return file.text(file.require(key), "a text"); };
    Study study{.name = name, .title = text("title"), .source = text("source"), .options = {}, .published = {}};
    for (int i = 1; i <= file.count("given"); ++i) {
        const std::string prefix = fmt::format("given[{}].", i);
        const config::TomlEntry& value = file.require(prefix + "value");
        const std::size_t origin = file.choice(file.require(prefix + "from"), origin_names());
        study.options.push_back({.option = text(prefix + "option"),
                                 .where = value.where,
                                 .value = value.value,
                                 .origin = static_cast<Origin>(origin),
                                 .why = text(prefix + "why")});
    }
    for (int i = 1; i <= file.count("published"); ++i) {
        const std::string prefix = fmt::format("published[{}].", i);
        const auto number = [&](const char* key) {
            return file.number(file.require(prefix + key), 0, "a number from 0");
        };
        const std::size_t figure =
            file.choice(file.require(prefix + "figure"), keys_of<figure_rows.size()>(figure_rows));
        study.published.push_back({.figure = static_cast<StudyFigure>(figure),
                                   .low = number("low"),
                                   .high = number("high"),
                                   .says = text(prefix + "says"),
                                   .source = text(prefix + "source")});
    }
    return study;
}

double per(double amount, double count) {
    return count > 0 ? amount / count : 0;
}

}  // namespace

const char* name_of(Origin origin) {
    switch (origin) {
        case Origin::published: return "published";
        case Origin::derived: return "derived";
        case Origin::assumed: return "assumed";
    }
    return "?";
}

const StudyFigureRow& study_row_of(StudyFigure figure) {
    return figure_rows.at(static_cast<std::size_t>(figure));
}

double value_of(StudyFigure figure, const LongJob& job, const JobSample& sample) {
    double interruptions = 0;
    double planned = 0;
    double wall = 0;  // hours
    for (const JobRun& run : sample) {
        interruptions += static_cast<double>(run.interruptions());
        planned += static_cast<double>(run.planned);
        wall += faults::hours_of(run.wall);
    }
    const double lost = share_of(sample, TimeUse::lost);
    const double detection = share_of(sample, TimeUse::detection);
    const double restart = share_of(sample, TimeUse::restart) + share_of(sample, TimeUse::waiting);
    const double down = lost + detection + restart;
    switch (figure) {
        case StudyFigure::ettr: return effective_share(sample);
        case StudyFigure::estimated_ettr: return estimated_share(job);
        case StudyFigure::interruptions: return interruptions / static_cast<double>(sample.size());
        case StudyFigure::interruptions_by_gpus: return mean_stops(sample, faults::Part::gpu);
        case StudyFigure::interruptions_by_nodes: return mean_stops(sample, faults::Part::node);
        case StudyFigure::interruptions_by_links: return mean_stops(sample, faults::Part::link);
        case StudyFigure::mtbf_hours: return seconds_between_failures(job) / 3600;
        case StudyFigure::failures_per_node_days: return 24 * 1000 * job.rates.failures_per_hour() / job.nodes();
        case StudyFigure::lost_share: return lost;
        case StudyFigure::detection_share: return detection;
        case StudyFigure::restart_share: return restart;
        case StudyFigure::down_share: return down;
        case StudyFigure::minutes_lost: return per(60 * lost * wall, interruptions);
        case StudyFigure::minutes_down: return per(60 * down * wall, interruptions);
        case StudyFigure::hours_spent_per_interruption: break;
    }
    return per((1 - effective_share(sample)) * wall, interruptions + planned);
}

std::vector<std::string> study_names() {
    std::vector<std::string> names;
    for (const StudyFile& file : study_files()) {
        names.emplace_back(file.name);
    }
    return names;
}

Study read_study(const std::string& name) {
    if (name.ends_with(".toml") || name.find('/') != std::string::npos) {
        return study_of(config::TomlReader(name), name);
    }
    const auto files = study_files();
    std::vector<KnownName> known;
    for (const StudyFile& file : files) {
        known.push_back({std::string(file.name), known.size()});
    }
    if (const auto row = row_meant(name, known)) {
        const std::string own = known[*row].name;
        const std::string where = own + ".toml";
        return study_of({where, config::toml_entries(std::string(files[*row].text), where)}, own);
    }
    const std::string hint = name_hint(name, known);
    throw config::UsageError(
        fmt::format("--study: there is no study \"{}\"{}", config::shortened(name),
                    hint.empty() ? fmt::format("; there are {}", fmt::join(study_names(), ", ")) : hint));
}

}  // namespace sim::goodput
