#include "tools/command_line/exit.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <system_error>

namespace sim::scenarios {

int complain(const std::string& name, std::string what, int exit_code) {
    // One line, whatever was typed or read.
    std::replace_if(
        what.begin(), what.end(), [](unsigned char c) { return c < ' ' || c == 0x7f; }, ' ');
    fmt::print(stderr, "{}: {}\n", name, what);
    return exit_code;
}

void print(const std::string& text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
        throw OutputError(fmt::format("standard output cannot be written: {}", std::strerror(errno)));
    }
}

int exit_code_of(const std::string& name, const std::function<int()>& body) {
    // A file that grows too large and a reader that goes away are failed writes, which are reported, not an end.
    std::signal(SIGXFSZ, SIG_IGN);
    std::signal(SIGPIPE, SIG_IGN);
    try {
        return body();
    } catch (const Interrupted& interrupted) {
        return stopped + interrupted.signal;
    } catch (const UsageError& error) {
        return complain(name, error.what(), usage);
    } catch (const std::invalid_argument& error) {
        return complain(name, error.what(), usage);
    } catch (const std::out_of_range& error) {  // of a unit, a rate or a duration
        return complain(name, error.what(), usage);
    } catch (const std::overflow_error& error) {  // of simulated time
        return complain(name, error.what(), usage);
    } catch (const DeadlockError& error) {
        fmt::print(stderr, "{}: {}\n", name, error.what());
        return deadlock;
    } catch (const MachineLimit& error) {
        return complain(name, error.what(), machine_limit);
    } catch (const OutputError& error) {
        return complain(name, error.what(), no_output);
    } catch (const std::system_error& error) {
        return complain(name, error.what(), machine_limit);
    } catch (const std::bad_alloc&) {
        return complain(name, "there is not enough memory", machine_limit);
    } catch (const std::exception& error) {
        return complain(name, error.what(), failed);
    }
}

}  // namespace sim::scenarios
