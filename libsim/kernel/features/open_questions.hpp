// Open questions are those that ranks wait to have answered, each with the time at which it can be; and the runs of ops
// in which ranks do nothing but ask, by which endless polling is found out (questions.hpp).
//
// (1) A rank has at most one open question, and an answer time that is known only gets earlier.
// (2) A run of asking ends when its rank does anything else, or its clock moves.
// Cost: O(log ranks) per question.
#pragma once

#include "libsim/arrival.hpp"
#include "libsim/heap.hpp"
#include "libsim/kernel/parts/event_queue.hpp"
#include "libsim/kernel/parts/ids.hpp"
#include "libsim/op.hpp"

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace sim::kernel {

class OpenQuestions {
public:
    struct Due {
        Time at;
        int rank = -1;
    };

    explicit OpenQuestions(int ranks) : all_(static_cast<std::size_t>(ranks)) {}

    // Opens a question of `rank` that can be answered at `at`; Time::max() while that is not known. `later`: the last
    // answer was "no", so this one waits until something new arrives.
    void ask(int rank, Time at, bool later);
    bool is_open(int rank) const { return of(rank).open; }
    // True if the rank, after a "no", waits for something new.
    bool is_later(int rank) const { return of(rank).later; }
    // An open question can be answered at `at`, if not earlier.
    void may_answer(int rank, Time at);
    // Adds an op to the rank's next question; named() returns them all, in the order named.
    void name(int rank, AsyncId op) { named_[rank].push_back(op); }
    const std::vector<AsyncId>& named(int rank) const { return named_.at(rank); }
    // The next question to answer; none: no question has a known answer time.
    std::optional<Due> first();
    bool any_due() const { return due_ > 0; }
    int due() const { return due_; }  // number of questions with a known answer time

    // Closes the question; `found` is kept until the rank's next one.
    void close(int rank, const Arrival& found);
    const Arrival& found(int rank) const { return of(rank).found; }

    // Notes that op `number` of the rank asks, or reads the clock, at `at`. It extends a run of such ops at one time,
    // or begins a new run.
    void note_asking(int rank, Time at, std::uint32_t number);
    // Notes that the answer to `op`, which the rank gets at `at`, was "no".
    void note_no(int rank, Time at, const Op& op);
    // Whether the same question got a "no" in this run. Requires: note_asking().
    bool was_no(int rank, const Op& op) const;
    // Notes that some rank has done something besides asking and computing.
    void note_progress() { in_vain_ = 0; }
    // True if so many answers in a row were "no", with nothing on its way to any rank, that the polling will never end.
    bool polls_forever() const { return in_vain_ >= most_in_vain; }
    void note_futile_poll(std::int64_t polls = 1) { in_vain_ += polls; }
    // Weight of a poll by a host while no other rank can ever go on: the limit is reached that many times earlier.
    static constexpr std::int64_t polls_of_a_host = 100;
    // Notes a "no" to the question whether an op has ended by a time of the rank's own choice.
    void note_not_ended_by(int rank, Time by);
    // True if the rank has asked this so often, without doing anything else or choosing a later time, that the polling
    // will never end. Requires: note_asking().
    bool is_stuck_at_one_time(int rank) const { return asking_.at(rank).standing >= most_in_vain / polls_of_a_host; }

private:
    static constexpr std::int64_t most_in_vain = 10'000'000;

    struct Question {
        Time at = Time::max();
        bool open = false;
        bool later = false;
        Arrival found = {};
    };
    // A run of ops that only ask, at one time.
    struct Asking {
        Time at;
        std::uint32_t next = 0;     // number of the next op
        std::vector<Op> no = {};    // questions answered with "no"
        Time by = {};               // latest time of the rank's own choice
        std::int64_t standing = 0;  // times in a row that it chose no later one
    };

    Question& of(int rank) { return all_[static_cast<std::size_t>(rank)]; }
    const Question& of(int rank) const { return all_[static_cast<std::size_t>(rank)]; }
    void push(int rank);

    std::vector<Question> all_;
    Heap<Event> queue_;                       // possible answers; outdated entries of a rank are skipped
    int due_ = 0;                             // open questions with a known answer time
    std::unordered_map<int, Asking> asking_;  // by rank
    std::unordered_map<int, std::vector<AsyncId>> named_;
    std::int64_t in_vain_ = 0;
};

}  // namespace sim::kernel
