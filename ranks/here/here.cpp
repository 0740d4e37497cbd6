#include "ranks/here.hpp"

#include "libsim/error.hpp"
#include "ranks/host/run_port.hpp"

#include <unistd.h>

#include <array>
#include <stdexcept>

namespace sim::ranks {

namespace {

constexpr std::size_t ops_at_once = 1024;

// The limits of a fiber apply: the rank cannot be killed, and its process is this one.
LaunchOptions of_this_thread(LaunchOptions options) {
    check_options(options);
    if (options.ranks != 1 || options.clock != Clock::virtual_time) {
        throw std::invalid_argument("this thread is one rank, in virtual time");
    }
    options.host = Host::fiber;
    return options;
}

// Between calls it is the program's turn: the kernel waits for its next op.
class HerePort final : public RunPort {
public:
    explicit HerePort(Run& its_run) : RunPort(0, its_run) {
        next_ = slots_.data();
        end_ = slots_.data() + slots_.size();
        take_turn();
    }

    Answer ask(Op op) override {
        post_question(op);
        make_room();
        return answer();
    }

    void make_room() override {
        hand_over();
        require_turn();
    }
    void finish() {
        give_back_gathered();
        post({.kind = OpKind::finish});
        hand_over();
        run().end_by_standstill();
    }
    // Lets the kernel take posted ops, as far as the rank can go.
    void hand_over() {
        std::span<const Op> waiting(slots_.data(), next_);
        next_ = slots_.data();
        try {
            while (has_turn_ && !run().fault && !waiting.empty()) {
                waiting = waiting.subspan(run().kernel.accept(rank(), run().kernel.at_once(rank(), waiting)));
                take_turn();
            }
        } catch (const std::overflow_error& error) {
            run().fail_by_overflow(rank(), error);
        }
        run().tell_log();
    }

private:
    void take_turn() {
        do {
            has_turn_ = run().kernel.next_turn().has_value();
        } while (has_turn_ && run().kernel.apply(rank()));
    }

    void require_turn() {
        if (!has_turn_ && !run().fault) {
            run().end_by_standstill();
        }
        if (run().fault) {
            throw ProgramError(run().fault->message);
        }
    }

    std::array<Op, ops_at_once> slots_;
    bool has_turn_ = false;
};

}  // namespace

class Here::World {
public:
    explicit World(LaunchOptions options)
        : options_(of_this_thread(std::move(options))), run_(options_, kernel::Order::any), port_(run_), gpu_(port_) {
        run_.begin_with({static_cast<int>(getpid())});
    }

    GPU& gpu() { return gpu_; }
    HerePort& port() { return port_; }
    Run& run() { return run_; }

private:
    LaunchOptions options_;
    Run run_;
    HerePort port_;
    GPU gpu_;
};

Here::Here(LaunchOptions options) : world_(std::make_unique<World>(std::move(options))) {}
Here::~Here() = default;

GPU& Here::gpu() {
    return world_->gpu();
}

Result Here::so_far() {
    if (!world_->run().fault) {
        world_->port().hand_over();
    }
    return world_->run().result();
}

Result Here::end() {
    if (!world_->run().fault) {
        world_->port().finish();
    }
    return world_->run().result();
}

}  // namespace sim::ranks
