// Lab 11: three deadlocks, one behind the other. A send waits here until its receiver takes it.
#include <libsim/collectives/all_reduce.hpp>
#include <ranks/lab.hpp>

#include <vector>

namespace {

using Numbers = std::vector<double>;

// Every rank hands its edge to the right, tells rank 0 its loss, and adds the gradients up. Ranks without samples have
// a gradient of zeros.
void step(sim::GPU& gpu, const Numbers& edge, Numbers& halo, double loss, Numbers& losses, int samples,
          Numbers& gradient) {
    const int ranks = gpu.world_size();
    const int right = (gpu.rank() + 1) % ranks;
    const int left = (gpu.rank() + ranks - 1) % ranks;
    // Your lines begin here: find out from `ndsim lab check 11` who waits for whom, and repair one deadlock after the
    // other. What is sent stays what it is.
    // Starter: gpu.send(right, edge, "edge");
    // Starter: gpu.receive(left, halo, "edge");
    // Starter: if (gpu.rank() == 0) {
    // Starter:     losses = {loss};
    // Starter:     for (int source = 1; source < ranks; ++source) {
    // Starter:         losses.push_back(gpu.receive<double>(source, "loss", {}, sim::Tag{source - 1}).front());
    // Starter:     }
    // Starter: } else {
    // Starter:     gpu.send(0, Numbers{loss}, "loss", {}, sim::Tag{gpu.rank()});
    // Starter: }
    // Starter: if (samples > 0) {
    // Starter:     gpu.compute("backward", sim::Flops{1'000'000LL * samples});
    // Starter:     sim::all_reduce(gpu, sim::world(gpu), gradient);
    // Starter: }
    if (gpu.rank() % 2 == 0) {
        gpu.send(right, edge, "edge");
        gpu.receive(left, halo, "edge");
    } else {
        gpu.receive(left, halo, "edge");
        gpu.send(right, edge, "edge");
    }
    if (gpu.rank() == 0) {
        losses = {loss};
        for (int source = 1; source < ranks; ++source) {
            losses.push_back(gpu.receive<double>(source, "loss", {}, sim::Tag{source}).front());
        }
    } else {
        gpu.send(0, Numbers{loss}, "loss", {}, sim::Tag{gpu.rank()});
    }
    if (samples > 0) {
        gpu.compute("backward", sim::Flops{1'000'000LL * samples});
    }
    sim::all_reduce(gpu, sim::world(gpu), gradient);
    // Your lines end here.
}

void program(sim::GPU& gpu, const sim::lab::Given& given) {
    const auto size = static_cast<std::size_t>(given.whole("edge"));
    const auto samples = static_cast<int>(given.whole("samples")) - gpu.rank();
    const Numbers edge(size, given["factor"] * gpu.rank());
    Numbers halo(size);
    Numbers losses;
    Numbers gradient(static_cast<std::size_t>(given.whole("gradient")), samples > 0 ? gpu.rank() + 1 : 0);
    step(gpu, edge, halo, given["factor"] + gpu.rank(), losses, samples, gradient);
    gpu.report("halo", halo);
    gpu.report("losses", losses);
    gpu.report("gradient", gradient);
}

}  // namespace

NDSIM_LAB(program)
