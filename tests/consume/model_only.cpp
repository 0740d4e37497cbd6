// What people train, without a simulation: models, machines and memory. Needs neither ranks/ nor the kernel.
#include <libsim/training/hardware.hpp>
#include <libsim/training/memory.hpp>
#include <libsim/training/parameters.hpp>
#include <libsim/training/presets.hpp>

int main() {
    namespace model = sim::model;
    const model::Transformer gpt = model::preset("gpt2");
    // Compiled-in data, and a text in TOML: the consumer has none of the libraries that read them.
    const model::Machine machine = model::machine("dgx-h100");
    const model::Machine own = model::machine_of_toml("base = \"dgx-h100\"\ngpus_per_node = 4\n", "own.toml");
    const bool fits = model::memory_of(gpt, own, model::Layout{}).fits();
    const bool counted = model::parameters_of(gpt).total() == 124439808;
    return counted && fits && machine.gpus_per_node == 8 && own.gpus_per_node == 4 ? 0 : 1;
}
