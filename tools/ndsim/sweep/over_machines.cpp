#include "tools/ndsim/sweep/over_machines.hpp"

#include "libsim/config/errors.hpp"
#include "tools/command_line/exit.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <thread>

#ifdef NDSIM_MPI
#include <mpi.h>
#endif

namespace sim::tools {

using namespace command_line;
using namespace config;

namespace {

// The cores that this process may use: those it is bound to, or its share of all cores of the machine.
int cores_of(int processes_here) {
    const int usable = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    const int all = std::max(1, static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN)));
    return usable < all ? usable : std::max(1, all / processes_here);
}

bool started_by_mpirun() {
    constexpr const char* signs[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMI_RANK", "PMIX_RANK"};
    return std::any_of(std::begin(signs), std::end(signs), [](const char* sign) { return std::getenv(sign); });
}

}  // namespace

#ifdef NDSIM_MPI

namespace {

using namespace std::chrono_literals;

constexpr int request = 1;  // finished rows, each as "number row\n"
constexpr int order = 2;    // numbers of the next rows; empty: stop

void send(int to, int tag, const std::string& text) {
    MPI_Send(text.data(), static_cast<int>(text.size()), MPI_CHAR, to, tag, MPI_COMM_WORLD);
}

std::string receive(int from, int tag) {
    MPI_Status status;
    MPI_Probe(from, tag, MPI_COMM_WORLD, &status);
    int size = 0;
    MPI_Get_count(&status, MPI_CHAR, &size);
    std::string text(static_cast<std::size_t>(size), '\0');
    MPI_Recv(text.data(), size, MPI_CHAR, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return text;
}

std::vector<std::size_t> numbers_in(const std::string& text) {
    std::vector<std::size_t> numbers;
    for (std::size_t at = 0; at < text.size(); at = text.find(' ', at) + 1) {
        numbers.push_back(std::stoull(text.substr(at)));
    }
    return numbers;
}

// Serves the other processes until all have stopped; the first process does so while it computes its own rows.
void serve(int others, Queue& queue, const RowTaker& take) {
    while (others > 0) {
        int is_there = 0;
        MPI_Status status;
        MPI_Iprobe(MPI_ANY_SOURCE, request, MPI_COMM_WORLD, &is_there, &status);
        if (is_there == 0) {
            std::this_thread::sleep_for(200us);  // MPI_Probe would keep a core busy
            continue;
        }
        const std::string rows = receive(status.MPI_SOURCE, request);
        const std::size_t line = rows.find('\n');
        const std::size_t threads = std::stoull(rows.substr(0, line));
        for (std::size_t at = line + 1; at < rows.size();) {
            const std::size_t end = rows.find('\n', at);
            const std::size_t space = rows.find(' ', at);
            if (!take(std::stoull(rows.substr(at)), rows.substr(space + 1, end - space - 1))) {
                queue.stop();
            }
            at = end + 1;
        }
        std::string next;
        for (const std::size_t number : queue.take(threads)) {
            next += std::to_string(number) + " ";
        }
        send(status.MPI_SOURCE, order, next);
        others -= next.empty() ? 1 : 0;
    }
}

// Computes rows for the first process, as many at a time as this process has threads.
void serve_the_first(Workers& workers, const RowMaker& make) {
    const std::string head = std::to_string(workers.threads()) + "\n";
    std::string rows = head;
    for (;;) {
        send(0, request, rows);
        Queue queue(numbers_in(receive(0, order)));
        rows = head;
        const auto keep = [&](std::size_t number, const std::string& row) {
            rows += std::to_string(number) + " " + row + "\n";
            return true;
        };
        over_cores(queue, workers, make, keep);
        if (rows == head) {
            return;
        }
    }
}

}  // namespace

SweepHosts::SweepHosts() {
    int here = 1;
    if (started_by_mpirun()) {
        int provided = 0;
        MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
        MPI_Comm_rank(MPI_COMM_WORLD, &process_);
        MPI_Comm_size(MPI_COMM_WORLD, &processes_);
        MPI_Comm on_node = MPI_COMM_NULL;
        MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &on_node);
        MPI_Comm_size(on_node, &here);
        MPI_Comm_free(&on_node);
    }
    cores_ = cores_of(here);
}

SweepHosts::~SweepHosts() {
    int began = 0;
    MPI_Initialized(&began);
    if (began != 0) {
        MPI_Finalize();
    }
}

SweepHosts::Ready SweepHosts::agree(bool ready) const {
    if (processes_ == 1) {
        return {ready, ready};
    }
    int first = ready ? 1 : 0;
    int all = first;
    MPI_Bcast(&first, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return {first != 0, all != 0};
}

void SweepHosts::work_off(Queue& queue, Workers& workers, const RowMaker& make, const RowTaker& take) const {
    if (processes_ == 1) {
        return over_cores(queue, workers, make, take);
    }
    try {
        if (!is_first()) {
            return serve_the_first(workers, make);
        }
        std::mutex mutex;
        const auto take_one = [&](std::size_t number, std::string row) {
            const std::lock_guard lock(mutex);
            return take(number, std::move(row));
        };
        std::exception_ptr failure;
        std::thread own([&] {
            try {
                over_cores(queue, workers, make, take_one);
            } catch (...) {
                failure = std::current_exception();
            }
        });
        serve(processes_ - 1, queue, take_one);
        own.join();
        if (failure) {
            std::rethrow_exception(failure);
        }
    } catch (const std::exception& error) {
        // Without an abort the other processes would wait forever.
        complain("ndsim sweep", error.what(), failed);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

#else

SweepHosts::SweepHosts() : cores_(cores_of(1)) {
    const char* size = std::getenv("OMPI_COMM_WORLD_SIZE");
    size = size != nullptr ? size : std::getenv("PMI_SIZE");
    if (started_by_mpirun() && size != nullptr && std::atoi(size) > 1) {
        throw MachineLimit("mpirun started several processes, but this ndsim was built without MPI");
    }
}

SweepHosts::~SweepHosts() = default;

SweepHosts::Ready SweepHosts::agree(bool ready) const {
    return {ready, ready};
}

void SweepHosts::work_off(Queue& queue, Workers& workers, const RowMaker& make, const RowTaker& take) const {
    over_cores(queue, workers, make, take);
}

#endif

}  // namespace sim::tools
