// The simulated GPUs of one process as PyTorch uses them: streams and copies (gpu/), prices (prices/), memory, and what
// its rank does with others. The functions of the seam (table.cpp) call it, one at a time.
#pragma once

#include "libsim/group.hpp"
#include "libsim/training/machine.hpp"
#include "tools/torch/gpu/gpus.hpp"
#include "tools/torch/prices/price_list.hpp"
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
    std::optional<Duration> launch = {};  // what an operator costs the host; the machine's
    bool is_compiled = false;
    // The line of the script that runs; asked for what may wait for other ranks. The argument names an operation that
    // others have to call, too; it is empty where the host waits for what it has called before.
    std::function<std::string(const char* operation)> where = [](const char* /*operation*/) { return std::string(); };
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

    void launch(std::int32_t op, const seam::Value* arguments, std::span<const seam::Value> results,
                seam::Stream stream);
    void copy(const seam::Copy& copy, seam::Stream stream);
    void spin(Duration time, seam::Stream stream);
    // What torch.compile has collected is charged: before others are waited for.
    void settle(seam::Stream stream);

    std::int64_t new_stream() { return ++streams_; }
    seam::Mark record(seam::Stream stream);
    Mark& mark(seam::Mark number) { return marks_.at(number); }
    void forget(seam::Mark number);

    std::int32_t make_group(std::vector<int> members, const std::string& name);
    // `line`: of the script.
    seam::Ticket collective(const seam::Collective& what, const std::string& line);
    void send(const seam::Message& what, const std::string& line);
    seam::Ticket receive(const seam::Message& what, const std::string& line);
    void begin_messages() { side_by_side_.emplace(); }
    void end_messages();
    std::span<const seam::Bytes> take(seam::Ticket ticket);
    std::int32_t source_of(seam::Ticket ticket) const { return tickets_.at(ticket).source; }
    void forget_ticket(seam::Ticket ticket) { tickets_.erase(ticket); }

    // Ranges of the script that are open, as timelines show them: "forward/mm".
    void push_range(const std::string& name) { ranges_ += name + "/"; }
    void pop_range();

private:
    struct Communicator {
        std::vector<int> members;
        std::string name;
        Group group;
    };
    struct Ticket {
        BroughtData brought;
        std::int32_t source = -1;  // of a message: who sent it
        bool is_message = false;
    };

    const char* kept(std::string label) { return labels_.insert(std::move(label)).first->c_str(); }
    const char* label_of(std::string_view name);
    seam::Ticket meet(const Group& group, const Collective& what, seam::Stream stream, std::span<const std::byte> data,
                      Ticket ticket, bool takes);
    seam::Ticket message(const seam::Message& what, int sender, int receiver, const std::string& line);

    ProcessTerms terms_;
    Gpus gpus_;
    prices::PriceList prices_;
    std::int64_t streams_ = 0;
    seam::Mark last_mark_ = 0;
    std::unordered_map<seam::Mark, Mark> marks_;
    std::vector<Communicator> groups_;
    seam::Ticket last_ticket_ = 0;
    std::unordered_map<seam::Ticket, Ticket> tickets_;
    std::vector<seam::Bytes> taken_;
    struct SideBySide {
        std::vector<std::pair<seam::Stream, seam::Stream>> streams;  // theirs, and whose messages they carry
    };
    std::optional<SideBySide> side_by_side_;
    std::string ranges_;
    std::unordered_set<std::string> labels_;
    std::unordered_map<std::string_view, const char*> within_ranges_;
};

}  // namespace sim::torch
