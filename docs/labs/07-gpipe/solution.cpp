// Lab 7: a pipeline that runs all forward passes, then all backward passes (GPipe).
#include <ranks/lab.hpp>

#include <map>
#include <string>
#include <vector>

namespace {

using Numbers = std::vector<double>;

// One stage of the model multiplies by its weight. It keeps what comes in until the backward pass.
class Stage {
public:
    Stage(sim::GPU& gpu, const sim::lab::Given& given) : gpu_(gpu), given_(given), weight_(1 + gpu.rank() % 3) {}

    // The input of stage 0.
    Numbers batch(int micro_batch) const {
        Numbers x(static_cast<std::size_t>(given_.whole("elements")));
        for (std::size_t i = 0; i < x.size(); ++i) {
            x[i] = given_["first"] + micro_batch + static_cast<double>(i % 2);
        }
        return x;
    }

    // Returns what the next stage gets.
    Numbers forward(int micro_batch, const Numbers& x) {
        gpu_.allocate("activations", sim::Bytes{given_.whole("activation_bytes")});
        gpu_.compute("forward " + std::to_string(micro_batch), sim::Flops{given_.whole("forward_flops")});
        inputs_[micro_batch] = x;
        return outputs_[micro_batch] = scaled(x);
    }

    // The gradient that starts the last stage's backward pass: its loss is half the sum of its squared outputs.
    Numbers loss_gradient(int micro_batch) const { return outputs_.at(micro_batch); }

    // Returns what the stage before gets.
    Numbers backward(int micro_batch, const Numbers& gradient) {
        gpu_.compute("backward " + std::to_string(micro_batch), sim::Flops{2 * given_.whole("forward_flops")});
        gpu_.release("activations", sim::Bytes{given_.whole("activation_bytes")});
        for (std::size_t i = 0; i < gradient.size(); ++i) {
            weight_gradient_ += gradient[i] * inputs_.at(micro_batch)[i];
        }
        return scaled(gradient);
    }

    double weight_gradient() const { return weight_gradient_; }

private:
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

void train(sim::GPU& gpu, [[maybe_unused]] Stage& stage, [[maybe_unused]] int micro_batches) {
    // Your lines begin here: all micro-batches forward, then all backward. What a stage sends, it sends with
    // send_async, so that it computes on while the message leaves.
    // Starter: sim::lab::gap(gpu, "write the pipeline here");
    const int before = gpu.rank() - 1;
    const int next = gpu.rank() + 1;
    const bool is_last = next == gpu.world_size();
    for (int i = 0; i < micro_batches; ++i) {
        const Numbers x = before < 0 ? stage.batch(i) : gpu.receive<double>(before, "activation");
        const Numbers y = stage.forward(i, x);
        if (!is_last) {
            gpu.send_async(next, y, "activation");
        }
    }
    for (int i = 0; i < micro_batches; ++i) {
        const Numbers gradient = is_last ? stage.loss_gradient(i) : gpu.receive<double>(next, "gradient");
        const Numbers to_stage_before = stage.backward(i, gradient);
        if (before >= 0) {
            gpu.send_async(before, to_stage_before, "gradient");
        }
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
