// The record of the goodput report's study: published figures beside those of these runs.
#include "libsim/goodput/report_fields.hpp"

namespace sim::goodput::fields {

namespace {

using Report = GoodputReport;

const Record<StudyOption>& option_record() {
    static const Record<StudyOption> record(
        "An option.", {name<StudyOption>("option", "Name of the option.", &StudyOption::option),
                       one_of<StudyOption>("origin", {"published", "derived", "assumed"}, "The basis of its value.",
                                           [](const StudyOption& of) { return name_of(of.origin); }),
                       free_text<StudyOption>("why", "The origin of its value, in words.", &StudyOption::why)});
    return record;
}

struct Compared {
    PublishedFigure published;
    double simulated;
};

const Record<Compared>& figure_record() {
    const auto of_published = [](auto member) {
        return [member](const Compared& of) { return std::invoke(member, of.published); };
    };
    static const Record<Compared> record(
        "A figure.",
        {name<Compared>("figure", "Key of the figure, which names its unit unless it is a share or a number.",
                        [](const Compared& of) { return study_row_of(of.published.figure).key; }),
         free_text<Compared>("published", "The figure as it was published.", of_published(&PublishedFigure::says)),
         number<Compared>("low", "The least value that agrees with the published one, in the unit of the figure.",
                          of_published(&PublishedFigure::low)),
         number<Compared>("high", "The largest value that agrees with the published one, in the unit of the figure.",
                          of_published(&PublishedFigure::high)),
         number_or_null<Compared>("simulated", "The simulated value, in the unit of the figure; null: nothing fails.",
                                  [](const Compared& of) { return known(of.simulated); }),
         truth<Compared>("holds", "Whether the simulated value agrees.",
                         [](const Compared& of) { return of.published.holds(of.simulated); }),
         free_text<Compared>("source", "Place in the publication.", of_published(&PublishedFigure::source))});
    return record;
}

}  // namespace

const Record<Report>& study_record() {
    const auto study = [](auto member) {
        return [member](const Report& of) { return std::invoke(member, *of.question.study); };
    };
    static const Record<Report> record(
        "Published figures of the run.",
        {name<Report>("name", "Name or file of the study.", study(&Study::name)),
         free_text<Report>("title", "The subject of the study.", study(&Study::title)),
         free_text<Report>("source", "The publication.", study(&Study::source)),
         list_of<Report>("options", "The options that it sets.", option_record(), study(&Study::options)),
         list_of<Report>("figures", "Published figures beside the simulated ones.", figure_record(),
                         [](const Report& of) {
                             std::vector<Compared> figures;
                             for (const PublishedFigure& one : of.question.study->published) {
                                 figures.push_back({one, value_of(one.figure, of.job(), of.sample)});
                             }
                             return figures;
                         })});
    return record;
}

}  // namespace sim::goodput::fields
