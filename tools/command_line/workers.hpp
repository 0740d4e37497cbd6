// Workers are the threads of a program: this is the one place where they are made. Ranks are none of them.
#pragma once

#include "libsim/config/option_row.hpp"
#include "libsim/for_each.hpp"

#include <memory>

namespace sim::command_line {

class Workers {
public:
    // 0: as many as there are cores.
    explicit Workers(int threads = 0);
    ~Workers();
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;

    int threads() const { return threads_; }
    // Does what ForEach promises, on these threads; the caller's watches progress and stopping. Requires: one caller at
    // a time, and none of these threads.
    bool for_each(std::size_t count, const EachOptions& options, const std::function<void(std::size_t)>& work);
    // The same as a value, which lives no longer than this.
    ForEach executor();

private:
    struct Pool;
    int threads_;
    std::unique_ptr<Pool> pool_;
};

// --jobs N, and --threads, as some commands called it.
config::OptionRow jobs_row(int& jobs);

}  // namespace sim::command_line
