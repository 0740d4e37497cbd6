#include "libsim/predict/machine_file.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/config/text_file.hpp"
#include "libsim/error.hpp"

namespace sim::predict {

namespace {

bool is_file(const std::string& name) {
    return name.ends_with(".toml") || name.find('/') != std::string::npos;
}

// A bad hardware file is a usage error, not a ProgramError.
template <class Read>
auto as_usage(Read read) {
    try {
        return read();
    } catch (const ProgramError& error) {
        throw config::UsageError(error.what());
    }
}

}  // namespace

training::Hardware read_machine_with_sources(const std::string& name_or_file) {
    return as_usage([&] {
        return is_file(name_or_file)
                   ? training::hardware_of_toml(config::read_toml_text(name_or_file), name_or_file)
                   : training::Hardware{training::machine(name_or_file), training::sources_of(name_or_file), {}};
    });
}

training::Machine read_machine(const std::string& name_or_file) {
    return read_machine_with_sources(name_or_file).machine;
}

training::Hardware read_hardware(const std::string& name_or_file) {
    return as_usage([&] {
        return is_file(name_or_file) ? training::hardware_of_toml(config::read_toml_text(name_or_file), name_or_file)
                                     : training::hardware_of(name_or_file);
    });
}

}  // namespace sim::predict
