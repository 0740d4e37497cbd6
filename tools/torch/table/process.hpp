// The simulated GPUs of one process as PyTorch uses them: streams and copies (gpu/), prices (prices/), memory, and what
// its rank does with others. The functions of the seam (table.cpp) call it, one at a time.
#pragma once

#include "libsim/group.hpp"
#include "libsim/training/machine.hpp"
#include "tools/torch/gpu/gpus.hpp"
#include "tools/torch/prices/price_list.hpp"
#include "tools/torch/prices/tally.hpp"
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
    int home = 0;  // which of the node's GPUs is this rank's
    int flash_version = training::flash_version_of_torch;
    std::optional<Duration> launch = {};  // what an operator, or a call, costs the host; the machine's
    bool is_compiled = false;
    // The ranks that run, ascending, in the place of all others. Empty: all of them run.
    std::vector<int> running = {};
    // By rank, which of those that run does the same. Empty: all of them run.
    std::vector<int> acting = {};
    // The line of the script that runs; asked for what may wait for other ranks. The argument names an operation that
    // others have to call, too; it is empty where the host waits for what it has called before. Throws ProgramError
    // where that operation is refused.
    std::function<std::string(const char* operation)> where = [](const char* /*operation*/) { return std::string(); };
    // The line of the script that runs, whatever it does.
    std::function<std::string()> line = [] { return std::string(); };
    // The host has gone on after it was asked where it waits.
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
    // A tensor holds so much of a GPU's memory, or no longer; `line`: of the script.
    void hold(int device, std::int64_t bytes, const std::string& line);
    void spin(Duration time, seam::Stream stream);
    // From here on operators are what torch.compile makes of them, or they are not.
    void compile(bool is_compiled, seam::Stream stream);
    bool is_compiled() const { return terms_.is_compiled; }
    // Operators from here on are computed once more, for a backward pass, or they are not.
    void recompute(bool is_recomputed) { is_recomputed_ = is_recomputed; }
    // Whether what is launched is an optimizer's.
    bool is_in_optimizer = false;
    // An optimizer has stepped: a place on the stream that computes, of which the launcher's account of steps is told.
    seam::Mark end_step(std::int64_t optimizer);
    // What the GPU has been given to multiply so far; of CUDA graphs what was launched.
    const prices::Tally& tally() const { return tally_; }
    // What torch.compile has collected is charged: before others are waited for.
    void settle(seam::Stream stream);

    std::int64_t new_stream() { return gpus_.new_stream(); }
    seam::Mark record(seam::Stream stream);
    Mark& mark(seam::Mark number) { return marks_.at(number); }
    void forget(seam::Mark number);

    // What streams have carried out while they were watched, with its times. Valid until the next call.
    std::span<const seam::Seen> seen();

    // CUDA graphs: what torch.compile has collected is charged before a capture begins and before it ends.
    void begin_capture(seam::Stream stream, bool is_relaxed);
    std::int64_t end_capture(seam::Stream stream);
    void begin_launch(std::int64_t graph, seam::Stream stream);

    std::int32_t make_group(std::vector<int> members, const std::string& name);
    // The member that acts for this one: another, where it does not run.
    std::int32_t acting(std::int32_t group, std::int32_t member) const;
    // `line`: of the script.
    seam::Ticket collective(const seam::Collective& what, const std::string& line);
    void send(const seam::Message& what, const std::string& line);
    seam::Ticket receive(const seam::Message& what, const std::string& line);
    // Whose message on the host nobody has asked for; nothing: none is there by now.
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

    // What the program has asked for last that is not simulated; empty: nothing.
    void note_refusal(std::string why) { refusal_ = std::move(why); }
    const std::string& refusal() const { return refusal_; }
    // The ranks that have to run for the program to go on, where it ended by a message with one that does not.
    const std::vector<int>& missed() const { return missed_; }

    // Ranges of the script that are open, as timelines show them: "forward/mm".
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
        std::vector<std::size_t> sources;  // for each member, which of those that run stands for it
        Group group;                       // of those that run, at the price of all
    };
    struct Ticket {
        BroughtData brought;
        std::optional<std::vector<std::byte>> own = {};  // in its place, where nobody else of the group runs
        std::int32_t source = -1;                        // of a message: who sent it
        bool is_message = false;
        std::size_t group = 0;
    };

    void hand_over(std::span<const prices::Kernel> kernels, seam::Stream stream);
    const char* kept(std::string label) { return labels_.insert(std::move(label)).first->c_str(); }
    // A name lives as long as this, and so its address stands for it.
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
        std::vector<std::pair<seam::Stream, seam::Stream>> streams;  // theirs, and whose messages they carry
    };
    std::optional<SideBySide> side_by_side_;
    std::string refusal_;
    std::vector<int> missed_;
    std::string ranges_;
    std::unordered_set<std::string> labels_;
    std::unordered_map<const char*, const char*> within_ranges_;
};

}  // namespace sim::torch
