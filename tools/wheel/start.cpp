// A scenario's command in the wheel: starts the program `ndsim` next to it, which contains all programs, under its own
// name.
//
// A wheel cannot contain links, and a separate program for each scenario would take two megabytes.
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>

namespace {

constexpr int machine_limit = 7;
constexpr char program[] = "ndsim";

}  // namespace

int main(int /*argc*/, char** argv) {
    char own[PATH_MAX] = "";
    const ssize_t length = ::readlink("/proc/self/exe", own, sizeof(own) - sizeof(program));
    if (length <= 0) {
        std::fprintf(stderr, "ndsim: /proc/self/exe cannot be read: %s\n", std::strerror(errno));
        return machine_limit;
    }
    own[length] = '\0';
    char other[PATH_MAX] = "";
    const auto folder = static_cast<std::size_t>(std::strrchr(own, '/') + 1 - own);
    std::memcpy(other, own, folder);
    std::memcpy(other + folder, program, sizeof(program));
    // Uses the installed name, even if it is called through a link of another name.
    argv[0] = own;
    ::execv(other, argv);
    std::fprintf(stderr, "%s: %s cannot be started: %s; install ndsim again\n", own + folder, other,
                 std::strerror(errno));
    return machine_limit;
}
