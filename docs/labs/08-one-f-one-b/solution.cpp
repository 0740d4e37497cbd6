// Lab 8: a pipeline whose stages alternate: one forward pass, one backward pass (1F1B).
#include <libsim/error.hpp>
#include <ranks/lab.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace {

using Numbers = std::vector<double>;

// One stage of the model multiplies by its weight. It keeps what comes in until the backward pass.
class Stage {
public:
    Stage(sim::GPU& gpu, const sim::lab::Given& given) : gpu_(gpu), given_(given), weight_(1 + gpu.rank() % 3) {}

    // A whole forward pass: receives, computes, and sends on.
    void forward(int micro_batch) {
        const Numbers x = is_first() ? batch(micro_batch) : gpu_.receive<double>(gpu_.rank() - 1, "activation");
        gpu_.allocate("activations", sim::Bytes{given_.whole("activation_bytes")});
        gpu_.compute("forward " + std::to_string(micro_batch), sim::Flops{given_.whole("forward_flops")});
        inputs_[micro_batch] = x;
        outputs_[micro_batch] = scaled(x);
        if (!is_last()) {
            gpu_.send_async(gpu_.rank() + 1, outputs_[micro_batch], "activation");
        }
    }

    // A whole backward pass, which needs no activation of this micro-batch any longer when it is done.
    void backward(int micro_batch) {
        if (inputs_.count(micro_batch) == 0) {
            throw sim::ProgramError("backward of micro-batch " + std::to_string(micro_batch) + " before its forward");
        }
        const Numbers gradient = is_last() ? outputs_[micro_batch] : gpu_.receive<double>(gpu_.rank() + 1, "gradient");
        gpu_.compute("backward " + std::to_string(micro_batch), sim::Flops{2 * given_.whole("forward_flops")});
        gpu_.release("activations", sim::Bytes{given_.whole("activation_bytes")});
        for (std::size_t i = 0; i < gradient.size(); ++i) {
            weight_gradient_ += gradient[i] * inputs_[micro_batch][i];
        }
        if (!is_first()) {
            gpu_.send_async(gpu_.rank() - 1, scaled(gradient), "gradient");
        }
    }

    double weight_gradient() const { return weight_gradient_; }

private:
    bool is_first() const { return gpu_.rank() == 0; }
    bool is_last() const { return gpu_.rank() == gpu_.world_size() - 1; }

    // The input of stage 0.
    Numbers batch(int micro_batch) const {
        Numbers x(static_cast<std::size_t>(given_.whole("elements")));
        for (std::size_t i = 0; i < x.size(); ++i) {
            x[i] = given_["first"] + micro_batch + static_cast<double>(i % 2);
        }
        return x;
    }

    Numbers scaled(Numbers numbers) const {
        for (double& number : numbers) {
            number *= weight_;
        }
        return numbers;
    }

    sim::GPU& gpu_;
    const sim::lab::Given& given_;
    double weight_;
    double weight_gradient_ = 0;
    std::map<int, Numbers> inputs_;  // by micro-batch
    std::map<int, Numbers> outputs_;
};

void train([[maybe_unused]] sim::GPU& gpu, [[maybe_unused]] Stage& stage, [[maybe_unused]] int micro_batches) {
    // Your lines begin here: a few forward passes to warm up, then one forward and one backward in turn, then the
    // backward passes that are left.
    // Starter: sim::lab::gap(gpu, "write the order of the passes here");
    const int ahead = std::min(gpu.world_size() - 1 - gpu.rank(), micro_batches);
    for (int i = 0; i < ahead; ++i) {
        stage.forward(i);
    }
    for (int i = 0; i < micro_batches; ++i) {
        if (ahead + i < micro_batches) {
            stage.forward(ahead + i);
        }
        stage.backward(i);
    }
    // Your lines end here.
}

void program(sim::GPU& gpu, const sim::lab::Given& given) {
    Stage stage(gpu, given);
    train(gpu, stage, static_cast<int>(given.whole("micro_batches")));
    gpu.report("gradient", stage.weight_gradient());
}

}  // namespace

NDSIM_LAB(program)
