#include "libsim/report/page/run_data.hpp"

#include "libsim/report/label_letters.hpp"
#include "libsim/report/page/detail.hpp"
#include "libsim/report/page/sentence.hpp"
#include "libsim/report/page/sums.hpp"
#include "libsim/report/passes.hpp"
#include "libsim/trace/critical_path.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>

namespace sim::report {

namespace {

using Json = nlohmann::ordered_json;
using trace::RankTotals;
using trace::Span;

std::int64_t picoseconds(Time time) {
    return time.time_since_epoch().count();
}

// Numbers distinct texts in the order of their first use.
class Texts {
public:
    std::int64_t number_of(const std::string* text) {
        const auto [at, is_new] = of_address_.try_emplace(text, 0);
        if (is_new) {
            const auto [same, first] = of_text_.try_emplace(*text, static_cast<std::int64_t>(all_.size()));
            if (first) {
                all_.push_back(*text);
            }
            at->second = same->second;
        }
        return at->second;
    }
    const std::vector<std::string>& all() const { return all_; }

private:
    std::unordered_map<const std::string*, std::int64_t> of_address_;
    std::unordered_map<std::string_view, std::int64_t> of_text_;
    std::vector<std::string> all_;
};

// For each receive, the distance in the list to its send; 0 if there is none.
std::vector<std::int64_t> partners_of(const std::vector<const Span*>& spans) {
    std::unordered_map<std::uint64_t, std::size_t> sent;
    for (std::size_t i = 0; i < spans.size(); ++i) {
        if (spans[i]->kind == OpKind::send && spans[i]->message != 0) {
            sent.emplace(spans[i]->message, i);
        }
    }
    std::vector<std::int64_t> partners(spans.size());
    for (std::size_t i = 0; i < spans.size(); ++i) {
        const auto found = spans[i]->kind == OpKind::receive ? sent.find(spans[i]->message) : sent.end();
        if (found != sent.end()) {
            partners[i] = static_cast<std::int64_t>(found->second) - static_cast<std::int64_t>(i);
        }
    }
    return partners;
}

void add_spans(Columns& columns, const DrawnSpans& drawn, Texts& labels) {
    constexpr Columns::Written differences = Columns::Written::differences;
    std::vector<std::int64_t> numbers(drawn.spans.size());
    const auto add = [&](const char* name, auto number, Columns::Written written = Columns::Written::plain) {
        std::transform(drawn.spans.begin(), drawn.spans.end(), numbers.begin(),
                       [&](const Span* span) { return static_cast<std::int64_t>(number(*span)); });
        columns.add(name, numbers, written);
    };
    add(
        "rank", [](const Span& s) { return s.rank; }, differences);
    add(
        "stream", [](const Span& s) { return s.stream; }, differences);
    add("kind", [](const Span& s) { return s.kind; });
    add("label", [&](const Span& s) { return labels.number_of(s.label); });
    // Gaps, from the end of the previous span on the same rank and stream, are mostly 0 and compress well.
    const Span* before = nullptr;
    add("gap", [&](const Span& s) {
        const bool follows = before != nullptr && before->rank == s.rank && before->stream == s.stream;
        const Time free = follows ? before->end : Time{};
        before = &s;
        return (s.begin - free).count();
    });
    add("duration", [](const Span& s) { return (s.end - s.begin).count(); });
    add("idle", [](const Span& s) { return s.idle.count(); });
    add("peer", [](const Span& s) { return s.peer; });
    add("amount", [](const Span& s) { return s.amount; });
    add("measure", [](const Span& s) { return s.measure; });
    columns.add("partner", partners_of(drawn.spans));
    if (!drawn.counts.empty()) {
        columns.add("count", std::vector<std::int64_t>(drawn.counts.begin(), drawn.counts.end()));
    }
}

// The ops of the run, without the spans that are parts of others.
std::vector<Span> counted(const Timeline& timeline) {
    std::vector<Span> spans;
    std::copy_if(timeline.spans.begin(), timeline.spans.end(), std::back_inserter(spans),
                 [&](const Span& span) { return timeline.counts(span); });
    return spans;
}

// The slack of each span of the timeline; -1 for those that are a part of another.
std::vector<Duration> slacks(const Timeline& timeline) {
    const std::vector<Duration> of_counted = trace::slack_of(counted(timeline));
    std::vector<Duration> slack(timeline.spans.size(), Duration{-1});
    std::size_t next = 0;
    for (std::size_t i = 0; i < slack.size(); ++i) {
        if (timeline.counts(timeline.spans[i])) {
            slack[i] = of_counted[next++];
        }
    }
    return slack;
}

// Adds each span's slack; -1 for a bar of several spans.
void add_slack(Columns& columns, const Timeline& timeline, const DrawnSpans& drawn) {
    const std::vector<Duration> slack = slacks(timeline);
    std::vector<std::int64_t> numbers(drawn.spans.size(), -1);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const Span& span = *drawn.spans[i];
        const bool alone = drawn.counts.empty() || drawn.counts[i] == 1;
        if (alone && span.kind != OpKind::log && span.kind != OpKind::allocate) {
            numbers[i] = slack[static_cast<std::size_t>(&span - timeline.spans.data())].count();
        }
    }
    columns.add("slack", numbers, Columns::Written::differences);
}

void add_pairs(Columns& columns, const Timeline& timeline) {
    std::vector<std::int64_t> from;
    std::vector<std::int64_t> to;
    std::vector<std::int64_t> messages;
    std::vector<std::int64_t> bytes;
    std::vector<std::int64_t> billionths;
    for (const auto& [pair, sum] : sums_by_pair(timeline)) {
        from.push_back(pair.first);
        to.push_back(pair.second);
        messages.push_back(sum.messages);
        bytes.push_back(sum.bytes);
        billionths.push_back(sum.billionths);
    }
    columns.add("pairs.from", from, Columns::Written::differences);
    columns.add("pairs.to", to, Columns::Written::differences);
    columns.add("pairs.messages", messages);
    columns.add("pairs.bytes", bytes);
    columns.add("pairs.billionths", billionths);
}

// Adds the links, and the route of each pair of ranks that communicate: all routes in the order of the pairs.
void add_links(Columns& columns, const Timeline& timeline) {
    const network::Topology& topology = *timeline.topology;
    std::vector<std::int64_t> from;
    std::vector<std::int64_t> to;
    std::vector<std::int64_t> bandwidth;
    for (const network::Link& link : topology.links) {
        from.push_back(link.from);
        to.push_back(link.to);
        bandwidth.push_back(link.bandwidth.bytes_per_second);
    }
    columns.add("links.from", from, Columns::Written::differences);
    columns.add("links.to", to, Columns::Written::differences);
    columns.add("links.bandwidth", bandwidth);
    std::vector<std::int64_t> lengths;
    std::vector<std::int64_t> routes;
    for (const auto& [pair, sum] : sums_by_pair(timeline)) {
        std::vector<network::LinkId> route;
        if (pair.first != pair.second) {
            topology.append_route(pair.first, pair.second, route);
        }
        lengths.push_back(static_cast<std::int64_t>(route.size()));
        routes.insert(routes.end(), route.begin(), route.end());
    }
    columns.add("routes.length", lengths);
    columns.add("routes.link", routes);
}

Json json_of(const network::Topology& topology) {
    Json vertices = Json::array();
    for (const network::Vertex& vertex : topology.vertices) {
        vertices.push_back({vertex.name, static_cast<int>(vertex.kind)});
    }
    return {{"name", topology.name},
            {"circle", topology.layout == network::TopologyLayout::circle},
            {"vertices", std::move(vertices)}};
}

void add_path(Columns& columns, const Timeline& timeline, Texts& labels) {
    const std::vector<Span> spans = counted(timeline);
    const std::vector<trace::PathStep> steps = trace::critical_steps(spans);
    std::vector<std::int64_t> numbers(steps.size());
    const auto add = [&](const char* name, auto number, Columns::Written written = Columns::Written::plain) {
        std::transform(steps.begin(), steps.end(), numbers.begin(),
                       [&](const trace::PathStep& step) { return static_cast<std::int64_t>(number(step)); });
        columns.add(name, numbers, written);
    };
    add("path.label", [&](const trace::PathStep& step) { return labels.number_of(timeline.work_of(*step.span)); });
    add("path.kind", [](const trace::PathStep& step) { return step.span->kind; });
    add(
        "path.rank", [](const trace::PathStep& step) { return step.rank; }, Columns::Written::differences);
    add("path.to", [](const trace::PathStep& step) { return step.to; });
    add(
        "path.begin", [](const trace::PathStep& step) { return picoseconds(step.begin); },
        Columns::Written::differences);
    add("path.length", [](const trace::PathStep& step) { return (step.end - step.begin).count(); });
}

void add_waits(Columns& columns, const Timeline& timeline) {
    const std::vector<WaitingTime> waits = pipeline_waits(timeline);
    std::vector<std::int64_t> numbers(waits.size());
    const auto add = [&](const char* name, auto number) {
        std::transform(waits.begin(), waits.end(), numbers.begin(),
                       [&](const WaitingTime& one) { return static_cast<std::int64_t>(number(one)); });
        columns.add(name, numbers);
    };
    add("waits.rank", [](const WaitingTime& one) { return one.rank; });
    add("waits.kind", [](const WaitingTime& one) { return one.wait; });
    add("waits.begin", [](const WaitingTime& one) { return picoseconds(one.begin); });
    add("waits.length", [](const WaitingTime& one) { return (one.end - one.begin).count(); });
}

// Text, because a browser reads JSON numbers beyond 2^53 inexactly.
std::string exact(std::int64_t number) {
    return std::to_string(number);
}

Json json_of(const RankTotals& totals) {
    return {{"compute", exact(totals.compute.count())},
            {"communication", exact(totals.communication.count())},
            {"idle", exact(totals.idle.count())},
            {"idle_in_collectives", exact(totals.idle_in_collectives.count())},
            {"end", exact(picoseconds(totals.end))},
            {"bytes_sent", exact(totals.bytes_sent)},
            {"billionths_sent", exact(totals.billionths_sent)},
            {"messages_sent", exact(totals.messages_sent)},
            {"peak_bytes", exact(totals.peak_bytes)},
            {"peak_billionths", exact(totals.peak_billionths)},
            {"ops", exact(totals.ops)}};
}

// Each rank's time in picoseconds, for the categories that took time on any rank.
Json json_of_account(const Timeline& timeline) {
    const std::vector<trace::TimeParts> parts = timeline.time_of_ranks();
    Json list = Json::array();
    for (std::size_t kind = 0; kind < time_categories; ++kind) {
        const auto category = static_cast<TimeCategory>(kind);
        Json ranks = Json::array();
        Duration all{0};
        for (const trace::TimeParts& rank : parts) {
            all += rank.of[kind];
            ranks.push_back(exact(rank.of[kind].count()));
        }
        if (all.count() > 0) {
            list.push_back({{"name", name_of(category)},
                            {"title", title_of(category)},
                            {"mark", std::string(1, mark_of(category))},
                            {"part", title_of(part_of(category))},
                            {"ranks", std::move(ranks)}});
        }
    }
    return list;
}

Json label_sums(const Timeline& timeline) {
    Json sums = Json::array();
    for (const auto& [key, sum] : sums_by_label(timeline)) {
        const auto& [kind, label, measure] = key;
        sums.push_back({{"kind", static_cast<int>(kind)},
                        {"label", label},
                        {"measure", static_cast<int>(measure)},
                        {"count", exact(sum.count)},
                        {"amount", exact(sum.amount)},
                        {"time", exact(sum.time.count())},
                        {"idle", exact(sum.idle.count())}});
    }
    return sums;
}

// The short form of each label in all pictures, by label number; empty if it has none.
Json short_forms(const Timeline& timeline, const DrawnSpans& drawn, Texts& labels) {
    const LabelLetters letters(timeline);
    std::vector<std::string> forms(labels.all().size());
    for (const Span* const span : drawn.spans) {
        if (span->kind == OpKind::compute || !timeline.counts(*span)) {
            forms.at(static_cast<std::size_t>(labels.number_of(span->label))) = letters.short_form(*span);
        }
    }
    return forms;
}

// The colour of each label's pass, by label number; empty if it is none.
Json colours_of_passes(const Texts& labels) {
    Json colours = Json::array();
    for (const std::string& label : labels.all()) {
        const std::optional<Pass> pass = pass_of(label);
        colours.push_back(pass ? colour_of(*pass) : "");
    }
    return colours;
}

Json json_of(const std::vector<RankAxis>& axes) {
    Json list = Json::array();
    for (const RankAxis& axis : axes) {
        list.push_back({{"name", axis.name}, {"of_rank", axis.of_rank}});
    }
    return list;
}

Json directory_of(const Columns& columns) {
    Json directory = Json::array();
    for (const Columns::Column& column : columns.directory()) {
        directory.push_back({{"name", column.name},
                             {"count", column.count},
                             {"differences", column.written == Columns::Written::differences}});
    }
    return directory;
}

Json names_of_kinds() {
    Json names = Json::array();
    for (int kind = 0; kind <= static_cast<int>(OpKind::finish); ++kind) {
        names.push_back(name_of(static_cast<OpKind>(kind)));
    }
    return names;
}

}  // namespace

RunData run_data(const Timeline& timeline, std::size_t most_spans) {
    RunData data;
    Texts labels;
    const DrawnSpans drawn = drawn_spans(timeline.spans, most_spans);
    add_spans(data.columns, drawn, labels);
    add_slack(data.columns, timeline, drawn);
    add_pairs(data.columns, timeline);
    add_path(data.columns, timeline, labels);
    add_waits(data.columns, timeline);
    if (timeline.topology) {
        add_links(data.columns, timeline);
    }

    Json header{
        {"title", timeline.title}, {"ranks", timeline.ranks}, {"end", exact(picoseconds(timeline.end_of_all()))}};
    header["fault"] = timeline.fault;
    header["sentence"] = sentence_of(timeline);
    header["axes"] = json_of(timeline.axes);
    if (!timeline.chunks.empty()) {
        header["chunks"] = Json::parse(timeline.chunks);
    }
    header["facts"] = Json::array();
    for (const Fact& fact : timeline.facts) {
        header["facts"].push_back({fact.name, fact.value});
    }
    header["rank_names"] = Json::array();
    for (int rank = 0; rank < timeline.ranks; ++rank) {
        header["rank_names"].push_back(timeline.name_of(rank));
    }
    header["stream_names"] = timeline.stream_names;
    header["pids"] = timeline.pids;
    header["kinds"] = names_of_kinds();
    header["totals"] = Json::array();
    for (const RankTotals& totals : totals_of(timeline)) {
        header["totals"].push_back(json_of(totals));
    }
    if (!timeline.account.empty()) {
        header["account"] = json_of_account(timeline);
    }
    if (timeline.topology) {
        header["topology"] = json_of(*timeline.topology);
        header["topology"]["bytes_per_unit"] = timeline.bytes_per_unit;
    }
    header["sums"] = label_sums(timeline);
    header["spans"] = timeline.spans.size();
    header["merged"] = {
        {"spans", drawn.merged}, {"bars", drawn.bars.size()}, {"shorter_than", exact(drawn.shorter_than.count())}};
    header["labels"] = labels.all();
    header["shorts"] = short_forms(timeline, drawn, labels);
    header["passes"] = colours_of_passes(labels);
    header["columns"] = directory_of(data.columns);
    data.header = inert(header.dump(-1, ' ', false, Json::error_handler_t::replace));
    return data;
}

}  // namespace sim::report
