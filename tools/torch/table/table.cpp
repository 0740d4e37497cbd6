#include "tools/torch/table/process.hpp"

#include "libsim/error.hpp"

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace sim::torch {

namespace {

struct State {
    Memory memory;
    std::string name;
    seam::Properties properties;
    seam::Gpu table;
    std::mutex mutex;
    Process* process = nullptr;
};

// Global, because the functions of a C table have no other way to find it.
State* state = nullptr;
thread_local std::string last_error;
thread_local std::int32_t last_number = 0;

constexpr const char* no_rank =
    "this process is not a rank: give --nproc N, or let the script start its ranks with torch.multiprocessing.spawn";

// Runs `call` for the process and returns its answer; returns `failed` if it throws, and keeps the error.
template <class Answer, class Call>
Answer answered(Answer failed, Call call) {
    const std::lock_guard lock(state->mutex);
    last_number = 0;
    if (state->process == nullptr) {
        last_error = no_rank;
        return failed;
    }
    try {
        return call(*state->process);
    } catch (const CaptureError& error) {
        last_error = error.what();
        last_number = error.number();
        return failed;
    } catch (const std::exception& error) {
        last_error = error.what();
        return failed;
    }
}

template <class Call>
bool done(Call call) {
    return answered(false, [&](Process& process) {
        call(process);
        return true;
    });
}

// Call without holding a lock: finding the script's line takes Python's own lock.
std::string line(const char* operation = "") {
    Process* const process = state->process;
    return process == nullptr ? std::string() : process->where()(operation);
}

// For calls that may wait for other ranks: reports the script's line before, and that the host went on after. A rank
// that is ended while waiting never reports the latter.
template <class Answer, class Call>
Answer waited(Answer failed, Call call) {
    line();
    bool went_on = false;
    const Answer answer = answered(failed, [&](Process& process) {
        const Answer found = call(process);
        went_on = true;
        return found;
    });
    if (went_on) {
        state->process->went_on()();
    }
    return answer;
}

bool waited_for(const std::function<void(Process&)>& call) {
    return waited(false, [&](Process& process) {
        call(process);
        return true;
    });
}

// The same for an operation that others must call, too; `call` gets the script's line.
template <class Answer, class Call>
Answer answered_at_line(Answer failed, const char* operation, Call call) {
    std::string at;
    try {
        at = line(operation);
    } catch (const std::exception& error) {
        last_error = error.what();
        return failed;
    }
    return answered(failed, [&](Process& process) { return call(process, at); });
}

const std::map<std::string, std::pair<int, int>>& capabilities() {
    static const std::map<std::string, std::pair<int, int>> all{
        {"volta", {7, 0}},  {"turing", {7, 5}},     {"ampere", {8, 0}},          {"ada", {8, 9}},
        {"hopper", {9, 0}}, {"blackwell", {10, 0}}, {"blackwell-ultra", {10, 3}}};
    return all;
}

seam::Properties properties_of(const training::Accelerator& gpu, const char* name) {
    constexpr std::pair newest{9, 0};
    const auto known = capabilities().find(gpu.generation);
    const auto [major, minor] = known == capabilities().end() ? newest : known->second;
    constexpr std::int64_t l2_bytes = 50 << 20;
    constexpr std::int64_t shared_bytes = 233472;
    // An SM has 64 fp32 lanes up to A100, and 128 in later GPUs; each does a multiply-add per cycle.
    const double lanes = major == 7 || (major == 8 && minor == 0) ? 64 : 128;
    return {.name = name,
            .major = major,
            .minor = minor,
            .memory_bytes = gpu.memory_bytes,
            .multiprocessors = gpu.processors,
            .l2_bytes = l2_bytes,
            .shared_bytes_per_multiprocessor = shared_bytes,
            .clock_hertz = gpu.processors > 0 ? gpu.fp32_flops / (2 * lanes * gpu.processors) : 0};
}

void add_operators(seam::Gpu& table) {
    table.refused = [](const char* why) { done([=](Process& process) { process.note_refusal(why); }); };
    table.host_now = [] {
        return answered<std::int64_t>(0, [](Process& process) { return process.gpus().host().count(); });
    };
    table.host_passes = [](std::int64_t time) {
        done([=](Process& process) { process.gpus().host_passes(Duration{time}); });
    };
    table.known = [](const seam::Operator& op) {
        return answered<std::int32_t>(-1, [&](Process& process) { return process.prices().known(op); });
    };
    table.multiplies = [](std::int32_t op) {
        return answered(false, [=](Process& process) { return process.prices().multiplies(op); });
    };
    table.multiply_in_tf32 = [](bool products, bool convolutions) {
        done([=](Process& process) { process.prices().tf32 = {.products = products, .convolutions = convolutions}; });
    };
    table.compile = [](bool is_compiled, seam::Stream stream) {
        return done([=](Process& process) { process.compile(is_compiled, stream); });
    };
    table.launch = [](std::int32_t op, const seam::Value* arguments, std::int32_t results, const seam::Value* result,
                      seam::Stream stream) {
        return done([&](Process& process) {
            process.launch(op, arguments, {result, static_cast<std::size_t>(results)}, stream);
        });
    };
    table.copy = [](const seam::Copy& copy, seam::Stream stream) {
        return done([&](Process& process) { process.copy(copy, stream); });
    };
    table.spin = [](std::int64_t time, seam::Stream stream) {
        return done([&](Process& process) { process.spin(Duration{time}, stream); });
    };
}

void add_streams(seam::Gpu& table) {
    table.new_stream = [](std::int32_t /*device*/, std::int32_t /*priority*/) {
        return answered<std::int64_t>(-1, [](Process& process) { return process.new_stream(); });
    };
    table.record = [](seam::Stream stream) {
        return answered<seam::Mark>(0, [&](Process& process) { return process.record(stream); });
    };
    table.wait = [](seam::Stream stream, seam::Mark mark) {
        return done([&](Process& process) {
            process.settle(stream);
            process.gpus().wait({stream.device, stream.number}, process.mark(mark));
        });
    };
    table.has_passed = [](seam::Mark mark) {
        return answered<std::int32_t>(
            -1, [=](Process& process) { return process.gpus().has_passed(process.mark(mark)) ? 1 : 0; });
    };
    table.is_idle = [](seam::Stream stream) {
        return answered<std::int32_t>(-1, [&](Process& process) {
            process.gpus().refuse_question(StreamName{stream.device, stream.number});
            const seam::Mark mark = process.record(stream);
            const bool passed = process.gpus().has_passed(process.mark(mark));
            process.forget(mark);
            return passed ? 1 : 0;
        });
    };
    table.time_of = [](seam::Mark mark) {
        return answered<std::int64_t>(
            -1, [=](Process& process) { return process.gpus().time_of(process.mark(mark)).count(); });
    };
    table.synchronize_mark = [](seam::Mark mark) {
        return waited_for([=](Process& process) { process.gpus().synchronize(process.mark(mark)); });
    };
    table.synchronize_stream = [](seam::Stream stream) {
        return waited_for([&](Process& process) {
            process.settle(stream);
            process.gpus().synchronize(StreamName{stream.device, stream.number});
        });
    };
    table.synchronize_device = [](std::int32_t device) {
        return waited_for([=](Process& process) {
            process.settle({device, 0});
            process.gpus().synchronize_device(device);
        });
    };
    table.forget = [](seam::Mark mark) { done([=](Process& process) { process.forget(mark); }); };
}

void add_graphs(seam::Gpu& table) {
    table.begin_capture = [](seam::Stream stream, bool is_relaxed) {
        return done([=](Process& process) { process.begin_capture(stream, is_relaxed); });
    };
    table.end_capture = [](seam::Stream stream) {
        return answered<seam::Graph>(0, [=](Process& process) { return process.end_capture(stream); });
    };
    table.capture_status = [](seam::Stream stream) {
        return answered<std::int64_t>(0, [=](Process& process) {
            return process.gpus().capture_status({stream.device, stream.number});
        });
    };
    table.begin_launch = [](seam::Graph graph, seam::Stream stream) {
        return done([=](Process& process) { process.begin_launch(graph, stream); });
    };
    table.end_launch = [] { return done([](Process& process) { process.gpus().end_launch(); }); };
    table.graph_size = [](seam::Graph graph) {
        return answered<std::int64_t>(-1, [=](Process& process) { return process.gpus().graph_size(graph); });
    };
    table.forget_graph = [](seam::Graph graph) { done([=](Process& process) { process.gpus().forget_graph(graph); }); };
}

void add_profiler(seam::Gpu& table) {
    table.watch = [](bool on) { done([=](Process& process) { process.gpus().watch().is_on = on; }); };
    table.tag = [](std::uint64_t number) { done([=](Process& process) { process.gpus().watch().tag = number; }); };
    table.seen = [](const seam::Seen** all) {
        return waited<std::int32_t>(-1, [=](Process& process) {
            const auto seen = process.seen();
            *all = seen.data();
            return static_cast<std::int32_t>(seen.size());
        });
    };
}

void add_memory(seam::Gpu& table) {
    table.reserve = [](std::int32_t device, std::int64_t bytes) { return state->memory.reserve(device, bytes); };
    table.give_back = [](void* address) { state->memory.give_back(address); };
    table.free_bytes = [](std::int32_t device) { return state->memory.free_bytes(device); };
    table.hold = [](std::int32_t device, std::int64_t bytes) {
        // Finding the script's line takes microseconds, too much for small tensors.
        constexpr std::int64_t least_named = 1 << 20;
        const bool is_named = bytes >= least_named && state->process != nullptr;
        const std::string at = is_named ? state->process->line()() : std::string();
        done([&](Process& process) { process.hold(device, bytes, at); });
    };
}

void add_groups(seam::Gpu& table) {
    table.make_group = [](const std::int32_t* members, std::int32_t count, const char* name) {
        return answered<std::int32_t>(-1, [=](Process& process) {
            return process.make_group({members, members + count}, name);
        });
    };
    table.acting = [](std::int32_t group, std::int32_t member) {
        return answered<std::int32_t>(-1, [=](Process& process) { return process.acting(group, member); });
    };
    table.collective = [](const seam::Collective& what) {
        return answered_at_line<seam::Ticket>(
            -1, what.label, [&](Process& process, const std::string& at) { return process.collective(what, at); });
    };
    table.send = [](const seam::Message& what) {
        return answered_at_line(false, what.label, [&](Process& process, const std::string& at) {
            process.send(what, at);
            return true;
        });
    };
    table.receive = [](const seam::Message& what) {
        return answered_at_line<seam::Ticket>(
            -1, what.label, [&](Process& process, const std::string& at) { return process.receive(what, at); });
    };
    table.begin_messages = [] { done([](Process& process) { process.begin_messages(); }); };
    table.end_messages = [] { return done([](Process& process) { process.end_messages(); }); };
    table.take = [](seam::Ticket ticket, const seam::Bytes** parts) {
        return waited<std::int32_t>(-1, [=](Process& process) {
            const auto taken = process.take(ticket);
            *parts = taken.data();
            return static_cast<std::int32_t>(taken.size());
        });
    };
    table.source_of = [](seam::Ticket ticket) {
        return answered<std::int32_t>(-1, [=](Process& process) { return process.source_of(ticket); });
    };
    table.sender = [](std::int32_t group, std::int32_t tag, bool waits) {
        return answered_at_line<std::int32_t>(-1, waits ? "recv" : "", [=](Process& process, const std::string&) {
            return process.sender(group, tag, waits).value_or(seam::nobody);
        });
    };
    table.forget_ticket = [](seam::Ticket ticket) { done([=](Process& process) { process.forget_ticket(ticket); }); };
}

}  // namespace

const seam::Gpu& table_for(const training::Machine& machine, bool is_hollow) {
    static State made;
    state = &made;
    state->memory.have(machine.gpus_per_node, machine.gpu.memory_bytes);
    state->name = machine.gpu.driver_name.empty() ? machine.gpu.name : machine.gpu.driver_name;
    state->properties = properties_of(machine.gpu, state->name.c_str());
    seam::Gpu& table = state->table;
    table.devices = machine.gpus_per_node;
    table.is_hollow = is_hollow;
    table.error = [] { return last_error.c_str(); };
    table.error_number = [] { return last_number; };
    table.properties = [](std::int32_t /*device*/) -> const seam::Properties* { return &state->properties; };
    add_operators(table);
    add_streams(table);
    add_graphs(table);
    add_profiler(table);
    add_memory(table);
    add_groups(table);
    return table;
}

void be(Process* process) {
    state->process = process;
}

}  // namespace sim::torch
