// Workers are the threads of a program, and the only place where threads are made. Ranks are not among them.
#pragma once

#include "libsim/config/option_row.hpp"
#include "libsim/for_each.hpp"

#include <memory>

namespace sim::command_line {

class Workers {
public:
    // 0: one per core.
    explicit Workers(int threads = 0);
    ~Workers();
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;

    int threads() const { return threads_; }
    // Implements ForEach on these threads; the calling thread watches progress and stopping. Requires: one caller at a
    // time, and not from one of these threads.
    bool for_each(std::size_t count, const EachOptions& options, const std::function<void(std::size_t)>& work);
    // The same as a value, which must not outlive this object.
    ForEach executor();

private:
    struct Pool;
    int threads_;
    std::unique_ptr<Pool> pool_;
};

// --jobs N, also accepted as --threads, which some commands used.
config::OptionRow jobs_row(int& jobs);

}  // namespace sim::command_line
