// Makes the system refuse a call from now on, as an older system would, or one out of resources.
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace sim::test {

struct RefusedCall {
    long number = 0;           // SYS_…
    int error = 0;             // errno of the call
    std::size_t argument = 0;  // the one to compare, from 1; 0: every call is refused
    std::uint32_t value = 0;   // of its lower half
};

// Applies to the rest of this process and its descendants. Returns false if the system has no such filters.
inline bool refuse_from_now_on(const RefusedCall& call) {
    constexpr std::uint8_t to_end = 3;
    const auto word = static_cast<std::uint32_t>(offsetof(seccomp_data, args) +
                                                 (call.argument > 0 ? call.argument - 1 : 0) * sizeof(std::uint64_t));
    const auto deny = SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(call.error);
    const std::uint8_t otherwise = call.argument > 0 ? 1 : 0;
    std::array<sock_filter, 6> steps{
        sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call.number), 0, to_end),
        sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, word),
        sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call.value, 0, otherwise),
        sock_filter BPF_STMT(BPF_RET | BPF_K, deny),
        sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog program{.len = static_cast<unsigned short>(steps.size()), .filter = steps.data()};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

}  // namespace sim::test
