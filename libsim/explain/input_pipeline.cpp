#include "libsim/explain/input_pipeline.hpp"

#include "libsim/error.hpp"
#include "libsim/replay/recording.hpp"

#include <algorithm>

namespace sim::explain {

namespace {

// Ranks of the simulation; the workers follow.
constexpr int gpu_rank = 0;
constexpr int trainer_rank = 1;
constexpr int pin_rank = 2;
constexpr int first_worker_rank = 3;

// Messages only signal, at no cost; a FLOP takes a picosecond.
Cluster free_messages() {
    return uniform({.flops = TFLOP_per_s});
}

Work busy(Duration time) {
    return Flops{time.count()};
}

void tell(GPU& gpu, int rank) {
    gpu.send(rank, Bytes{0});
}

void hear(GPU& gpu, int rank) {
    gpu.receive(rank, Bytes{0});
}

struct InputProgram {
    InputPipeline pipeline;
    int batches = 1;
    std::optional<LostWorker> lost;

    int worker_of(int batch) const { return first_worker_rank + batch % pipeline.workers; }
    int asked_in_advance() const { return pipeline.workers * pipeline.prefetch; }

    void compute(GPU& gpu) const {
        for (int batch = 0; batch < batches; ++batch) {
            hear(gpu, trainer_rank);
            if (pipeline.copies_beside) {
                tell(gpu, trainer_rank);
            }
            gpu.compute("compute", busy(pipeline.compute));
            if (!pipeline.copies_beside) {
                tell(gpu, trainer_rank);
            }
        }
    }
    void train(GPU& gpu) const {
        for (int batch = 0; batch < batches; ++batch) {
            if (batch > 0) {
                hear(gpu, gpu_rank);
            }
            if (pipeline.workers == 0) {
                gpu.compute("load", busy(pipeline.load));
            } else {
                hear(gpu, pin_rank);
            }
            if (pipeline.workers > 0 && batch + asked_in_advance() < batches) {
                tell(gpu, worker_of(batch + asked_in_advance()));
            }
            gpu.compute("copy", busy(pipeline.copy));
            tell(gpu, gpu_rank);
        }
        hear(gpu, gpu_rank);
    }
    void pin(GPU& gpu) const {
        for (int batch = 0; pipeline.workers > 0 && batch < batches; ++batch) {
            hear(gpu, worker_of(batch));
            gpu.compute("pin", busy(pipeline.pin));
            tell(gpu, trainer_rank);
        }
    }
    void load(GPU& gpu) const {
        const int worker = gpu.rank() - first_worker_rank;
        int loaded = 0;
        for (int batch = worker; batch < batches; batch += pipeline.workers) {
            if (lost && lost->worker == worker && loaded == lost->batches) {
                return;
            }
            if (batch >= asked_in_advance()) {
                hear(gpu, trainer_rank);
            }
            gpu.compute("load", busy(pipeline.load));
            tell(gpu, pin_rank);
            ++loaded;
        }
    }
    void operator()(GPU& gpu) const {
        switch (gpu.rank()) {
            case gpu_rank: return compute(gpu);
            case trainer_rank: return train(gpu);
            case pin_rank: return pin(gpu);
            default: return load(gpu);
        }
    }
};

}  // namespace

InputRun run_input(const InputPipeline& pipeline, int batches, std::optional<LostWorker> lost) {
    InputRun run{.loads = std::vector<Interval>(static_cast<std::size_t>(batches))};
    std::vector<int> loaded(static_cast<std::size_t>(std::max(pipeline.workers, 1)));
    const auto note = [&](const Span& span) {
        if (span.kind != OpKind::compute) {
            return;
        }
        if (*span.label == "compute") {
            run.computes.push_back({span.begin, span.end});
        } else if (*span.label == "copy") {
            run.taken.push_back(span.begin);
        } else if (*span.label == "load") {
            const int worker = pipeline.workers == 0 ? 0 : span.rank - first_worker_rank;
            int& own = loaded[static_cast<std::size_t>(worker)];
            const auto batch = static_cast<std::size_t>(worker + own++ * std::max(pipeline.workers, 1));
            run.loads[batch] = {span.begin, span.end};
        }
    };
    const replay::Recording program(first_worker_rank + pipeline.workers, InputProgram{pipeline, batches, lost});
    try {
        program.replay({.cluster = free_messages(), .hash_timeline = false, .on_span = note});
    } catch (const DeadlockError&) {
        // All others wait forever for the lost worker.
        run.dry = run.computes.empty() ? Time{} : run.computes.back().end;
    }
    return run;
}

SteadyInput steady_input(const InputPipeline& pipeline) {
    // The pattern repeats with this period; the first ones, while buffers fill, are skipped.
    const int pattern = std::max(1, pipeline.workers * pipeline.prefetch);
    const int before = 4 * pattern;
    const auto computes = run_input(pipeline, before + pattern + 1).computes;
    const Time from = computes[static_cast<std::size_t>(before)].begin;
    return {.span = computes[static_cast<std::size_t>(before + pattern)].begin - from, .batches = pattern};
}

double closed_form_seconds(const InputPipeline& pipeline) {
    const double load = seconds(pipeline.load);
    const double pin = seconds(pipeline.pin);
    const double copy = seconds(pipeline.copy);
    const double compute = seconds(pipeline.compute);
    if (pipeline.workers == 0) {
        return load + copy + compute;
    }
    const double gpu = pipeline.copies_beside ? std::max(compute, copy) : compute + copy;
    return std::max({gpu, pin, load / pipeline.workers, (load + pin) / (pipeline.workers * pipeline.prefetch)});
}

double idle_share(const InputPipeline& pipeline, const SteadyInput& steady) {
    const Duration idle = steady.span - steady.batches * pipeline.compute;
    return steady.span.count() == 0 ? 0 : static_cast<double>(idle.count()) / static_cast<double>(steady.span.count());
}

}  // namespace sim::explain
