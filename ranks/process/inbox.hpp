// An inbox holds what the supervisor has received from one rank: its ops, copied, checked and renumbered, and its
// payloads.
//
// Nothing that a rank writes is trusted: a rank that breaks the rules causes a Violation here and does not disturb
// other ranks.
#pragma once

#include "ranks/host/run.hpp"
#include "ranks/process/arena.hpp"
#include "ranks/process/byte_stream.hpp"

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace sim::ranks {

class Inbox {
public:
    Inbox(int rank, RankMemory& memory, Arenas& arenas, Run& run);

    struct Violation : std::runtime_error {
        using std::runtime_error::runtime_error;
    };

    // Fetches the rank's posted ops. True if anything is new. Throws Violation.
    bool fetch();
    // Ops fetched but not yet taken by the kernel.
    std::span<const Op> waiting() const { return std::span(ops_).subspan(taken_); }
    void take(std::size_t ops);

    // Sends the rank the answer to its last question; `payload` goes with it, over several calls of pump() if it is
    // longer than the stream, or as the place of its block.
    void answer(Time at, Payload payload);
    // The same for the data that the rank takes of `gathering`; its payloads stay in run.payloads until the rank has
    // read them.
    void answer_with(Time at, std::shared_ptr<const kernel::Contributions> gathering);
    // The last gathering, once the rank has read it; returned once.
    std::shared_ptr<const kernel::Contributions> gathering_read();
    // The block of the last answer, once the rank has read it and nobody else needs it; returned once.
    std::optional<Block> block_read();
    // Lets the rank reuse that block of its arena.
    void release(std::size_t offset);
    // Moves payload bytes in both directions. True if any moved. Throws Violation.
    bool pump();

    const Op* last_op() const { return has_op_ ? &last_op_ : nullptr; }
    const char* last_words();
    // The resource whose lack ended the rank's program, as the rank reports it.
    Lack lack() const { return memory_->lack.load(std::memory_order_relaxed); }
    // The rank's own progress report; invalid values are 0.
    double share_done() const;

private:
    bool fetch_ops();
    bool fetch_bytes();
    void accept(Op op);
    void define(const Op& op);
    Payload take_payload(const Op& op);
    std::vector<std::byte> take_bytes(const Op& op);
    void lay_out_next(const Op& op);
    std::uint64_t place_for_rank(const Payload& payload);
    std::span<const std::byte> bytes_of(const Payload& payload);
    void pass_on_releases();
    void check_numbers(Op& op) const;
    void check_stream(const Op& op) const;
    [[noreturn]] void violated(const char* rule) const;

    int rank_;
    RankMemory* memory_;
    Arenas* arenas_;
    Run* run_;
    StreamReader out_;
    StreamWriter in_;
    std::uint64_t read_ = 0;
    std::uint64_t answers_ = 0;
    std::vector<Op> ops_;
    std::size_t taken_ = 0;
    std::vector<std::byte> received_;  // payload bytes of ops still to come
    std::vector<std::byte> outgoing_;  // payload of the last answer
    std::size_t outgoing_done_ = 0;
    std::optional<Block> laid_out_;  // the next payload, whose op is still to come
    std::optional<Block> lent_;      // block of the last answer, until the rank continues
    std::optional<Block> read_block_;
    std::shared_ptr<const kernel::Contributions> lent_gathering_;
    std::shared_ptr<const kernel::Contributions> read_gathering_;
    std::deque<std::size_t> releases_;  // waiting for room in the rank's memory
    std::uint64_t released_ = 0;
    std::vector<Label> labels_{Label::none};  // maps the rank's numbers to ours
    std::vector<GroupId> groups_{GroupId::world};
    Op last_op_;
    bool has_op_ = false;
};

}  // namespace sim::ranks
