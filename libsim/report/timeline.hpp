// A timeline is all that a run leaves to be seen: traces, pictures and pages are made of nothing else.
#pragma once

#include "libsim/network/topology.hpp"
#include "libsim/report/labels.hpp"
#include "libsim/trace/account.hpp"
#include "libsim/trace/span.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace sim::report {

// A line of what is said about the run: {"ranks", "4"}.
struct Fact {
    std::string name;
    std::string value;
};

// A step of a rank's training, which is no op: it is in none of the sums.
struct TrainingStep {
    int rank = 0;
    std::string name;  // "step 3"
    Time begin;
    Time end;
};

struct Timeline {
    std::string title;  // "3d_pipeline_parallel"
    std::vector<Fact> facts;
    std::string explanation = "";  // why the run takes that long, as ndsim explain --json has it; empty: nobody asked
    std::string verdict = "";      // the same of what a page begins with
    std::string answer = "";       // all that is said of the run, as one JSON object; empty: nothing
    int ranks = 0;
    std::vector<std::string> stream_names;  // of stream 1, 2, …; those beyond its end are "stream 7"
    // Spans of this stream lie inside others of their rank, and show what those are made of; main: there are none.
    Stream inside = Stream::main;
    std::vector<std::string> rank_names;    // of rank 0, 1, …; those beyond its end are "Rank 7"
    std::vector<trace::Span> spans;         // those of one rank and stream in the order of its program
    std::vector<TrainingStep> steps;        // by rank, those of one in their order, of which none overlap
    trace::Account account;                 // what each rank's time went to; empty: only the spans say
    std::vector<trace::RankTotals> totals;  // by rank, as far as the run came
    std::vector<int> pids;                  // by rank; empty: no processes
    Time end;
    Labels labels;  // of the spans
    // The work of a label, by its place, where several labels are of one: "forward" of "forward of micro-batch 3".
    std::unordered_map<const std::string*, const std::string*> works;
    std::shared_ptr<const network::Topology> topology;  // null: messages share no links
    std::int64_t bytes_per_unit = 0;                    // of messages in units on these links; 0: there are none
    std::string fault;                                  // why the run ended early; empty: it did not
    int fault_rank = -1;                                // the rank whose end it was; -1: no single rank's
    std::string fault_word;                             // what became of that rank: "died", "hung"

    // Whether the span is an op of its own, not a part of one.
    bool counts(const trace::Span& span) const { return inside == Stream::main || span.stream != inside; }
    // Keeps the span, and its label beyond the run that made it.
    void add(const trace::Span& span);
    void add(const trace::Span& span, const std::string& work);
    // What all spans that do the same are called: the span's label, unless it has a work.
    const std::string* work_of(const trace::Span& span) const;
    // Each rank's time by category, by rank. Requires: there is an account.
    std::vector<trace::TimeParts> time_of_ranks() const;
    // Each rank once.
    std::vector<int> ranks_with_steps() const;
    // The end of the run, or of what is known of it.
    Time end_of_all() const;
    // Whether the run ended early, so that the spans are not all that it would have had.
    bool is_partial() const { return !fault.empty(); }
    // When the rank that ended the run was last seen at work.
    Time broken_off() const;
    std::string name_of(int rank) const;
    // Requires: a stream beside the program's own.
    std::string name_of(Stream stream) const;
};

}  // namespace sim::report
