// Predicts the neighbours of a layout: the same layout with one thing changed.
#include "libsim/config/errors.hpp"
#include "libsim/parallel/pipeline/schedules.hpp"
#include "libsim/predict/what_if.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

namespace sim::predict {

namespace {

struct Idea {
    Change change;
    std::string text;
};

std::string number(int n) {
    return std::to_string(n);
}

// Doubles and halves each axis; data parallelism, or another axis, takes the remaining ranks.
void add_axes(const training::Layout& layout, std::vector<Idea>& ideas) {
    const auto add = [&](const char* axis, int size, int now) {
        ideas.push_back({{{axis, number(size)}}, fmt::format("{} {} instead of {}", axis, size, now)});
    };
    for (const auto& [axis, size] :
         {std::pair{"tp", layout.parallelism.tp}, {"pp", layout.parallelism.pp}, {"cp", layout.parallelism.cp}}) {
        if (axis != std::string("cp") || size > 1) {
            add(axis, 2 * size, size);
        }
        if (size > 1) {
            add(axis, size / 2, size);
        }
    }
    if (layout.parallelism.tp > 1) {
        ideas.push_back({{{"tp", number(layout.parallelism.tp / 2)}, {"pp", number(2 * layout.parallelism.pp)}},
                         "more pipeline, less tensor parallelism"});
    }
    if (layout.parallelism.pp > 1) {
        ideas.push_back({{{"tp", number(2 * layout.parallelism.tp)}, {"pp", number(layout.parallelism.pp / 2)}},
                         "more tensor, less pipeline parallelism"});
    }
}

void add_experts(const training::Transformer& model, const training::Layout& layout, std::vector<Idea>& ideas) {
    if (model.experts.count == 0) {
        return;
    }
    ideas.push_back({{{"ep", number(2 * layout.parallelism.ep)}}, "experts over more ranks"});
    if (layout.parallelism.ep > 1) {
        ideas.push_back({{{"ep", number(layout.parallelism.ep / 2)}}, "experts over fewer ranks"});
    }
}

void add_batches(const training::Layout& layout, std::vector<Idea>& ideas) {
    ideas.push_back({{{"micro-batch", number(2 * layout.batch.micro)}}, "larger micro-batches: larger kernels"});
    if (layout.batch.micro > 1) {
        ideas.push_back({{{"micro-batch", number(layout.batch.micro / 2)}}, "smaller micro-batches: a smaller bubble"});
    }
}

void add_schedules(const training::Layout& layout, std::vector<Idea>& ideas) {
    if (layout.parallelism.pp == 1) {
        return;
    }
    for (const NamedPipelineSchedule& schedule : pipeline_schedules()) {
        for (const int chunks : {1, 2, 4}) {
            if (schedule.uses_chunks == (chunks > 1) &&
                (layout.parallelism.schedule != schedule || chunks != std::max(1, layout.parallelism.interleave))) {
                Change change{{"schedule", std::string{schedule.name}}, {"interleave", number(chunks)}};
                ideas.push_back({std::move(change), std::string{schedule.summary}});
            }
        }
    }
}

void add_memory_for_time(const training::Layout& layout, std::vector<Idea>& ideas) {
    using training::Recompute;
    for (const training::Recompute recompute :
         {training::Recompute::none, training::Recompute::selective, training::Recompute::full}) {
        const bool same = layout.framework.flash_attention && recompute == training::Recompute::selective;
        if (recompute != layout.framework.recompute && !same) {
            ideas.push_back({{{"recompute", name_of(recompute)}}, "more or less recomputation"});
        }
    }
    for (int zero = 0; zero <= 3; ++zero) {
        // With pipeline stages ZeRO 2 does the same as ZeRO 1, unless every micro-batch's gradients are reduced.
        const bool as_one = zero == 2 && layout.parallelism.pp > 1 && !layout.framework.reduce_each_micro_batch;
        if (zero != layout.parallelism.zero && !as_one && layout.replicas() > 1) {
            ideas.push_back({{{"zero", number(zero)}}, "more or less of the states sharded over replicas"});
        }
    }
}

void add_switches(const training::Machine& machine, const training::Layout& layout, std::vector<Idea>& ideas) {
    const auto on = [&](const char* name, bool now, bool matters, const char* text) {
        if (!now && matters) {
            ideas.push_back({{{name, "on"}}, text});
        }
    };
    on("overlap-tensor", layout.framework.overlap_tensor, layout.parallelism.tp > 1,
       "tensor-parallel collectives overlap with all GEMMs");
    on("overlap-gradients", layout.framework.overlap_gradients, layout.replicas() > 1,
       "gradient reduction overlaps with the backward pass");
    on("overlap-parameters", layout.framework.overlap_parameters, layout.parallelism.zero > 0,
       "parameter gathering overlaps with the forward pass");
    on("overlap-pipeline", layout.framework.overlap_pipeline, layout.parallelism.pp > 1,
       "messages between stages overlap with computation");
    on("sequence-parallel", layout.parallelism.sequence_parallel, layout.parallelism.tp > 1,
       "activations sharded over tensor-parallel ranks");
    on("flash-attention", layout.framework.flash_attention, machine.gpu.generation != "volta",
       "attention in one kernel");
    if (layout.framework.fusion != training::Fusion::compiled) {
        ideas.push_back({{{"fusion", "compiled"}}, "small kernels fused by torch.compile"});
    }
    if (!row_of(layout.numerics.precision).quantises()) {
        for (const training::Precision precision : {training::Precision::fp8, training::Precision::nvfp4}) {
            if (machine.gpu.peak(precision) > 0) {
                ideas.push_back({{{"precision", name_of(precision)}},
                                 fmt::format("GEMMs in {}, which also changes the numerics", name_of(precision))});
            }
        }
    }
}

// The layouts that need the least memory, in case no single change makes this one fit.
void add_smaller(const TrainingCase& what, std::vector<Idea>& ideas) {
    const Change all_states{{"zero", "3"}};
    const Change again{{"recompute", "full"}};
    const Change node{{"tp", number(what.machine.gpus_per_node)}, {"sequence-parallel", "on"}};
    const auto add = [&](std::initializer_list<Change> changes, const char* text) {
        Idea idea{{}, text};
        for (const Change& change : changes) {
            idea.change.insert(idea.change.end(), change.begin(), change.end());
        }
        ideas.push_back(std::move(idea));
    };
    add({all_states, again}, "states sharded over replicas, full recomputation");
    add({node, again}, "tensor parallel over a node, full recomputation");
    add({node, all_states}, "tensor parallel over a node, states sharded over replicas");
    add({node, all_states, again}, "tensor parallel over a node, states sharded over replicas, full recomputation");
}

bool sets(const Change& change, std::string_view name, std::string_view value) {
    return std::any_of(change.begin(), change.end(),
                       [&](const auto& one) { return one.first == name && one.second == value; });
}

// Resets settings that the change excludes: recompute modules that are no longer repeated, and offloaded layers
// together with recomputation or stages.
void drop_what_it_excludes(const training::Layout& layout, Change& change) {
    const bool repeats = sets(change, "recompute", "full") || sets(change, "recompute", "selective");
    if (layout.framework.names_modules() &&
        (sets(change, "recompute", "none") || sets(change, "recompute", "full") || sets(change, "zero", "3"))) {
        change.emplace_back("recompute-modules", text_of(training::Framework{}.recompute_modules));
    }
    const bool stages = std::any_of(change.begin(), change.end(),
                                    [](const auto& one) { return one.first == "pp" && one.second != "1"; });
    if (layout.framework.offloaded_layers > 0 && (repeats || stages)) {
        change.emplace_back("offload-layers", "0");
    }
}

std::vector<Idea> ideas_for(const TrainingCase& what) {
    std::vector<Idea> ideas;
    if (!training::memory_of(what.model, what.machine, what.layout).fits()) {
        add_smaller(what, ideas);
    }
    add_batches(what.layout, ideas);
    add_schedules(what.layout, ideas);
    add_axes(what.layout, ideas);
    add_experts(what.model, what.layout, ideas);
    add_memory_for_time(what.layout, ideas);
    add_switches(what.machine, what.layout, ideas);
    for (Idea& idea : ideas) {
        drop_what_it_excludes(what.layout, idea.change);
    }
    return ideas;
}

// Adds the options that are needed to keep everything else unchanged.
void pin(const TrainingOptions& options, const TrainingCase& before, const TrainingCase& after, Change& change) {
    if (options.has("dp") && after.layout.parallelism.dp != before.layout.parallelism.dp) {
        change.emplace_back("dp", number(after.layout.parallelism.dp));
    }
    const bool batch_follows = after.layout.parallelism.dp != before.layout.parallelism.dp ||
                               after.layout.parallelism.pp != before.layout.parallelism.pp ||
                               after.layout.batch.micro != before.layout.batch.micro;
    if (!options.has("global-batch") && batch_follows) {
        change.emplace_back("global-batch", number(after.layout.batch.global));
    }
}

}  // namespace

AdviceList advice(const TrainingOptions& options, const TrainingCase& what, double step_seconds,
                  const Predictor& predictor) {
    AdviceList list;
    for (Idea& idea : ideas_for(what)) {
        TrainingCase other;
        try {
            other = changed(options, what, idea.change);
        } catch (const config::UsageError&) {
            ++list.impossible;
            continue;
        }
        const training::Memory memory = training::memory_of(other.model, other.machine, other.layout);
        if (!memory.fits()) {
            ++list.too_large;
            continue;
        }
        const double after = seconds(predictor(other.model, other.machine, other.layout).step);
        pin(options, what, other, idea.change);
        list.tried.push_back({.change = std::move(idea.change),
                              .text = std::move(idea.text),
                              .step_seconds = after,
                              .gain = 1 - after / step_seconds,
                              .memory = memory.fullest().peak.total()});
    }
    std::stable_sort(list.tried.begin(), list.tried.end(),
                     [](const Advice& a, const Advice& b) { return a.gain > b.gain; });
    return list;
}

}  // namespace sim::predict
