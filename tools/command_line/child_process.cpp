#include "tools/command_line/child_process.hpp"

#include "libsim/config/errors.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace sim::command_line {

namespace {

[[noreturn]] void refuse_start(const std::string& program, int error) {
    throw config::MachineLimit(fmt::format("{} cannot be started: {}", program, std::strerror(error)));
}

}  // namespace

int run_child(const std::string& program, const std::vector<std::string>& arguments, const ChildFiles& files) {
    std::vector<char*> words{const_cast<char*>(program.c_str())};
    for (const std::string& argument : arguments) {
        words.push_back(const_cast<char*>(argument.c_str()));
    }
    words.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    constexpr int write_new = O_WRONLY | O_CREAT | O_TRUNC;
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, files.out.c_str(), write_new, 0600);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, files.err.c_str(), write_new, 0600);
    pid_t child = 0;
    const int error = ::posix_spawn(&child, program.c_str(), &actions, nullptr, words.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) {
        refuse_start(program, error);
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) {
            refuse_start(program, errno);
        }
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string own_folder() {
    return std::filesystem::read_symlink("/proc/self/exe").parent_path().string();
}

PassingFolder::PassingFolder() {
    path_ = (std::filesystem::temp_directory_path() / "ndsim-XXXXXX").string();
    if (::mkdtemp(path_.data()) == nullptr) {
        throw config::OutputError(fmt::format("no folder can be made like {}: {}", path_, std::strerror(errno)));
    }
}

PassingFolder::~PassingFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

}  // namespace sim::command_line
