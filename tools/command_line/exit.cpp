#include "tools/command_line/exit.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/error.hpp"
#include "libsim/plain_text.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string_view>
#include <system_error>

namespace sim::command_line {

using namespace config;

namespace {

// Longer echoes of input do not help the reader.
constexpr std::size_t longest_complaint = 1'000;
// 1 if an allocation has failed.
volatile std::sig_atomic_t memory_is_short = 0;

[[noreturn]] void fail_allocation() {
    memory_is_short = 1;
    throw std::bad_alloc();
}

// Some out-of-memory failures cannot be caught: in initialisation before main(), and in library functions that promise
// not to throw. Allocates nothing.
[[noreturn]] void end_program() {
    if (memory_is_short == 0) {
        __gnu_cxx::__verbose_terminate_handler();
    }
    for (const std::string_view part :
         {std::string_view(program_invocation_short_name), std::string_view(": there is not enough memory\n")}) {
        if (::write(STDERR_FILENO, part.data(), part.size()) < 0) {
            break;  // the exit code still reports it
        }
    }
    ::_exit(machine_limit);
}

// Runs before all other initialisation.
[[gnu::constructor(101)]] void expect_little_memory() {
    std::set_new_handler(fail_allocation);
    std::set_terminate(end_program);
}

}  // namespace

void tell(const std::string& text) {
    tell_drawn(plain_text(text));
}

void tell_drawn(const std::string& text) {
    // fmt::print() would throw, here even from a handler that ends the program. The exit code reports the error.
    std::fwrite(text.data(), 1, text.size(), stderr);
}

int complain(const std::string& name, std::string what, int exit_code) {
    // One line, whatever the input contained.
    std::replace_if(
        what.begin(), what.end(), [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
    tell(fmt::format("{}: {}\n", name, shortened(what, longest_complaint)));
    return exit_code;
}

void print(const std::string& text) {
    print_drawn(plain_text(text));
}

void print_drawn(const std::string& text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
        const std::string what = fmt::format("standard output cannot be written: {}", std::strerror(errno));
        if (errno == EPIPE) {
            throw ReaderGone(what);
        }
        throw OutputError(what);
    }
}

namespace {

// Requires: called while an exception is being handled.
int exit_code_of_exception(const std::string& name) {
    try {
        throw;
    } catch (const UsageError& error) {
        return complain(name, error.what(), usage);
    } catch (const std::invalid_argument& error) {
        return complain(name, error.what(), usage);
    } catch (const std::out_of_range& error) {  // from a unit, a rate or a duration
        return complain(name, error.what(), usage);
    } catch (const std::overflow_error& error) {  // from simulated time
        return complain(name, error.what(), usage);
    } catch (const DeadlockError& error) {
        tell(fmt::format("{}: {}\n", name, error.what()));
        return deadlock;
    } catch (const MismatchError& error) {
        return complain(name, error.what(), deadlock);
    } catch (const BrokenRunError& error) {
        tell(fmt::format("{}: {}\n", name, error.what()));
        return error.died ? rank_died : rank_hung;
    } catch (const MachineLimit& error) {
        return complain(name, error.what(), machine_limit);
    } catch (const ReaderGone&) {
        return no_output;
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

}  // namespace

int exit_code_of(const std::string& name, const std::function<int()>& body) {
    // Files that exceed the size limit and readers that close the pipe become failed writes, which are reported.
    std::signal(SIGXFSZ, SIG_IGN);
    std::signal(SIGPIPE, SIG_IGN);
    try {
        return body();
    } catch (const Interrupted& interrupted) {
        return stopped + interrupted.signal;
    } catch (...) {
        // A library that could not allocate may have reported another error.
        return memory_is_short != 0 ? complain(name, "there is not enough memory", machine_limit)
                                    : exit_code_of_exception(name);
    }
}

}  // namespace sim::command_line
