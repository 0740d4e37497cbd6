// The collectives of torch.distributed: the data that each rank contributes, and the results from all ranks' data.
#include "tools/torch/slot/process_group/backend.hpp"

#include "tools/torch/slot/call.hpp"
#include "tools/torch/slot/device.hpp"
#include "tools/torch/slot/errors.hpp"
#include "tools/torch/slot/seam_table.hpp"

#include <ATen/ATen.h>

#include <cstring>
#include <numeric>
#include <utility>

namespace sim::slot {

using c10d::OpType;
using seam::CollectiveKind;

namespace {

// Since 2.8 the options tell whether the caller waits immediately; before, assume that it does not.
template <class Options>
bool is_async(const Options& options) {
    if constexpr (requires { options.asyncOp; }) {
        return options.asyncOp;
    } else {
        return true;
    }
}

Tensors flat(const std::vector<Tensors>& lists) {
    Tensors all;
    for (const Tensors& list : lists) {
        all.insert(all.end(), list.begin(), list.end());
    }
    return all;
}

const char* at(const seam::Bytes& bytes, std::int64_t offset) {
    return static_cast<const char*>(bytes.first) + offset;
}

c10::ScalarType type_of(const Tensors& tensors) {
    TORCH_CHECK_VALUE(!tensors.empty(), "a collective needs a tensor");
    for (const at::Tensor& tensor : tensors) {
        TORCH_CHECK_TYPE(tensor.scalar_type() == tensors.front().scalar_type(),
                         "Tensors must have identical type. Expected ", tensors.front().scalar_type(), ", got ",
                         tensor.scalar_type());
    }
    return tensors.front().scalar_type();
}

void check_elements(const char* what, std::int64_t found, std::int64_t wanted) {
    TORCH_CHECK_VALUE(found == wanted, what, ": the output must have ", wanted, " elements, and has ", found);
}

std::int64_t elements_of(const Tensors& tensors) {
    return std::accumulate(tensors.begin(), tensors.end(), std::int64_t{0},
                           [](std::int64_t sum, const at::Tensor& tensor) { return sum + tensor.numel(); });
}

// The offset in bytes of each of these sizes.
std::vector<std::int64_t> offsets_of(const std::vector<std::int64_t>& sizes) {
    std::vector<std::int64_t> offsets(sizes.size() + 1, 0);
    std::partial_sum(sizes.begin(), sizes.end(), offsets.begin() + 1);
    return offsets;
}

at::Tensor with_header(const std::vector<std::int64_t>& header, const at::Tensor& payload) {
    const std::size_t bytes = header.size() * sizeof(std::int64_t);
    at::Tensor whole =
        at::empty({static_cast<std::int64_t>(bytes + payload.nbytes())}, at::TensorOptions(at::kByte).device(at::kCPU));
    auto* const to = static_cast<char*>(whole.mutable_data_ptr());
    std::memcpy(to, header.data(), bytes);
    std::memcpy(to + bytes, payload.const_data_ptr(), payload.nbytes());
    return whole;
}

}  // namespace

RankBackend::Handle RankBackend::broadcast(Tensors& tensors, const c10d::BroadcastOptions& options) {
    const int root = acting(options.rootRank);
    const bool is_root = getRank() == root;
    return run({.type = OpType::BROADCAST,
                .name = "broadcast",
                .kind = CollectiveKind::broadcast,
                .bytes = bytes_of(tensors),
                .root = root,
                .is_async = is_async(options),
                .bring = packed,
                .inputs = is_root ? tensors : Tensors(),
                .outputs = is_root ? Tensors() : tensors,
                .results = tensors,
                .takes = !is_root,
                .finish = [root](Parts parts, const Tensors& outputs) {
                    unpack(parts[static_cast<std::size_t>(root)].first, outputs);
                }});
}

RankBackend::Handle RankBackend::allreduce(Tensors& tensors, const c10d::AllreduceOptions& options) {
    const c10::ScalarType type = type_of(tensors);
    const c10d::ReduceOp op = options.reduceOp;
    check_reduction(op, type, is_nccl_);
    return run(
        {.type = OpType::ALLREDUCE,
         .name = "all_reduce",
         .kind = CollectiveKind::all_reduce,
         .bytes = bytes_of(tensors),
         .is_async = is_async(options),
         .bring = [type, op](const Tensors& inputs) { return premultiplied(packed(inputs).view(type), op); },
         .inputs = tensors,
         .outputs = tensors,
         .finish = [type, op](Parts parts,
                              const Tensors& outputs) { unpack(reduced(parts, type, op).const_data_ptr(), outputs); }});
}

RankBackend::Handle RankBackend::allreduce_coalesced(Tensors& tensors, const c10d::AllreduceCoalescedOptions& options) {
    return allreduce(tensors, options);
}

RankBackend::Handle RankBackend::reduce(Tensors& tensors, const c10d::ReduceOptions& options) {
    const c10::ScalarType type = type_of(tensors);
    const c10d::ReduceOp op = options.reduceOp;
    check_reduction(op, type, is_nccl_);
    const int root = acting(options.rootRank);
    const bool is_root = getRank() == root;
    return run(
        {.type = OpType::REDUCE,
         .name = "reduce",
         .kind = CollectiveKind::reduce,
         .bytes = bytes_of(tensors),
         .root = root,
         .is_async = is_async(options),
         .bring = [type, op](const Tensors& inputs) { return premultiplied(packed(inputs).view(type), op); },
         .inputs = tensors,
         .outputs = is_root ? tensors : Tensors(),
         .results = tensors,
         .takes = is_root,
         .finish = [type, op](Parts parts,
                              const Tensors& outputs) { unpack(reduced(parts, type, op).const_data_ptr(), outputs); }});
}

// The outputs hold each rank's inputs, one after another, in the order of ranks.
RankBackend::Handle RankBackend::gather_all(const char* name, Tensors outputs, Tensors inputs, bool is_async,
                                            Tensors results) {
    return run({.type = OpType::ALLGATHER,
                .name = name,
                .kind = CollectiveKind::all_gather,
                .bytes = bytes_of(outputs),
                .is_async = is_async,
                .bring = packed,
                .inputs = inputs,
                .outputs = outputs,
                .results = std::move(results),
                .finish = [](Parts parts, const Tensors& outputs) {
                    at::Tensor whole;
                    std::vector<at::Tensor> all;
                    for (const seam::Bytes& part : parts) {
                        all.push_back(elements(part, at::kByte));
                    }
                    whole = at::cat(all);
                    unpack(whole.const_data_ptr(), outputs);
                }});
}

RankBackend::Handle RankBackend::allgather(Lists& outputs, Tensors& inputs, const c10d::AllgatherOptions& options) {
    TORCH_CHECK_VALUE(outputs.size() == 1 && inputs.size() == 1,
                      "all_gather takes one tensor per rank, which has one GPU");
    TORCH_CHECK_VALUE(outputs.front().size() == static_cast<std::size_t>(getSize()),
                      "all_gather: there must be an output for each of the ", getSize(), " ranks, but there are ",
                      outputs.front().size());
    return gather_all("all_gather", outputs.front(), inputs, is_async(options), {});
}

RankBackend::Handle RankBackend::_allgather_base(at::Tensor& output, at::Tensor& input,
                                                 const c10d::AllgatherOptions& options) {
    TORCH_CHECK_TYPE(output.scalar_type() == input.scalar_type(),
                     "output tensor must have the same type as input tensor");
    check_elements("all_gather_into_tensor", output.numel(), input.numel() * getSize());
    return gather_all("all_gather_into_tensor", {output}, {input}, is_async(options), {});
}

// Each rank contributes all of its inputs; each output gets its parts from all ranks.
RankBackend::Handle RankBackend::allgather_into_tensor_coalesced(Tensors& outputs, Tensors& inputs,
                                                                 const c10d::AllgatherOptions& options) {
    const int size = getSize();
    Tensors parts_of_outputs;
    for (int rank = 0; rank < size; ++rank) {
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            check_elements("all_gather_into_tensor", outputs[i].numel(), inputs[i].numel() * size);
            parts_of_outputs.push_back(outputs[i].view({size, -1})[rank]);
        }
    }
    return gather_all("all_gather_into_tensor", parts_of_outputs, inputs, is_async(options), outputs);
}

RankBackend::Handle RankBackend::allgather_coalesced(Lists& outputs, Tensors& inputs,
                                                     const c10d::AllgatherOptions& options) {
    return gather_all("all_gather", flat(outputs), inputs, is_async(options), {});
}

RankBackend::Handle RankBackend::gather(Lists& outputs, Tensors& inputs, const c10d::GatherOptions& options) {
    const int root = acting(options.rootRank);
    const bool is_root = getRank() == root;
    const Tensors all = is_root ? flat(outputs) : Tensors();
    return run({.type = OpType::GATHER,
                .name = "gather",
                .kind = CollectiveKind::gather,
                .bytes = bytes_of(inputs) * getSize(),
                .root = root,
                .is_async = is_async(options),
                .bring = packed,
                .inputs = inputs,
                .outputs = all,
                .results = is_root ? all : inputs,
                .takes = is_root,
                .finish = [](Parts parts, const Tensors& outputs) {
                    for (std::size_t i = 0; i < parts.size(); ++i) {
                        unpack(parts[i].first, {outputs[i]});
                    }
                }});
}

RankBackend::Handle RankBackend::scatter(Tensors& outputs, Lists& inputs, const c10d::ScatterOptions& options) {
    const int root = acting(options.rootRank);
    const bool is_root = getRank() == root;
    const Tensors all = is_root ? flat(inputs) : Tensors();
    const std::int64_t each = bytes_of(outputs);
    const int me = getRank();
    return run({.type = OpType::SCATTER,
                .name = "scatter",
                .kind = CollectiveKind::scatter,
                .bytes = each * getSize(),
                .root = root,
                .is_async = is_async(options),
                .bring = packed,
                .inputs = all,
                .outputs = outputs,
                .finish = [root, me, each](Parts parts, const Tensors& outputs) {
                    unpack(at(parts[static_cast<std::size_t>(root)], each * me), outputs);
                }});
}

// Sums the inputs of all ranks, and gives each rank its share. `inputs` hold the shares of all ranks, one after
// another.
RankBackend::Handle RankBackend::scatter_sum(const char* name, Tensors outputs, Tensors inputs,
                                             const c10d::ReduceOp& op, bool is_async) {
    const c10::ScalarType type = type_of(inputs);
    check_reduction(op, type, is_nccl_);
    check_elements(name, elements_of(outputs) * getSize(), elements_of(inputs));
    const std::int64_t share = bytes_of(inputs) / getSize();
    const int me = getRank();
    return run({.type = OpType::REDUCE_SCATTER,
                .name = name,
                .kind = CollectiveKind::reduce_scatter,
                .bytes = bytes_of(inputs),
                .is_async = is_async,
                .bring = [type, op](const Tensors& inputs) { return premultiplied(packed(inputs).view(type), op); },
                .inputs = inputs,
                .outputs = outputs,
                .finish =
                    [type, op, me, share](Parts parts, const Tensors& outputs) {
                        std::vector<seam::Bytes> mine;
                        for (const seam::Bytes& part : parts) {
                            mine.push_back({at(part, me * share), share});
                        }
                        unpack(reduced(mine, type, op).const_data_ptr(), outputs);
                    }});
}

RankBackend::Handle RankBackend::reduce_scatter(Tensors& outputs, Lists& inputs,
                                                const c10d::ReduceScatterOptions& options) {
    return scatter_sum("reduce_scatter", outputs, flat(inputs), options.reduceOp, is_async(options));
}

RankBackend::Handle RankBackend::_reduce_scatter_base(at::Tensor& output, at::Tensor& input,
                                                      const c10d::ReduceScatterOptions& options) {
    return scatter_sum("reduce_scatter_tensor", {output}, {input}, options.reduceOp, is_async(options));
}

RankBackend::Handle RankBackend::reduce_scatter_tensor_coalesced(Tensors& outputs, Tensors& inputs,
                                                                 const c10d::ReduceScatterOptions& options) {
    const int size = getSize();
    Tensors shares;
    for (int rank = 0; rank < size; ++rank) {
        for (const at::Tensor& input : inputs) {
            shares.push_back(input.contiguous().view({size, -1})[rank]);
        }
    }
    return scatter_sum("reduce_scatter_tensor", outputs, shares, options.reduceOp, is_async(options));
}

// `sent` has the number of bytes for each rank. A rank's data begins with these numbers.
RankBackend::Handle RankBackend::exchange(const char* name, Tensors outputs, Tensors inputs,
                                          std::vector<std::int64_t> sent, bool is_async) {
    const auto header = static_cast<std::int64_t>(sent.size() * sizeof(std::int64_t));
    const int me = getRank();
    return run({.type = OpType::ALLTOALL,
                .name = name,
                .kind = CollectiveKind::all_to_all,
                .bytes = bytes_of(inputs),
                .is_async = is_async,
                .bring = [sent = std::move(sent)](const Tensors& inputs) { return with_header(sent, packed(inputs)); },
                .inputs = inputs,
                .outputs = outputs,
                .finish =
                    [me, header](Parts parts, const Tensors& outputs) {
                        std::vector<at::Tensor> all;
                        for (const seam::Bytes& part : parts) {
                            std::vector<std::int64_t> sizes(parts.size());
                            std::memcpy(sizes.data(), part.first, static_cast<std::size_t>(header));
                            const std::vector<std::int64_t> begins = offsets_of(sizes);
                            const auto mine = static_cast<std::size_t>(me);
                            all.push_back(elements({at(part, header + begins[mine]), sizes[mine]}, at::kByte));
                        }
                        const at::Tensor whole = at::cat(all);
                        TORCH_CHECK_VALUE(whole.numel() == bytes_of(outputs), "all_to_all: the ranks send ",
                                          whole.numel(), " bytes, and the output has ", bytes_of(outputs));
                        unpack(whole.const_data_ptr(), outputs);
                    }});
}

RankBackend::Handle RankBackend::alltoall_base(at::Tensor& output, at::Tensor& input,
                                               std::vector<std::int64_t>& /*output_sizes*/,
                                               std::vector<std::int64_t>& input_sizes,
                                               const c10d::AllToAllOptions& options) {
    const auto ranks = static_cast<std::size_t>(getSize());
    std::vector<std::int64_t> sent(ranks, static_cast<std::int64_t>(input.nbytes() / ranks));
    if (!input_sizes.empty()) {
        const std::int64_t row = input.size(0) == 0 ? 0 : static_cast<std::int64_t>(input.nbytes()) / input.size(0);
        for (std::size_t i = 0; i < ranks; ++i) {
            sent[i] = input_sizes[i] * row;
        }
    }
    return exchange("all_to_all_single", {output}, {input}, std::move(sent), is_async(options));
}

RankBackend::Handle RankBackend::alltoall(Tensors& outputs, Tensors& inputs, const c10d::AllToAllOptions& options) {
    std::vector<std::int64_t> sent;
    for (const at::Tensor& input : inputs) {
        sent.push_back(static_cast<std::int64_t>(input.nbytes()));
    }
    return exchange("all_to_all", outputs, inputs, std::move(sent), is_async(options));
}

RankBackend::Handle RankBackend::barrier(const c10d::BarrierOptions& /*options*/) {
    Handle work = run({.type = OpType::BARRIER, .name = "barrier", .kind = CollectiveKind::barrier, .takes = false});
    if (work && is_nccl_) {
        require(gpu().synchronize_device(seam_device(current_device())));
    }
    return work;
}

void RankBackend::monitoredBarrier(const c10d::BarrierOptions& options, bool wait_all_ranks) {
    if (is_nccl_) {
        return Backend::monitoredBarrier(options, wait_all_ranks);
    }
    barrier(options)->wait();
}

}  // namespace sim::slot
