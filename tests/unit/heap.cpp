#include "libsim/heap.hpp"
#include "tests/support/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace {

using namespace sim;

struct Job {
    std::int64_t due = 0;
    int name = 0;
};
std::int64_t key_of(const Job& job) {
    return job.due;
}

struct Whereabouts {
    std::map<int, std::size_t> of;
    void operator()(const Job& job, std::size_t place) { of[job.name] = place; }
};

TEST(Heap, PopsTheLeastKeyFirst) {
    Heap<Job> heap;
    for (const int due : {5, 3, 9, 1, 7, 1}) {
        heap.push({due, 0});
    }
    std::vector<std::int64_t> popped;
    while (!heap.empty()) {
        popped.push_back(heap.pop().due);
    }
    EXPECT_EQ(popped, (std::vector<std::int64_t>{1, 1, 3, 5, 7, 9}));
}

TEST(Heap, ReplacesItsTopAsAPopAndAPushDo) {
    test::Random random(3);
    Heap<Job> replaced;
    Heap<Job> popped;
    for (int i = 0; i < 100; ++i) {
        const Job job{random.below(1'000'000), i};
        replaced.push(job);
        popped.push(job);
    }
    for (int i = 0; i < 1'000; ++i) {
        const Job job{replaced.top().due + random.below(1'000'000), i};
        replaced.replace_top(job);
        popped.pop();
        popped.push(job);
        ASSERT_EQ(replaced.top().due, popped.top().due);
    }
}

TEST(Heap, TellsWhereItsItemsLieSoThatAnyOfThemCanBeReplacedOrErased) {
    test::Random random(4);
    Heap<Job, Whereabouts> heap;
    std::map<int, std::int64_t> due_of;
    for (int name = 0; name < 500; ++name) {
        due_of[name] = random.below(1'000);
        heap.push({due_of[name], name});
    }
    for (int round = 0; round < 400; ++round) {
        const int name = static_cast<int>(random.below(500));
        if (!due_of.contains(name)) {
            continue;
        }
        ASSERT_EQ(heap.at(heap.places().of.at(name)).name, name);
        if (round % 2 == 0) {
            heap.erase(heap.places().of.at(name));
            due_of.erase(name);
        } else {
            due_of[name] = random.below(1'000);
            heap.replace(heap.places().of.at(name), {due_of[name], name});
        }
    }
    std::vector<std::int64_t> left;
    for (const auto& [name, due] : due_of) {
        left.push_back(due);
    }
    std::sort(left.begin(), left.end());
    for (const std::int64_t due : left) {
        ASSERT_EQ(heap.pop().due, due);
    }
    EXPECT_TRUE(heap.empty());
}

}  // namespace
