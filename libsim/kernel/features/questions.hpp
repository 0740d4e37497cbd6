// Questions are the ranks' queries about messages not yet received and asynchronous ops: which have arrived or ended by
// now, and which is first.
//
// The answer must be the one of simulated time, whichever process is faster. So a question is answered when no rank can
// go on without an answer: a message not sent by then is sent by a rank that goes on after the answer, and arrives no
// earlier. The question whose answer has the earliest time is answered first, ties by rank. Certain answers are given
// at once: a message from a named source, an asynchronous op whose end is known.
//
// A rank that asks which of several ops ends first waits until that end. Other questions take no time, or the time that
// they state. A rank that gets "no" twice at one time to the same question, with only questions in between, moves on to
// the next time at which a message reaches it or an asynchronous op of its own ends. So a loop that only asks waits,
// and ends as a deadlock if nothing more can come.
//
// A rank that asks by a time of its own choice stays at its own time and chooses the next one itself. A "no" assumes
// that it issues nothing afterwards for that time or an earlier one. It is answered at once if the answer is certain,
// and otherwise like all questions: at that time, when no rank can go on without an answer.
//
// (1) Only the asking rank changes here: its op number, its clock up to the answer, its delivery, and what it is
//     blocked in. Whoever calls lets the rank go on.
// (2) A question that is not due yet is reconsidered when a message is sent to its rank, or an op of its rank ends.
// Cost: O(log ranks) per question; for any source also O(sources that ever sent).
#pragma once

#include "libsim/arrival.hpp"
#include "libsim/kernel/features/open_questions.hpp"
#include "libsim/kernel/parts/matching.hpp"
#include "libsim/kernel/parts/rank_state.hpp"
#include "libsim/kernel/parts/transfers.hpp"
#include "libsim/op.hpp"

#include <optional>

namespace sim::kernel {

class Questions {
public:
    using Due = OpenQuestions::Due;

    // All of these must outlive this object.
    Questions(Ranks& ranks, Matching& matching, const Transfers& transfers);

    // The program asks. True: it has its answer. False: it is blocked until it gets one, no earlier than `earliest` if
    // the question is for a time of its own choice. Requires: not a TestOf::end_of_one, which waits for nothing but an
    // end. Throws ProgramError for an op that the program has already joined.
    bool ask(int rank, const Op& op, Time earliest);
    // The program does an op that only reads, at its clock: it extends a run of asking.
    void note_reading(int rank);

    // A message that no receive waits for yet arrives at `at`, and may answer a question of its target.
    void note_message(int source, const Op& send, Time at);
    // The end of an op of the rank is known, and may answer its question.
    void note_end(int rank, Time at);
    // Some rank has done something besides asking and computing.
    void note_progress() { open_.note_progress(); }
    // The end of `joinable` is known, and answers the rank's TestOf::one_by.
    void answer_by_end(int rank, const Joinable& joinable);

    // The next question to answer; none: no question has a known answer time.
    std::optional<Due> first() { return open_.first(); }
    bool any_due() const { return open_.any_due(); }
    // Answers it, and returns its rank, which then goes on. `others_may`: others may go on without asking.
    // Requires: first(), and no rank can go on without an answer.
    int answer_first(bool others_may);
    // The message or op found by the rank's last question. Requires: the answer was not "no".
    const Arrival& found(int rank) const { return open_.found(rank); }

private:
    // One of the ops that a question names, and the time at which the rank may learn of its end.
    struct Ended {
        Time at;
        std::size_t index;
    };
    // A message that a question finds, its arrival time, and the time at which its sender began.
    struct Found {
        Time at;
        Time begin;
        Arrival arrival;
    };

    std::optional<Time> arrival_time(const Message& message) const;
    std::optional<Found> first_found(int rank, const Op& look, Time by);
    Time next_own_event(int rank, Time after);
    std::optional<Ended> first_to_end(int rank);
    bool answer_at_once(int rank, const Op& op, std::uint32_t number);
    Time time_of_answer(int rank, const Op& op, bool later);
    void answer(int rank, Time at, Duration idle, const Arrival& found);
    void answer_first_to_end(int rank, const Ended& first);

    // ended_by.cpp
    bool ask_whether_ended(int rank, const Op& op, Time earliest);
    void answer_by(int rank, Time by, bool has_ended);
    void answer_not_by(int rank, bool others_may);

    Ranks* ranks_;
    Matching* matching_;
    const Transfers* transfers_;
    OpenQuestions open_;
};

}  // namespace sim::kernel
