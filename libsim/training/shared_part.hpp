// A shared part is an optional value that may contain its own kind: a transformer in front of a transformer. Copies
// share it; it never changes, and compares by value.
#pragma once

#include <memory>
#include <utility>

namespace sim::training {

template <class Part>
class SharedPart {
public:
    SharedPart() = default;
    // NOLINTNEXTLINE(google-explicit-constructor)
    SharedPart(Part part) : part_(std::make_shared<const Part>(std::move(part))) {}

    explicit operator bool() const { return part_ != nullptr; }
    const Part& operator*() const { return *part_; }
    const Part* operator->() const { return part_.get(); }

    friend bool operator==(const SharedPart& one, const SharedPart& other) {
        return one.part_ == other.part_ || (one && other && *one == *other);
    }

private:
    std::shared_ptr<const Part> part_;
};

}  // namespace sim::training
