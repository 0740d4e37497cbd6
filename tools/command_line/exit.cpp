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

namespace sim::command_line {

using namespace config;

namespace {

// A line that echoes more than this of what was typed or read helps nobody.
constexpr std::size_t longest_complaint = 1'000;

}  // namespace

void tell(const std::string& text) {
    // fmt::print() would throw, and from a handler that ends the program. The exit code says what went wrong.
    std::fwrite(text.data(), 1, text.size(), stderr);
}

int complain(const std::string& name, std::string what, int exit_code) {
    // One line, whatever was typed or read.
    std::replace_if(
        what.begin(), what.end(), [](unsigned char c) { return c < ' ' || c == 0x7f; }, ' ');
    tell(fmt::format("{}: {}\n", name, shortened(what, longest_complaint)));
    return exit_code;
}

void print(const std::string& text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
        throw config::OutputError(fmt::format("standard output cannot be written: {}", std::strerror(errno)));
    }
}

int exit_code_of(const std::string& name, const std::function<int()>& body) {
    // A file that grows too large and a reader that goes away are failed writes, which are reported, not an end.
    std::signal(SIGXFSZ, SIG_IGN);
    std::signal(SIGPIPE, SIG_IGN);
    try {
        return body();
    } catch (const config::Interrupted& interrupted) {
        return stopped + interrupted.signal;
    } catch (const config::UsageError& error) {
        return complain(name, error.what(), usage);
    } catch (const std::invalid_argument& error) {
        return complain(name, error.what(), usage);
    } catch (const std::out_of_range& error) {  // of a unit, a rate or a duration
        return complain(name, error.what(), usage);
    } catch (const std::overflow_error& error) {  // of simulated time
        return complain(name, error.what(), usage);
    } catch (const DeadlockError& error) {
        tell(fmt::format("{}: {}\n", name, error.what()));
        return deadlock;
    } catch (const MismatchError& error) {
        return complain(name, error.what(), deadlock);
    } catch (const config::MachineLimit& error) {
        return complain(name, error.what(), machine_limit);
    } catch (const config::OutputError& error) {
        return complain(name, error.what(), no_output);
    } catch (const std::system_error& error) {
        return complain(name, error.what(), machine_limit);
    } catch (const std::bad_alloc&) {
        return complain(name, "there is not enough memory", machine_limit);
    } catch (const std::exception& error) {
        return complain(name, error.what(), failed);
    }
}

}  // namespace sim::command_line
