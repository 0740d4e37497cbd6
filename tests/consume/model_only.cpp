// Models, machines and memory without a simulation. Needs neither ranks/ nor the kernel.
#include <libsim/training/hardware.hpp>
#include <libsim/training/memory.hpp>
#include <libsim/training/parameters.hpp>
#include <libsim/training/presets.hpp>

int main() {
    namespace training = sim::training;
    const training::Transformer gpt = training::preset("gpt2");
    // Compiled-in data, and a text in TOML: the consumer does not link the libraries that parse them.
    const training::Machine machine = training::machine("dgx-h100");
    const training::Machine own = training::machine_of_toml("base = \"dgx-h100\"\ngpus_per_node = 4\n", "own.toml");
    const bool fits = training::memory_of(gpt, own, training::Layout{}).fits();
    const bool counted = training::parameters_of(gpt).total() == 124439808;
    return counted && fits && machine.gpus_per_node == 8 && own.gpus_per_node == 4 ? 0 : 1;
}
