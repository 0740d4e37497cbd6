// torch.cuda.CUDAGraph: PyTorch's bindings create an object of this class of libtorch_cuda. The slot implements it.
#include "tools/torch/slot/errors.hpp"
#include "tools/torch/slot/graphs/graph.hpp"
#include "tools/torch/slot/versions.hpp"

#include <ATen/cuda/CUDAGeneratorImpl.h>
#include <ATen/cuda/CUDAGraph.h>

#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace at::cuda {

namespace {

using sim::slot::Graph;

// The slot's graphs by object, because PyTorch's class has no room for one.
class Graphs {
public:
    void add(const CUDAGraph* of, bool is_kept) {
        const std::lock_guard lock(mutex_);
        all_[of] = std::make_unique<Graph>(is_kept);
    }
    Graph& of(const CUDAGraph* graph) {
        const std::lock_guard lock(mutex_);
        return *all_.at(graph);
    }
    void remove(const CUDAGraph* of) {
        std::unique_ptr<Graph> last;  // destroyed outside the lock
        const std::lock_guard lock(mutex_);
        last = std::move(all_[of]);
        all_.erase(of);
    }

private:
    std::mutex mutex_;
    std::map<const CUDAGraph*, std::unique_ptr<Graph>> all_;
};

// Never destroyed, because a script's graphs live until its process ends.
Graphs& graphs() {
    static auto* const all = new Graphs;
    return *all;
}

}  // namespace

CUDAGraph::~CUDAGraph() {
    graphs().remove(this);
}

void CUDAGraph::capture_begin(MempoolId_t pool, cudaStreamCaptureMode mode) {
    graphs().of(this).begin(pool, mode == cudaStreamCaptureModeRelaxed);
}

void CUDAGraph::capture_end() {
    graphs().of(this).end();
    has_graph_exec_ = graphs().of(this).is_instantiated();
}

void CUDAGraph::replay() {
    graphs().of(this).replay();
}

void CUDAGraph::reset() {
    graphs().of(this).reset();
    has_graph_exec_ = false;
}

MempoolId_t CUDAGraph::pool() {
    return graphs().of(this).pool();
}

void CUDAGraph::enable_debug_mode() {}

#if SIM_SLOT_TORCH < 208
CUDAGraph::CUDAGraph() : capture_stream_(c10::cuda::getCurrentCUDAStream()) {
    graphs().add(this, false);
}
#else
CUDAGraph::CUDAGraph(bool is_kept) : capture_stream_(c10::cuda::getCurrentCUDAStream()), keep_graph_(is_kept) {
    graphs().add(this, is_kept);
}

void CUDAGraph::instantiate() {
    graphs().of(this).instantiate();
    has_graph_exec_ = true;
}
#endif

#if SIM_SLOT_TORCH < 214
// Nothing to register: every generator used in a graph draws anew at each launch.
void CUDAGraph::register_generator_state(const Generator& /*generator*/) {}
void CUDAGraph::register_generator_state(c10::intrusive_ptr<CUDAGeneratorState> /*state*/) {}

void CUDAGraph::debug_dump(const std::string& /*path*/) {
    sim::slot::refuse("ndsim does not simulate CUDAGraph.debug_dump");
}
#endif

#if SIM_SLOT_TORCH >= 214
void CUDAGraph::capture_end_pre() {
    graphs().of(this).end();
}

void CUDAGraph::capture_end_post() {
    has_graph_exec_ = graphs().of(this).is_instantiated();
}

std::vector<MempoolId_t> CUDAGraph::pools() {
    return {graphs().of(this).pool()};
}
#endif

}  // namespace at::cuda
