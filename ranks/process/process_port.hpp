// A process port is the rank's end of the process host: it writes ops directly into shared memory, where the supervisor
// finds them.
//
// An op is visible as soon as it is posted; the supervisor is only woken for a question, a payload, or a half-full
// queue.
#pragma once

#include "libsim/names.hpp"
#include "libsim/port.hpp"
#include "ranks/process/arena.hpp"
#include "ranks/process/byte_stream.hpp"
#include "ranks/process/doorbells.hpp"

#include <vector>

namespace sim::ranks {

struct ProcessPortOptions {
    int rank = 0;
    int ranks = 1;
    std::size_t arena_bytes = 0;   // per rank; 0: none
    int looks_before_sleep = 0;    // see doorbells.hpp
    bool answer_every_op = false;  // the rank waits until each op has passed: in wall time, or to be killed on time
};

class ProcessPort final : public Port {
public:
    ProcessPort(RankMemory& memory, const SupervisorMemory& supervisor, Flags& flags, LineEnd line,
                const ProcessPortOptions& options);

    Answer ask(Op op) override;
    Label intern(std::string_view text) override;
    GroupId number(const Group& group) override;
    void write(std::span<const std::byte> payload) override;
    void read(std::span<std::byte> payload) override;
    std::vector<std::span<const std::byte>> gathered() override;
    void report(Label name, std::span<const double> values) override;
    void progress(double share_done) override;

    // Posts the last op, when the program has returned.
    void finish();

private:
    void make_room() override;
    void publish();
    Answer wait_for_answer();
    bool lay_out_payload(std::span<const std::byte> payload);
    template <class Ready>
    void sleep(Ready ready) {
        sleep_until(*memory_, options_.looks_before_sleep, ready);
    }
    void ring() {
        flags_->raise(rank());
        ring_supervisor(*supervisor_, line_);
    }
    // Posts one of our own ops, which is never answered.
    void post_definition(OpKind kind, Label label, std::span<const std::byte> payload, std::int32_t number = 0);

    RankMemory* memory_;
    const SupervisorMemory* supervisor_;
    Flags* flags_;
    LineEnd line_;
    RankArenas arenas_;
    ProcessPortOptions options_;
    StreamWriter out_;
    StreamReader in_;
    Names names_;
    Groups groups_;
    std::uint64_t written_ = 0;
    std::uint64_t read_ = 0;  // as last seen
    std::uint64_t questions_ = 0;
    ArenaBlocks blocks_;
    std::uint64_t released_ = 0;
    std::vector<std::byte> gathered_;  // of the last take: the payloads that are in no arena
    bool brings_ = false;              // it contributes data to the next collective
    std::uint64_t answer_place_ = 0;   // place of the last answer's payload, from 1; 0: in the stream
};

}  // namespace sim::ranks
