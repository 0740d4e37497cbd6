// A timeline is the complete result of a run: traces, pictures and pages are made from it alone.
#pragma once

#include "libsim/network/topology.hpp"
#include "libsim/trace/account.hpp"
#include "libsim/trace/span.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace sim::report {

// Labels keeps the labels of spans alive beyond the run that made them.
class Labels {
public:
    // Returns a copy of the text that lives as long as this object. Labels are told apart by address, which is stable
    // during the run.
    const std::string* keep(const std::string* label) { return &all_->kept.try_emplace(label, *label).first->second; }
    // Keeps a text that is not a label of a run.
    const std::string* keep_text(std::string text) { return &*all_->texts.insert(std::move(text)).first; }

private:
    struct All {
        std::unordered_map<const std::string*, std::string> kept;
        std::unordered_set<std::string> texts;
    };
    // Shared by copies: the spans of a copied timeline point to the same texts.
    std::shared_ptr<All> all_ = std::make_shared<All>();
};

// A named fact about the run: {"ranks", "4"}.
struct Fact {
    std::string name;
    std::string value;
};

// A step of a rank's training. It is not an op and is in none of the sums.
struct TrainingStep {
    int rank = 0;
    std::string name;  // "step 3"
    Time begin;
    Time end;
};

// An axis of the mesh that the ranks form, and each rank's coordinate on it.
struct RankAxis {
    std::string name;  // "dp"
    std::vector<int> of_rank;
};

struct Timeline {
    std::string title;  // "3d_pipeline_parallel"
    std::vector<Fact> facts;
    std::string explanation = "";  // why the run takes this long, as in ndsim explain --json; empty: not requested
    std::string verdict = "";      // likewise, the verdict at the top of a page
    std::string chunks = "";       // a collective told chunk by chunk, as JSON (chunk_steps.hpp); empty: none
    std::string answer = "";       // the answer of the run as one JSON object; empty: none
    int ranks = 0;
    std::vector<std::string> stream_names;  // of stream 1, 2, …; further streams are "stream 7"
    // Spans of this stream are inside others of their rank, as their parts; main: there are none.
    Stream inside = Stream::main;
    std::vector<std::string> rank_names;    // of rank 0, 1, …; further ranks are "Rank 7"
    std::vector<RankAxis> axes;             // from the outermost inwards; empty: no mesh
    std::vector<trace::Span> spans;         // for each rank and stream in program order
    std::vector<TrainingStep> steps;        // by rank, then in order; a rank's steps do not overlap
    trace::Account account;                 // each rank's time by category; empty: derive it from the spans
    std::vector<trace::RankTotals> totals;  // by rank, up to the end of the run
    std::vector<int> pids;                  // by rank; empty: no processes
    Time end;
    Labels labels;  // of the spans
    // The work of a label, by address, if several labels share one: "forward" for "forward of micro-batch 3".
    std::unordered_map<const std::string*, const std::string*> works;
    std::shared_ptr<const network::Topology> topology;  // null: messages share no links
    std::int64_t bytes_per_unit = 0;                    // size of messages in units on these links; 0: there are none
    std::string fault;                                  // why the run ended early; empty if it did not
    int fault_rank = -1;                                // the rank that ended it; -1: no single rank
    std::string fault_word;                             // the fate of that rank: "died", "hung"

    // Whether the span is an op of its own, not a part of one.
    bool counts(const trace::Span& span) const { return inside == Stream::main || span.stream != inside; }
    // Keeps the span, and its label beyond the run that made it.
    void add(const trace::Span& span);
    void add(const trace::Span& span, const std::string& work);
    // The common name of all spans that do the same work; the span's label if it has none.
    const std::string* work_of(const trace::Span& span) const;
    // Each rank's time by category. Requires: the timeline has an account.
    std::vector<trace::TimeParts> time_of_ranks() const;
    // Each rank that has steps, once.
    std::vector<int> ranks_with_steps() const;
    // The end of the run, or of its known part.
    Time end_of_all() const;
    // Whether the run ended early, so that spans are missing.
    bool is_partial() const { return !fault.empty(); }
    // The last time at which the rank that ended the run was active.
    Time broken_off() const;
    std::string name_of(int rank) const;
    // Adds the next axis inwards, unless all ranks have the same coordinate.
    void add_axis(std::string name, std::vector<int> of_rank);
    // "pp 1, dp 0, tp 1"; empty if the ranks form no mesh.
    std::string coordinates_of(int rank) const;
    // Requires: not the program's own stream.
    std::string name_of(Stream stream) const;
};

}  // namespace sim::report
