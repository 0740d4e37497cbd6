// This is the port of a rank in the same process as the run: labels, groups and data go directly to the run. How its
// ops get there is up to the host.
#pragma once

#include "libsim/port.hpp"
#include "ranks/host/run.hpp"

namespace sim::ranks {

class RunPort : public Port {
public:
    // Requires: the run outlives the port.
    RunPort(int rank, Run& run) : Port(rank, run.options->ranks), run_(&run) {}

    Label intern(std::string_view text) override { return run_->names.intern(text); }
    GroupId number(const Group& group) override { return run_->groups.number(group); }
    void write(std::span<const std::byte> payload) override;
    void read(std::span<std::byte> payload) override;
    std::vector<std::span<const std::byte>> gathered() override;
    void report(Label name, std::span<const double> values) override;
    void progress(double share_done) override { run_->progress(rank(), share_done); }

protected:
    Run& run() { return *run_; }
    // Posts an op as a question; once the kernel has reached it, there is an answer.
    void post_question(Op op);
    Answer answer() const;
    void give_back_gathered();

private:
    Run* run_;
    Op asked_ = {};  // the last question
    std::shared_ptr<const kernel::Contributions> lent_;
};

}  // namespace sim::ranks
