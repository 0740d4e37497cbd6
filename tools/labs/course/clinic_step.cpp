#include "tools/labs/course/clinic_step.hpp"

#include "libsim/collectives/all_reduce.hpp"

#include <algorithm>

namespace sim::labs {

namespace {

using Numbers = std::vector<double>;

void exchange(GPU& gpu, ClinicStep::Exchange how, const Numbers& edge, Numbers& halo) {
    using Exchange = ClinicStep::Exchange;
    const int ranks = gpu.world_size();
    const int side = how == Exchange::to_the_left ? ranks - 1 : 1;
    const int target = (gpu.rank() + side) % ranks;
    const int source = (gpu.rank() + ranks - side) % ranks;
    if (how == Exchange::alone) {
        halo = edge;
        return;
    }
    const bool in_turns = how == Exchange::in_turns || how == Exchange::to_the_left;
    const bool receives_first = how == Exchange::all_receive_first || (in_turns && gpu.rank() % 2 == 1) ||
                                (how == Exchange::one_receives_first && gpu.rank() == 0) ||
                                (how == Exchange::one_sends_first && gpu.rank() != 0);
    if (receives_first) {
        gpu.receive(source, halo, "edge");
        gpu.send(target, edge, "edge");
    } else {
        gpu.send(target, edge, "edge");
        gpu.receive(source, halo, "edge");
    }
}

Numbers gather_losses(GPU& gpu, ClinicStep::Losses how, double loss) {
    using Losses = ClinicStep::Losses;
    const auto tag_of = [how](int rank) { return Tag{how == Losses::no_tag ? 0 : rank}; };
    if (how == Losses::barrier_first) {
        gpu.barrier();
    }
    if (how == Losses::none_sent) {
        return gpu.rank() == 0 ? Numbers{loss} : Numbers{};
    }
    if (gpu.rank() > 0) {
        gpu.send(0, Numbers{loss}, "loss", {}, tag_of(gpu.rank()));
        return {};
    }
    Numbers losses{loss};
    const int ranks = gpu.world_size();
    for (int i = 1; i < ranks; ++i) {
        const int source = how == Losses::reversed ? ranks - i : i;
        losses.push_back(
            gpu.receive<double>(source, "loss", {}, tag_of(how == Losses::tag_of_another ? source - 1 : source))
                .front());
    }
    return losses;
}

void sum_up(GPU& gpu, ClinicStep::Gradients how, int with_samples, Numbers& gradient) {
    using Gradients = ClinicStep::Gradients;
    const bool has_samples = gpu.rank() < with_samples;
    switch (how) {
        case Gradients::of_all: all_reduce(gpu, world(gpu), gradient); break;
        case Gradients::of_those_with_samples:
            if (has_samples) {
                all_reduce(gpu, Group::strided(0, 1, with_samples), gradient);
            }
            break;
        case Gradients::skipped_by_others:
            if (has_samples) {
                all_reduce(gpu, world(gpu), gradient);
            }
            break;
        case Gradients::of_nobody: break;
        case Gradients::averaged: all_reduce(gpu, world(gpu), gradient, {}, Reduction::average); break;
        case Gradients::largest: all_reduce(gpu, world(gpu), gradient, {}, Reduction::max); break;
        case Gradients::twice:
            all_reduce(gpu, world(gpu), gradient);
            all_reduce(gpu, world(gpu), gradient);
            break;
    }
}

}  // namespace

void run_clinic(GPU& gpu, const Given& given, const ClinicStep& step) {
    const auto size = static_cast<std::size_t>(given.whole("edge"));
    const auto all_samples = static_cast<int>(given.whole("samples"));
    const int samples = all_samples - gpu.rank();
    const Numbers edge(size, given["factor"] * gpu.rank());
    Numbers halo(size);
    Numbers gradient(static_cast<std::size_t>(given.whole("gradient")), samples > 0 ? gpu.rank() + 1 : 0);
    exchange(gpu, step.exchange, edge, halo);
    if (step.extra_barrier) {
        gpu.barrier();
    }
    const Numbers losses = gather_losses(gpu, step.losses, given["factor"] + gpu.rank());
    if (samples > 0 || step.all_compute) {
        gpu.compute("backward", Flops{std::int64_t{1'000'000} * std::max(samples, 1)});
    }
    sum_up(gpu, step.gradients, all_samples, gradient);
    gpu.report("halo", halo);
    gpu.report("losses", losses);
    gpu.report("gradient", gradient);
}

}  // namespace sim::labs
