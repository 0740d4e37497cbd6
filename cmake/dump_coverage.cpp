// A rank's process ends by _exit(), which skips writing the coverage counts. Linked with --wrap=_exit, this writes them
// first.
//
// A process killed in the middle of that leaves a file to which no counts can be added any more. Linked with
// --wrap=kill, SIGKILL therefore waits until no process is writing.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/types.h>
#include <unistd.h>

#include <csignal>

namespace {

// Held while writing or killing; abandoned after a second, because a stopped writer may hold it.
class Turn {
public:
    Turn() : file_(open(NDSIM_COVERAGE_LOCK, O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
        constexpr int most_tries = 1000;
        for (int i = 0; file_ >= 0 && i < most_tries && flock(file_, LOCK_EX | LOCK_NB) != 0; ++i) {
            usleep(1000);
        }
    }
    ~Turn() { close(file_); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

private:
    int file_;
};

}  // namespace

extern "C" {
void __gcov_dump();
[[noreturn]] void __real__exit(int code);
int __real_kill(pid_t pid, int number);

[[noreturn]] void __wrap__exit(int code) {
    {
        const Turn turn;
        __gcov_dump();
    }
    __real__exit(code);
}

int __wrap_kill(pid_t pid, int number) {
    if (number != SIGKILL) {
        return __real_kill(pid, number);
    }
    const Turn turn;
    return __real_kill(pid, number);
}
}
