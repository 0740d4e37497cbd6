#include "libsim/kernel/features/open_questions.hpp"

#include <algorithm>

namespace sim::kernel {

namespace {

bool is_same_question(const Op& a, const Op& b) {
    return a.kind == b.kind && a.peer == b.peer && a.tag == b.tag && a.amount == b.amount;
}

}  // namespace

void OpenQuestions::ask(int rank, Time at, bool later) {
    Question& question = of(rank);
    question.open = true;
    question.later = later;
    question.at = at;
    if (at != Time::max()) {
        ++due_;
        push(rank);
    }
}

void OpenQuestions::may_answer(int rank, Time at) {
    Question& question = of(rank);
    // The heap keeps the former entry: first() skips every entry whose time is no longer the question's.
    if (at < question.at) {
        due_ += question.at == Time::max() ? 1 : 0;
        question.at = at;
        push(rank);
    }
}

void OpenQuestions::push(int rank) {
    queue_.push({of(rank).at, rank, 0});
}

std::optional<OpenQuestions::Due> OpenQuestions::first() {
    while (!queue_.empty()) {
        const Event& top = queue_.top();
        const Question& question = of(top.rank);
        if (question.open && question.at == top.at) {
            return Due{top.at, top.rank};
        }
        queue_.pop();
    }
    return std::nullopt;
}

void OpenQuestions::close(int rank, const Arrival& found) {
    Question& question = of(rank);
    due_ -= question.open && question.at != Time::max() ? 1 : 0;
    question.open = false;
    question.found = found;
    named_.erase(rank);
}

void OpenQuestions::note_asking(int rank, Time at, std::uint32_t number) {
    Asking& asking = asking_[rank];
    // Any other op in between takes a number, so a gap ends the run.
    if (asking.at != at || asking.next != number) {
        asking = {at};
    }
    asking.next = number + 1;
}

void OpenQuestions::note_no(int rank, Time at, const Op& op) {
    Asking& asking = asking_[rank];
    if (asking.at != at) {
        asking.at = at;
        asking.no.clear();
    }
    if (!was_no(rank, op)) {
        asking.no.push_back(op);
    }
}

void OpenQuestions::note_not_ended_by(int rank, Time by) {
    Asking& asking = asking_[rank];
    asking.standing = by > asking.by ? 0 : asking.standing + 1;
    asking.by = std::max(asking.by, by);
}

bool OpenQuestions::was_no(int rank, const Op& op) const {
    const std::vector<Op>& no = asking_.at(rank).no;
    return std::any_of(no.begin(), no.end(), [&](const Op& asked) { return is_same_question(asked, op); });
}

}  // namespace sim::kernel
