// A pseudo terminal runs one of our executables as a user at a terminal sees it.
#pragma once

#include <fmt/format.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>

namespace sim::test {

class PseudoTerminal {
public:
    // `line` begins with the executable's name, as for run_command(); `before` may set variables.
    explicit PseudoTerminal(const std::string& line, const std::string& before = "") {
        winsize size{.ws_row = 30, .ws_col = 100, .ws_xpixel = 0, .ws_ypixel = 0};
        pid_ = forkpty(&master_, nullptr, nullptr, &size);
        if (pid_ < 0) {
            throw std::runtime_error("no pseudo terminal");
        }
        if (pid_ == 0) {
            setenv("TERM", "xterm-256color", 1);
            const std::string shell = before + " exec '" NDSIM_BIN_DIR "'/" + line;
            execl("/bin/bash", "bash", "-c", shell.c_str(), nullptr);
            _exit(127);
        }
    }
    PseudoTerminal(const PseudoTerminal&) = delete;
    PseudoTerminal& operator=(const PseudoTerminal&) = delete;
    ~PseudoTerminal() {
        if (!ended_) {
            kill(pid_, SIGKILL);
            waitpid(pid_, nullptr, 0);
        }
        close(master_);
    }

    // The output so far, once it satisfies `enough`, the program has ended, or a minute has passed.
    const std::string& read_until(const std::function<bool(const std::string&)>& enough) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
        while (!enough(seen_) && std::chrono::steady_clock::now() < end && read_more()) {
        }
        return seen_;
    }
    const std::string& read_until(const std::string& text) {
        return read_until([&](const std::string& seen) { return seen.find(text) != std::string::npos; });
    }
    const std::string& read_all() {
        return read_until([](const std::string&) { return false; });
    }
    const std::string& seen() const { return seen_; }

    void interrupt() const { kill(pid_, SIGINT); }
    // Requires: the program ends by itself.
    int exit_code() {
        read_all();
        int status = 0;
        waitpid(pid_, &status, 0);
        ended_ = true;
        return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
    }

private:
    bool read_more() {
        pollfd readable{.fd = master_, .events = POLLIN, .revents = 0};
        if (poll(&readable, 1, 1'000) == 0) {
            return true;
        }
        char bytes[4096];
        const ssize_t got = read(master_, bytes, sizeof bytes);
        if (got <= 0) {
            return false;  // EIO: no process has the terminal open any more
        }
        seen_.append(bytes, static_cast<std::size_t>(got));
        return true;
    }

    int master_ = -1;
    int pid_ = -1;
    bool ended_ = false;
    std::string seen_;
};

}  // namespace sim::test
