// Runs a test's body in a process of its own, which it may limit or change freely.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <string>

namespace sim::test {

// Returns the exit status of a process that runs `body`, or 1000 plus the signal that killed it.
inline int in_a_process(const std::function<int()>& body) {
    const int pid = fork();
    if (pid == 0) {
        _exit(body());
    }
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

// Returns the text that `body` returns in such a process.
inline std::string said_in_a_process(const std::function<std::string()>& body) {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) {
        return "no pipe";
    }
    const int status = in_a_process([&] {
        close(ends[0]);
        const std::string said = body();
        return write(ends[1], said.data(), said.size()) == static_cast<ssize_t>(said.size()) ? 0 : 1;
    });
    close(ends[1]);
    std::string said(65'536, '\0');  // capacity of a pipe
    const ssize_t got = read(ends[0], said.data(), said.size());
    close(ends[0]);
    said.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return status == 0 ? said : said + " and ended with " + std::to_string(status);
}

}  // namespace sim::test
