// Lab 9: a pipeline whose stages hold several chunks of the model each (interleaved 1F1B).
#include <ranks/lab.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace {

using Numbers = std::vector<double>;

struct Step {
    bool is_backward = false;
    int micro_batch = 0;
    int chunk = 0;
};

// Chunk c of stage s is place c p + s of the chain that the model is. Each place multiplies by its weight.
class Stage {
public:
    Stage(sim::GPU& gpu, const sim::lab::Given& given)
        : gpu_(gpu),
          given_(given),
          stages_(gpu.world_size()),
          chunks_(static_cast<int>(given.whole("chunks"))),
          weight_gradients_(static_cast<std::size_t>(chunks_)) {}

    void execute(const Step& step) { step.is_backward ? backward(step) : forward(step); }
    const Numbers& weight_gradients() const { return weight_gradients_; }

private:
    // Receives, computes, and sends on.
    void forward(const Step& step) {
        const int place = place_of(step);
        const Numbers x = place == 0 ? batch(step.micro_batch) : take(step, "activation", place - 1);
        gpu_.allocate("activations", sim::Bytes{given_.whole("activation_bytes") / chunks_});
        gpu_.compute("forward " + std::to_string(step.micro_batch),
                     sim::Flops{given_.whole("forward_flops") / chunks_});
        inputs_[{step.micro_batch, step.chunk}] = x;
        if (is_last(place)) {
            outputs_[step.micro_batch] = scaled(x, place);
        } else {
            pass(step, "activation", place + 1, scaled(x, place));
        }
    }

    void backward(const Step& step) {
        const int place = place_of(step);
        if (is_last(place) && outputs_.count(step.micro_batch) == 0) {
            take(step, "loss", place - 1);  // nobody sends it: without a forward pass there is no loss
        }
        const Numbers gradient = is_last(place) ? outputs_[step.micro_batch] : take(step, "gradient", place + 1);
        gpu_.compute("backward " + std::to_string(step.micro_batch),
                     sim::Flops{2 * given_.whole("forward_flops") / chunks_});
        gpu_.release("activations", sim::Bytes{given_.whole("activation_bytes") / chunks_});
        for (std::size_t i = 0; i < gradient.size(); ++i) {
            weight_gradients_[static_cast<std::size_t>(step.chunk)] +=
                gradient[i] * inputs_[{step.micro_batch, step.chunk}][i];
        }
        if (place > 0) {
            pass(step, "gradient", place - 1, scaled(gradient, place));
        }
    }

    int place_of(const Step& step) const { return step.chunk * stages_ + gpu_.rank(); }
    bool is_last(int place) const { return place == stages_ * chunks_ - 1; }

    // A tag for each micro-batch, place and direction: a message never meets another step.
    sim::Tag tag(const Step& step, int place) const {
        return sim::Tag{2 * (step.micro_batch * chunks_ * stages_ + place) + (step.is_backward ? 1 : 0)};
    }
    Numbers take(const Step& step, const char* what, int from) {
        return gpu_.receive<double>(from % stages_, what, {}, tag(step, place_of(step)));
    }
    void pass(const Step& step, const char* what, int to, const Numbers& numbers) {
        gpu_.send_async(to % stages_, numbers, what, {}, tag(step, to));
    }

    // The input of place 0.
    Numbers batch(int micro_batch) const {
        Numbers x(static_cast<std::size_t>(given_.whole("elements")));
        for (std::size_t i = 0; i < x.size(); ++i) {
            x[i] = given_["first"] + micro_batch + static_cast<double>(i % 2);
        }
        return x;
    }

    static Numbers scaled(Numbers numbers, int place) {
        for (double& number : numbers) {
            number *= 1 + place % 3;
        }
        return numbers;
    }

    sim::GPU& gpu_;
    const sim::lab::Given& given_;
    int stages_;
    int chunks_;
    Numbers weight_gradients_;                       // by chunk
    std::map<std::pair<int, int>, Numbers> inputs_;  // by micro-batch and chunk
    std::map<int, Numbers> outputs_;                 // of the last place
};

std::vector<Step> schedule(sim::GPU& gpu, [[maybe_unused]] int micro_batches, [[maybe_unused]] int chunks) {
    [[maybe_unused]] const int stages = gpu.world_size();
    std::vector<Step> steps;
    // Your lines begin here: the steps of this stage, in order. Its n-th forward pass is of which micro-batch, through
    // which chunk? Its n-th backward pass? How many forward passes come before the first backward pass?
    // Starter: sim::lab::gap(gpu, "write the interleaved schedule here");
    const auto nth = [&](int n, bool is_backward) {
        const int group = n / (stages * chunks);  // of p micro-batches
        const int chunk = n % (stages * chunks) / stages;
        return Step{is_backward, group * stages + n % stages, is_backward ? chunks - 1 - chunk : chunk};
    };
    const int total = micro_batches * chunks;
    const int ahead = std::min(2 * (stages - 1 - gpu.rank()) + (chunks - 1) * stages, total);
    for (int n = 0; n < ahead; ++n) {
        steps.push_back(nth(n, false));
    }
    for (int n = 0; n < total; ++n) {
        if (ahead + n < total) {
            steps.push_back(nth(ahead + n, false));
        }
        steps.push_back(nth(n, true));
    }
    // Your lines end here.
    return steps;
}

void program(sim::GPU& gpu, const sim::lab::Given& given) {
    Stage stage(gpu, given);
    const int micro_batches = static_cast<int>(given.whole("micro_batches"));
    for (const Step& step : schedule(gpu, micro_batches, static_cast<int>(given.whole("chunks")))) {
        stage.execute(step);
    }
    gpu.report("gradient", stage.weight_gradients());
}

}  // namespace

NDSIM_LAB(program)
