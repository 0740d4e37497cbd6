#include "ranks/lab/call_sites.hpp"

#include <boost/interprocess/anonymous_shared_memory.hpp>
#include <boost/interprocess/exceptions.hpp>

#include <new>
#include <utility>

namespace sim::lab {

namespace {

// The kernel numbers these ops, from 0 in each rank.
bool has_number(const Op& op) {
    switch (op.kind) {
        case OpKind::compute:
        case OpKind::send:
        case OpKind::receive:
        case OpKind::wait:
        case OpKind::collective:
        case OpKind::look:
        case OpKind::now: return true;
        case OpKind::test: return !names_one_of_several(op);
        case OpKind::checkpoint: return !only_tells_of_step(op);
        default: return false;
    }
}

}  // namespace

// Has room for a single op, so that it sees every op.
class NotingPort final : public Port {
public:
    NotingPort(Port& port, CallSites& sites) : Port(port.rank(), port.ranks()), port_(&port), sites_(&sites) {
        next_ = &slot_;
        end_ = &slot_ + 1;
    }

    Answer ask(Op op) override {
        note(op);
        return port_->ask(op);
    }
    Label intern(std::string_view text) override { return port_->intern(text); }
    GroupId number(const Group& group) override { return port_->number(group); }
    void write(std::span<const std::byte> payload) override { port_->write(payload); }
    void read(std::span<std::byte> payload) override { port_->read(payload); }
    std::vector<std::span<const std::byte>> gathered() override { return port_->gathered(); }
    void report(Label name, std::span<const double> values) override { port_->report(name, values); }
    void progress(double share_done) override { port_->progress(share_done); }

private:
    void make_room() override {
        note(slot_);
        port_->post(slot_);
        next_ = &slot_;
    }

    void note(const Op& op) {
        CallSites::Noted& noted = sites_->place(rank(), numbered_);
        noted = {.op_number = numbered_, .is_there = true, .site = {}};
        sites_->find_(noted.site);
        numbered_ += has_number(op) ? 1U : 0U;
    }

    Port* port_;
    CallSites* sites_;
    Op slot_;
    std::uint32_t numbered_ = 0;
};

CallSites::CallSites(int ranks, FindCallSite find) : find_(std::move(find)) {
    try {
        memory_ = boost::interprocess::anonymous_shared_memory(sizeof(Noted) * kept * static_cast<std::size_t>(ranks));
    } catch (const boost::interprocess::interprocess_exception&) {
        throw std::bad_alloc();
    }
}

CallSites::Noted& CallSites::place(int rank, std::uint32_t op_number) const {
    return static_cast<Noted*>(memory_.get_address())[static_cast<std::size_t>(rank) * kept + op_number % kept];
}

std::unique_ptr<Port> CallSites::before(Port& port) {
    return std::make_unique<NotingPort>(port, *this);
}

std::optional<std::uint32_t> CallSites::last_op(int rank) const {
    std::optional<std::uint32_t> last;
    for (std::uint32_t slot = 0; slot < kept; ++slot) {
        const Noted& noted = place(rank, slot);
        if (noted.is_there && (!last || noted.op_number > *last)) {
            last = noted.op_number;
        }
    }
    return last;
}

void add_last_op(ranks::Fault& fault, const CallSites& sites) {
    if (fault.failure != ranks::Failure::rank_hung || fault.rank < 0 || !fault.ops.empty()) {
        return;
    }
    if (const std::optional<std::uint32_t> last = sites.last_op(fault.rank)) {
        fault.ops.push_back({.rank = fault.rank, .op_number = *last, .what = "its last operation"});
    }
}

CallSite CallSites::of(int rank, std::uint32_t op_number) const {
    const Noted& noted = place(rank, op_number);
    return noted.is_there && noted.op_number == op_number ? noted.site : CallSite{};
}

}  // namespace sim::lab
