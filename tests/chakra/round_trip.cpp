// A trace of ndsim's own keeps every rank's finish time: streams, waits, units, algorithms and all.
#include "libsim/chakra/run.hpp"

#include "libsim/collectives/schedules/algorithms.hpp"
#include "libsim/replay/recording.hpp"
#include "tests/chakra/traces.hpp"

#include <gmock/gmock.h>

namespace {

using namespace sim;
using namespace sim::test;
using chakra::Node;
using chakra::NodeKind;

// A rank program, and beside it the trace of what it does: each op a node that depends on the one before on its stream,
// on the program's last op where it is handed over, and on what was waited for.
class Written {
public:
    Written(GPU& gpu, chakra::RankTrace& trace) : gpu_(&gpu), trace_(&trace) {}

    void compute(const char* label, Units units) {
        gpu_->compute(label, units);
        add({.name = label, .kind = NodeKind::compute, .time = compute_time(gpu_py(), gpu_->rank(), units)},
            Stream::main);
    }
    void send(int to, Units size, Stream stream = Stream::main) {
        on(stream, [&] { gpu_->send(to, "send", size); });
        add({.name = "send", .kind = NodeKind::send, .peer = to, .size = size}, stream);
    }
    void receive(int from, Units size, Stream stream = Stream::main) {
        on(stream, [&] { gpu_->receive(from, "receive", size); });
        add({.name = "receive", .kind = NodeKind::receive, .peer = from, .size = size}, stream);
    }
    void sum(Units size, Stream stream, AlgorithmConfig config) {
        on(stream, [&] {
            gpu_->collective(world(*gpu_), {.kind = CollectiveKind::all_reduce, .size = size, .config = config});
        });
        add({.name = "sum",
             .kind = NodeKind::collective,
             .size = size,
             .collective = CollectiveKind::all_reduce,
             .algorithm = config},
            stream);
    }
    void receive_later(int from, Units size) {
        later_ = gpu_->receive_async(from, "receive later", size);
        later_id_ = add({.name = "receive later", .kind = NodeKind::receive, .peer = from, .size = size}, Stream::own);
    }
    // The program waits for what was received later, or for all that it handed to the stream.
    void wait_for_receive() {
        gpu_->wait(later_);
        awaited_.push_back(later_id_);
    }
    void wait_for(Stream stream) {
        gpu_->wait(gpu_->on(stream, [] {}));
        awaited_.push_back(last_[stream]);
    }

private:
    template <class Work>
    void on(Stream stream, const Work& work) {
        if (stream == Stream::main) {
            work();
        } else {
            gpu_->start_on(stream, work);
        }
    }

    std::uint64_t add(Node node, Stream stream) {
        node.id = trace_->nodes.size();
        node.stream = stream;
        node.data_deps = awaited_;
        if (last_.contains(Stream::main)) {
            node.ctrl_deps.push_back(last_[Stream::main]);
        }
        if (stream != Stream::main && stream != Stream::own && last_.contains(stream)) {
            node.ctrl_deps.push_back(last_[stream]);
        }
        if (stream == Stream::main) {
            awaited_.clear();
        }
        if (stream != Stream::own) {
            last_[stream] = node.id;
        }
        trace_->nodes.push_back(node);
        return node.id;
    }

    GPU* gpu_;
    chakra::RankTrace* trace_;
    std::map<Stream, std::uint64_t> last_;
    std::vector<std::uint64_t> awaited_;
    Handle later_;
    std::uint64_t later_id_ = 0;
};

constexpr int ranks = 4;

void busy_program(Written& rank, int self) {
    const int right = (self + 1) % ranks;
    const int left = (self + ranks - 1) % ranks;
    rank.receive_later(left, Units{3.25});
    rank.compute("forward", Units{1 + self});
    rank.send(right, Units{3.25}, Stream::main);
    rank.sum(Units{7.0 / 3}, Stream{2}, {Algorithm::ring, {.channels = 2}});
    rank.send(right, Units{11}, Stream{3});
    rank.receive(left, Units{11}, Stream{3});
    rank.compute("backward", Units{2.5});
    rank.sum(Units{40}, Stream{2}, Algorithm::halving_doubling);
    rank.wait_for_receive();
    rank.compute("more", Units{0.125 * self});
    rank.wait_for(Stream{3});
    rank.send(left, Units{1}, Stream{1});
    rank.receive(right, Units{1}, Stream{1});
    rank.compute("last", Units{1});
    rank.wait_for(Stream{2});
    rank.compute("update", Units{0.5});
}

std::vector<Duration> ends_of(const replay::Replay& run) {
    std::vector<Duration> ends;
    for (const RankTotals& rank : run.ranks) {
        ends.push_back(rank.end.time_since_epoch());
    }
    return ends;
}

}  // namespace

TEST(ChakraRoundTrip, KeepsEveryFinishTimeOfAProgramWithStreams) {
    std::vector<chakra::RankTrace> traces(ranks);
    const replay::Recording recording(ranks, [&](GPU& gpu) {
        Written rank(gpu, traces[static_cast<std::size_t>(gpu.rank())]);
        busy_program(rank, gpu.rank());
    });
    const std::vector<Duration> wanted = ends_of(recording.replay({.cluster = gpu_py()}));
    const TextTraces folder;
    write_traces(folder.prefix(), traces);
    const chakra::Traces back = chakra::read(folder.prefix());
    EXPECT_EQ(ends_of(chakra::run(back, {.cluster = gpu_py()})), wanted);
    // Here the dependencies alone say as much.
    chakra::Traces without = back;
    for (chakra::RankTrace& trace : without.ranks) {
        for (Node& node : trace.nodes) {
            node.stream.reset();
        }
    }
    EXPECT_EQ(ends_of(chakra::run(without, {.cluster = gpu_py()})), wanted);
}
