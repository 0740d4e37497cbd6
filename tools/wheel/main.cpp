// The wheel's program `ndsim`: all programs in one, selected by the name under which it is started. They share nearly
// all of their code; separate programs would be four times as large.
#include "tools/wheel/programs.hpp"

#include <algorithm>
#include <filesystem>

int main(int argc, char** argv) {
    const std::string name = argc > 0 ? std::filesystem::path(argv[0]).filename().string() : "";
    const auto programs = sim::wheel::programs();
    const auto found =
        std::find_if(programs.begin(), programs.end(), [&](const auto& each) { return each.name == name; });
    return found == programs.end() ? ndsim_main(argc, argv) : found->main(argc, argv);
}
