// These TOML files are compiled in. Their definitions are generated: cmake/ndsim_embed.cmake.
#pragma once

#include <span>
#include <string_view>

namespace sim::training {

struct HardwareFile {
    std::string_view folder;  // accelerators, generations, machines
    std::string_view stem;    // the file's name without .toml
    std::string_view text;
};
std::span<const HardwareFile> hardware_files();

}  // namespace sim::training
