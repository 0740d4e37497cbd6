// Questions are what ranks ask about messages that they have not received: what is there by now, or who is first.
//
// The answer must be that of simulated time, whichever process is faster. So a question is answered when no rank can go
// on without one: what is not sent by then is sent by ranks that go on after the answer, and comes no earlier. Of all
// questions, the one whose answer has the earliest time is answered, ties by rank. What a rank knows for certain is
// answered at once: a message of a named source, an asynchronous op whose end is known.
//
// Who asks which of several ops ends first waits until then. Other questions take no time, or as long as they say. A
// rank that gets "no" twice at one time to the same question, and has done nothing but ask in between, moves on to the
// next time at which something of its own is there: a message, or the end of an asynchronous op. So a loop that only
// asks waits, and ends as a deadlock where nothing can come any more.
//
// Who asks by a time of its own choice stays where it is, and chooses the next one itself. It is told "no" as if it
// issued nothing for that time or an earlier one afterwards. Cost: a question O(log ranks), and O(sources that ever
// sent) for any source.
#pragma once

#include "libsim/arrival.hpp"
#include "libsim/heap.hpp"
#include "libsim/kernel/event_queue.hpp"
#include "libsim/kernel/ids.hpp"
#include "libsim/op.hpp"

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace sim::kernel {

class Questions {
public:
    struct Due {
        Time at;
        int rank = -1;
    };

    explicit Questions(int ranks) : all_(static_cast<std::size_t>(ranks)) {}

    // `rank` asks; at `at` it can be answered: Time::max() as long as that is not known. `later`: as the last answer
    // was "no", not before something new is there.
    void ask(int rank, Time at, bool later);
    bool is_open(int rank) const { return of(rank).open; }
    // The rank waits for something new, after a "no".
    bool is_later(int rank) const { return of(rank).later; }
    // The answer of an open question can be given at `at`, if not before.
    void may_answer(int rank, Time at);
    // One of the ops that the rank's next question is about; and all of them, in the order named.
    void name(int rank, AsyncId op) { named_[rank].push_back(op); }
    const std::vector<AsyncId>& named(int rank) const { return named_.at(rank); }
    // The next to be answered; none: nothing is known that answers one.
    std::optional<Due> first();
    bool any_due() const { return due_ > 0; }
    int due() const { return due_; }  // how many can be answered at a time that is known

    // The question is answered; `found` is kept until the next one of this rank.
    void close(int rank, const Arrival& found);
    const Arrival& found(int rank) const { return of(rank).found; }

    // The rank asks, or looks at its clock, at `at`, in its op of that number: the next of those that do nothing else,
    // or the first.
    void note_asking(int rank, Time at, std::uint32_t number);
    // The answer to the question, which the rank then has at `at`, was "no".
    void note_no(int rank, Time at, const Op& op);
    // Whether that was the answer to one of these ops. Requires: note_asking().
    bool was_no(int rank, const Op& op) const;
    // Some rank has done something besides asking and computing.
    void note_progress() { in_vain_ = 0; }
    // So many answers were "no" in a row, with nothing on its way to anybody, that there is no end to it.
    bool without_end() const { return in_vain_ >= most_in_vain; }
    void note_in_vain(std::int64_t polls = 1) { in_vain_ += polls; }
    // Nobody else can ever go on while a host asks again and again: it is taken to do so for ever so much earlier.
    static constexpr std::int64_t polls_of_a_host = 100;
    // Whether something has ended by a time of the rank's own choice: it had not.
    void note_no_by(int rank, Time by);
    // The rank has asked so for so long, without doing anything else and without choosing a later time, that there is
    // no end to it. Requires: note_asking().
    bool stands_still(int rank) const { return asking_.at(rank).standing >= most_in_vain / polls_of_a_host; }

private:
    static constexpr std::int64_t most_in_vain = 10'000'000;

    struct Question {
        Time at = Time::max();
        bool open = false;
        bool later = false;
        Arrival found = {};
    };
    // Ops in a row that only ask, at one time.
    struct Asking {
        Time at;
        std::uint32_t next = 0;   // the number of the next op
        std::vector<Op> no = {};  // those that were answered so
        Time by = {};             // the latest time of its own choice, and how often it was that
        std::int64_t standing = 0;
    };

    Question& of(int rank) { return all_[static_cast<std::size_t>(rank)]; }
    const Question& of(int rank) const { return all_[static_cast<std::size_t>(rank)]; }
    void push(int rank);

    std::vector<Question> all_;
    Heap<Event> queue_;                       // of answers that can be given; older entries of a rank count no more
    int due_ = 0;                             // how many
    std::unordered_map<int, Asking> asking_;  // by rank
    std::unordered_map<int, std::vector<AsyncId>> named_;
    std::int64_t in_vain_ = 0;
};

}  // namespace sim::kernel
