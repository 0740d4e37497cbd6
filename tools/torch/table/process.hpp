// The simulated GPUs of one process as PyTorch uses them: streams and copies (gpu/), prices (prices/), memory, and
// operations with other ranks. The functions of the seam (table.cpp) call it, one at a time.
#pragma once

#include "libsim/group.hpp"
#include "libsim/training/machine.hpp"
#include "tools/torch/gpu/gpus.hpp"
#include "tools/torch/prices/price_list.hpp"
#include "tools/torch/prices/work.hpp"
#include "tools/torch/seam.hpp"
#include "tools/torch/table/memory.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace sim::torch {

struct ProcessTerms {
    training::Machine machine;
    int home = 0;                           // index of this rank's GPU in the node
    std::optional<int> flash_version = {};  // none: as PyTorch chooses its kernels
    std::optional<Duration> launch = {};    // host time of an operator or a call; none: the machine's
    bool is_compiled = false;
    // The ranks that run and stand for all others, ascending. Empty: all ranks run.
    std::vector<int> running = {};
    // For each rank, the running rank that does the same. Empty: all ranks run.
    std::vector<int> acting = {};
    // The current line of the script, requested before anything that may wait for other ranks. The argument names an
    // operation that others must call, too; it is empty if the host waits for an earlier call. Throws ProgramError if
    // that operation is refused.
    std::function<std::string(const char* operation)> where = [](const char* /*operation*/) { return std::string(); };
    // The current line of the script, at any time.
    std::function<std::string()> line = [] { return std::string(); };
    // Called when the host continues after a wait that where() announced.
    std::function<void()> went_on = [] {};
};

class Process {
public:
    Process(GPU& gpu, ProcessTerms terms);
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    int home() const { return terms_.home; }
    Gpus& gpus() { return gpus_; }
    prices::PriceList& prices() { return prices_; }
    const std::function<std::string(const char*)>& where() const { return terms_.where; }
    const std::function<std::string()>& line() const { return terms_.line; }
    const std::function<void()>& went_on() const { return terms_.went_on; }

    void launch(std::int32_t op, const seam::Value* arguments, std::span<const seam::Value> results,
                seam::Stream stream);
    void copy(const seam::Copy& copy, seam::Stream stream);
    // A tensor takes this much of a GPU's memory, or frees it if negative. `line` is the script's.
    void hold(int device, std::int64_t bytes, const std::string& line);
    void spin(Duration time, seam::Stream stream);
    // Switches torch.compile's fusion of operators on or off.
    void compile(bool is_compiled, seam::Stream stream);
    bool is_compiled() const { return terms_.is_compiled; }
    // Marks operators from now on as recomputation for a backward pass, or not.
    void recompute(bool is_recomputed) { is_recomputed_ = is_recomputed; }
    // Whether launches belong to an optimizer.
    bool is_in_optimizer = false;
    // Reports the end of an optimizer's step to the launcher's account of steps; returns its place on the compute
    // stream.
    seam::Mark end_step(std::int64_t optimizer);
    // The matrix products launched on the GPU so far, those of launched CUDA graphs included.
    const prices::Tally& tally() const { return tally_; }
    // Charges the operators that torch.compile has collected. Call it before waiting for others.
    void settle(seam::Stream stream);

    std::int64_t new_stream() { return gpus_.new_stream(); }
    seam::Mark record(seam::Stream stream);
    Mark& mark(seam::Mark number) { return marks_.at(number); }
    void forget(seam::Mark number);

    // The work that streams have executed while watched, with its times. Valid until the next call.
    std::span<const seam::Seen> seen();

    // CUDA graphs. Operators that torch.compile has collected are charged before a capture begins and before it ends.
    void begin_capture(seam::Stream stream, bool is_relaxed);
    std::int64_t end_capture(seam::Stream stream);
    void begin_launch(std::int64_t graph, seam::Stream stream);

    std::int32_t make_group(std::vector<int> members, const std::string& name);
    // The member that acts for this one: itself if it runs.
    std::int32_t acting(std::int32_t group, std::int32_t member) const;
    // `line` is the script's.
    seam::Ticket collective(const seam::Collective& what, const std::string& line);
    void send(const seam::Message& what, const std::string& line);
    seam::Ticket receive(const seam::Message& what, const std::string& line);
    // The sender of a host message that has not been received yet; none if there is no such message by now.
    std::optional<std::int32_t> sender(std::int32_t group, std::int32_t tag, bool waits);
    void begin_messages() { side_by_side_.emplace(); }
    void end_messages();
    // The collectives among several ranks so far.
    struct Called {
        CollectiveKind kind;
        std::int64_t bytes;
        int members;
    };
    const std::vector<Called>& collectives() const { return called_; }
    std::span<const seam::Bytes> take(seam::Ticket ticket);
    std::int32_t source_of(seam::Ticket ticket) const { return tickets_.at(ticket).source; }
    void forget_ticket(seam::Ticket ticket) { tickets_.erase(ticket); }

    // The last unsupported operation that the program requested; empty: none.
    void note_refusal(std::string why) { refusal_ = std::move(why); }
    const std::string& refusal() const { return refusal_; }
    // The ranks that would have to run, if a message with a folded rank ended the program.
    const std::vector<int>& missed() const { return missed_; }

    // Open ranges of the script, which prefix labels in timelines: "forward/mm".
    void push_range(const std::string& name) {
        ranges_ += name + "/";
        within_ranges_.clear();
    }
    void pop_range();

private:
    struct Communicator {
        std::vector<int> members;
        std::string name;
        std::vector<int> running;
        std::vector<std::size_t> sources;  // for each member, index of the running member that stands for it
        Group group;                       // the running members, at the price of all
    };
    struct Ticket {
        BroughtData brought;
        std::optional<std::vector<std::byte>> own = {};  // used instead if no other member of the group runs
        std::int32_t source = -1;                        // sender of a message
        bool is_message = false;
        std::size_t group = 0;
    };

    void hand_over(std::span<const prices::Kernel> kernels, seam::Stream stream);
    const char* kept(std::string label) { return labels_.insert(std::move(label)).first->c_str(); }
    // Keyed by the name's address: names live as long as this object.
    const char* label_of(std::string_view name);
    bool runs(int rank) const;
    void require_running(bool sends, int rank, const Communicator& group);
    [[noreturn]] void refuse(std::string why);
    seam::Ticket meet(const Group& group, const Collective& what, seam::Stream stream, std::span<const std::byte> data,
                      Ticket ticket, bool takes);
    StreamName computing() const { return {terms_.home, 0}; }
    int rank_in(const Communicator& group, int rank) const;
    Tag announcement(const Communicator& group, int tag) const;
    void announce(const Communicator& group, int receiver, int tag);
    void expect(const Communicator& group, int sender, int tag);
    seam::Ticket message(const seam::Message& what, int sender, int receiver, const std::string& line);

    ProcessTerms terms_;
    Gpus gpus_;
    prices::PriceList prices_;
    prices::Tally tally_;
    prices::Tally captured_;  // of the graph that is being captured
    std::unordered_map<std::int64_t, prices::Tally> of_graphs_;
    bool is_recomputed_ = false;
    seam::Mark last_mark_ = 0;
    std::unordered_map<seam::Mark, Mark> marks_;
    std::vector<Communicator> groups_;
    std::vector<Called> called_;
    seam::Ticket last_ticket_ = 0;
    std::unordered_map<seam::Ticket, Ticket> tickets_;
    std::vector<seam::Bytes> taken_;
    std::vector<std::byte> own_taken_;
    std::vector<seam::Seen> seen_;
    struct SideBySide {
        std::vector<std::pair<seam::Stream, seam::Stream>> streams;  // a message's own, and the one that it belongs to
    };
    std::optional<SideBySide> side_by_side_;
    std::string refusal_;
    std::vector<int> missed_;
    std::string ranges_;
    std::unordered_set<std::string> labels_;
    std::unordered_map<const char*, const char*> within_ranges_;
};

// The functions of the seam, implemented by the simulated GPUs of this process. A process has one PyTorch and one set
// of GPUs: the table is made once, before PyTorch is imported, and its functions use the process's rank when there is
// one. Without a rank, as in the process that starts ranks, they fail with an error.
//
// The table of a process that sees the GPUs of one node of this machine. It lives as long as the process; the next call
// changes it to another machine. `is_hollow`: nothing is computed on its GPUs. Requires: none of their memory is
// reserved.
const seam::Gpu& table_for(const training::Machine& machine, bool is_hollow = false);
// Makes this process the rank; null: not a rank any more. Requires: table_for was called.
void be(Process* process);

}  // namespace sim::torch
