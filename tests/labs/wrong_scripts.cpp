#include "tests/labs/wrong_scripts.hpp"

namespace wrong {

namespace {

std::vector<Script> of_data_parallelism() {
    return {
        {1, "grad /= dist.get_world_size()", "grad /= dist.get_world_size() ** 2"},
        {1, "grad /= dist.get_world_size()", "grad /= given['batch']  # "},
        {1, "in model.parameters():", "in list(model.parameters())[:1]:"},
        {1, "all_reduce(parameter.grad)", "all_reduce(parameter.grad, op=dist.ReduceOp.MAX)"},
        {1, "optimizer.zero_grad()", "pass"},
        {1, "optimizer.step()", "pass"},
        {1, "optimizer.step()", "optimizer.step() or optimizer.step()"},
        {1, "parameter.grad", "parameter.data"},
        {1, "range(given[\"epochs\"])", "range(1)"},
        {1, "batch_size=given[\"batch\"]", "batch_size=2 * given[\"batch\"]"},
        {1, "DistributedSampler(data)", "DistributedSampler(data, rank=0)"},
        {1, "DistributedSampler(data)", "DistributedSampler(data, shuffle=False)"},
        {1, "dist.all_reduce(parameter.grad)", "dist.broadcast(parameter.grad, 0)"},
        {1, "used.extend(numbers.tolist())", "used[:] = numbers.tolist()"},
        {1, "in model.parameters():", "in list(model.parameters())[dist.get_rank():]:"},
    };
}

std::vector<Script> of_sharding() {
    return {
        {10, "lr=1e-3", "lr=1e-2"},
        {10, "torch.optim.AdamW(", "torch.optim.SGD("},
        {10, "lr=1e-3", "lr=1e-3, amsgrad=True"},
        {10, "optimizer.zero_grad(set_to_none=True)", "pass"},
        {10, "set_to_none=True", "set_to_none=False"},
        {10, "FULL_SHARD", "NO_SHARD"},
        {10, "{Block}", "{nn.Linear}"},
        {10, "optimizer.step()", "pass"},
        {10, ".mean()", ".sum()"},
        {10, "in batches:", "in batches[:1]:"},
        {10, "losses.append(loss.item())", "losses.append(0)"},
        {10, "loss = (model(inputs)", "model(inputs)\n        loss = (model(inputs)"},
        {10, "in batches:", "in (batches if dist.get_rank() else batches[:1]):"},
    };
}

std::vector<Script> of_accumulation() {
    return {
        {15, "last = index == len(micro_batches) - 1", "last = index == 0"},
        {15, "last = index == len(micro_batches) - 1", "last = False"},
        {15, "optimizer.zero_grad()", "pass"},
        {15, "optimizer.step()", "optimizer.step() or optimizer.step()"},
        {15, "/ len(micro_batches)", "/ len(micro_batches) ** 2"},
        {15, "/ len(micro_batches)", "/ (len(micro_batches) * dist.get_world_size())"},
        {15, "enumerate(micro_batches)", "enumerate(micro_batches[:-1])"},
        {15, "loss.backward()", "loss.backward() or optimizer.step()"},
        {15, "enumerate(micro_batches)", "enumerate([micro_batches.flatten(0, 1)] * len(micro_batches))"},
        {15, "loss.backward()", "loss.backward(retain_graph=True)"},
        {15, "loss.backward()", "(-loss).backward()"},
        {15, "loss_of(model, inputs)", "loss_of(model.module, inputs)"},
        {15, "    optimizer.step()", "    nn.utils.clip_grad_norm_(model.parameters(), 1e-3)\n    optimizer.step()"},
        {15, "if last else", "if last and dist.get_rank() else"},
        {15, "            loss = loss_of(model, inputs) / len(micro_batches)\n            loss.backward()",
         "            pass\n        loss = loss_of(model, inputs) / len(micro_batches)\n        loss.backward()",
         "all-reduce-every-micro-batch"},
    };
}

std::vector<Script> of_scaling() {
    return {
        {16, "given[\"width\"]", "given[\"batch\"] + 1"},
        {16, "begin) / given[\"steps\"]", "begin)"},
        {16, "seconds[0] / seconds[-1]", "seconds[-1] / seconds[0]"},
        {16, "seconds[0]", "seconds[-2 if len(seconds) > 1 else 0]"},
        {16, "speedup[-1] / ranks", "speedup[-1] * ranks"},
        {16, "speedup[-1] / ranks", "100 * speedup[-1] / ranks"},
        {16, "trainer.step(inputs)\n            wait_for(device)\n            begin", "begin"},
        {16, "range(given[\"steps\"])", "range(1)"},
        {16, "wait_for(device)\n            seconds", "seconds", "clock-without-waiting"},
        {16, "begin = time.perf_counter()", "begin = time.perf_counter() - 0.5"},
        {16, "(time.perf_counter()", "1e3 * (time.perf_counter()"},
        {16, "// ranks", "// 2"},
        {16, "// ranks", "* ranks"},
        {16, "efficiency.append(speedup[-1] / ranks)", "pass"},
        {16, "                trainer.step(inputs)", "                trainer.step(inputs[:16])"},
    };
}

}  // namespace

std::vector<Script> all_scripts() {
    std::vector<Script> all;
    for (const std::vector<Script>& some : {of_data_parallelism(), of_sharding(), of_accumulation(), of_scaling()}) {
        all.insert(all.end(), some.begin(), some.end());
    }
    return all;
}

}  // namespace wrong
