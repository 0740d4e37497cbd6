#include "libsim/training/hardware.hpp"

#include "libsim/training/hardware/catalogue.hpp"
#include "libsim/training/hardware/reader.hpp"

namespace sim::training {

std::vector<std::string> accelerator_names() {
    return catalogue_names("accelerators");
}

std::vector<std::string> machine_names() {
    return catalogue_names("machines");
}

Accelerator accelerator(std::string_view name) {
    Hardware hardware;
    put_named_accelerator(hardware, name);
    return hardware.machine.gpu;
}

Machine machine(std::string_view name) {
    Hardware hardware;
    put_named_machine(hardware, name);
    finish(hardware, std::string(name));
    return hardware.machine;
}

Machine machine_of_toml(std::string_view text, const std::string& where) {
    return hardware_of_toml(text, where).machine;
}

Hardware hardware_of(std::string_view name) {
    Hardware hardware;
    CatalogueFile file;
    if (find_hardware(name, file) && file.folder == "accelerators") {
        put_named_accelerator(hardware, file.name);
        hardware.machine.name = hardware.machine.gpu.name;
        hardware.machine.gpus_per_node = 1;
        finish(hardware, std::string(name));
        // An accelerator alone has no node whose defaults could be listed.
        std::erase_if(hardware.numbers, [](const Sourced& one) {
            return one.field == "gpus_per_node" || one.field == "host_link" || one.field == "switch_sums";
        });
        return hardware;
    }
    put_named_machine(hardware, name);
    finish(hardware, std::string(name));
    return hardware;
}

Hardware hardware_of_toml(std::string_view text, const std::string& where) {
    Hardware hardware;
    const std::vector<HardwareEntry> entries = hardware_entries(text, where);
    put_machine(hardware, entries);
    if (text_under(entries, "name").empty()) {
        hardware.machine.name = where;  // not its base's
    }
    finish(hardware, where);
    return hardware;
}

std::vector<Sourced> sources_of(std::string_view name) {
    return hardware_of(name).numbers;
}

}  // namespace sim::training
