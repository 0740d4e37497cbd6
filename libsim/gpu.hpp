// A GPU is one simulated GPU as its rank's program sees it. Calls cost simulated time, not wall time.
//
// A call returns when its op is done in simulated time. Calls that return nothing to the program only record the op;
// now() and every call that returns data wait until the simulator has reached that point.
// The cluster sets the costs: for the `gpu-py` profile see libsim/network/uniform.hpp.
//
// Errors: an invalid argument (an unknown rank, itself as peer, a negative size or tag) throws ProgramError at once. An
// error that shows only when two ranks are compared (no message, different sizes) ends the run, and the launcher
// explains it.
#pragma once

#include "libsim/algorithm.hpp"
#include "libsim/arrival.hpp"
#include "libsim/group.hpp"
#include "libsim/message_terms.hpp"
#include "libsim/port.hpp"
#include "libsim/units.hpp"

#include <concepts>
#include <cstddef>
#include <functional>
#include <optional>
#include <ranges>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace sim {

// Types that a message can carry: they are copied as bytes, so pointers and views are excluded.
template <class T>
concept Payload = std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> && !std::ranges::view<T>;

// A vector, span, std::array … of payload. Not a string literal: that is a label.
template <class R>
concept PayloadRange =
    std::ranges::contiguous_range<R> && std::ranges::sized_range<R> && Payload<std::ranges::range_value_t<R>> &&
    !(std::is_array_v<std::remove_cvref_t<R>> && std::is_same_v<std::ranges::range_value_t<R>, char>);
// The same as a destination for received data.
template <class R>
concept WritablePayloadRange =
    PayloadRange<R> && !std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<R>>>;

// An asynchronous op in progress. Join it once, with GPU::wait.
struct Handle {
    std::int64_t number = -1;
    std::span<std::byte> into;  // where wait() puts the data; empty: time only
};

// Data that a rank contributes to a collective by size, numbered from 0.
enum class BroughtData : std::int64_t {};

// The parameters that every member of a collective must agree on.
struct Collective {
    CollectiveKind kind = CollectiveKind::barrier;
    Size size = Bytes{0};  // of the whole result (reduce-scatter, scatter, all-to-all: of the whole input)
    int root = -1;         // rank of the root; -1: none
    Reduction reduction = Reduction::sum;
    std::optional<AlgorithmConfig> config = {};  // default: that of the kind
    std::size_t element_size = 0;                // of the data; 0: time only
    std::string_view label = {};                 // default: the name of the kind
};

class GPU {
public:
    explicit GPU(Port& port) : port_(&port) {}

    // Ranks are 0 to world_size() - 1.
    int rank() const { return port_->rank(); }
    int world_size() const { return port_->ranks(); }

    // Keeps the GPU busy for the cluster's time per unit or FLOP, or for the time given as `work`, times this rank's
    // slowdown. On another stream it runs concurrently with everything else, and nothing else slows it down. `purpose`
    // is a number that the program chooses; the span shows it.
    void compute(std::string_view label, Work work, int purpose = 0);
    void compute(Work work) { compute({}, work); }

    // Time only: `size` is what the message costs. Does not wait for the receiver, unless it exceeds LogGP's eager
    // limit.
    void send(int target, std::string_view label, Size size, Tag tag = {});
    void send(int target, Size size, Tag tag = {}) { send(target, {}, size, tag); }
    // Waits for the message; a size other than the sent one is a mismatch.
    void receive(int source, std::string_view label, Size size, Tag tag = {});
    void receive(int source, Size size, Tag tag = {}) { receive(source, {}, size, tag); }

    // Carries data, which is really delivered. Costs `size`, by default the bytes of the data. Label, size and tag are
    // optional.
    template <PayloadRange R>
    void send(int target, const R& data, std::string_view label = {}, std::optional<Size> size = {}, Tag tag = {}) {
        send_bytes(target, std::as_bytes(std::span(data)), label, size, tag);
    }
    template <PayloadRange R, MessageTerm... Terms>
    requires(sizeof...(Terms) > 0 && !LabelTerm<R>) void send(int target, const R& data, const Terms&... terms) {
        const MessageTerms all = terms_of(terms...);
        send_bytes(target, std::as_bytes(std::span(data)), all.label, all.size, all.tag);
    }
    // Fills `into`. A message with a different number of bytes, or without data, is a mismatch.
    template <WritablePayloadRange R>
    void receive(int source, R&& into, std::string_view label = {}, std::optional<Size> size = {}, Tag tag = {}) {
        receive_bytes(source, std::as_writable_bytes(std::span(into)), label, size, tag);
    }
    template <WritablePayloadRange R, MessageTerm... Terms>
    requires(sizeof...(Terms) > 0 && !LabelTerm<R>) void receive(int source, R&& into, const Terms&... terms) {
        const MessageTerms all = terms_of(terms...);
        receive_bytes(source, std::as_writable_bytes(std::span(into)), all.label, all.size, all.tag);
    }
    // Accepts any length; one that is not a multiple of sizeof(T) is a mismatch.
    template <Payload T>
    std::vector<T> receive(int source, std::string_view label = {}, std::optional<Size> size = {}, Tag tag = {}) {
        return read_elements<T>(expect_elements(data_receive(source, label, size, tag, any_bytes), sizeof(T)));
    }
    template <Payload T, MessageTerm... Terms>
    requires(sizeof...(Terms) > 0) std::vector<T> receive(int source, const Terms&... terms) {
        const MessageTerms all = terms_of(terms...);
        return receive<T>(source, all.label, all.size, all.tag);
    }

    // Asynchronous forms start now and complete on their own; wait() joins one. A rank's sends leave one after another,
    // and its asynchronous computations run one after another; its receives wait concurrently.
    Handle compute_async(std::string_view label, Work work);
    Handle send_async(int target, std::string_view label, Size size, Tag tag = {});
    Handle receive_async(int source, std::string_view label, Size size, Tag tag = {});
    Handle send_async(int target, Size size, Tag tag = {}) { return send_async(target, {}, size, tag); }
    Handle receive_async(int source, Size size, Tag tag = {}) { return receive_async(source, {}, size, tag); }
    template <PayloadRange R>
    Handle send_async(int target, const R& data, std::string_view label = {}, std::optional<Size> size = {},
                      Tag tag = {}) {
        return send_bytes_async(target, std::as_bytes(std::span(data)), label, size, tag);
    }
    template <PayloadRange R, MessageTerm... Terms>
    requires(sizeof...(Terms) > 0 && !LabelTerm<R>) Handle
        send_async(int target, const R& data, const Terms&... terms) {
        const MessageTerms all = terms_of(terms...);
        return send_bytes_async(target, std::as_bytes(std::span(data)), all.label, all.size, all.tag);
    }
    // `into` must stay alive until wait().
    template <WritablePayloadRange R>
    requires std::ranges::borrowed_range<R> Handle receive_async(int source, R&& into, std::string_view label = {},
                                                                 std::optional<Size> size = {}, Tag tag = {}) {
        return receive_bytes_async(source, std::as_writable_bytes(std::span(into)), label, size, tag);
    }
    template <WritablePayloadRange R, MessageTerm... Terms>
    requires(std::ranges::borrowed_range<R> && sizeof...(Terms) > 0 && !LabelTerm<R>) Handle
        receive_async(int source, R&& into, const Terms&... terms) {
        const MessageTerms all = terms_of(terms...);
        return receive_bytes_async(source, std::as_writable_bytes(std::span(into)), all.label, all.size, all.tag);
    }
    // Waits until the op has ended, and fills its `into`. Throws ProgramError for a handle that this rank did not
    // create, and for one with data on any stream but the main one.
    void wait(const Handle& handle);
    // Waits for the first of several ops to end and joins it; among ops that end at the same time, the one listed
    // first. Returns its index.
    std::size_t wait_any(std::span<const Handle> handles);
    // Returns whether an asynchronous op has ended by now; if so, joins it, as wait() does.
    bool test(const Handle& handle);

    // The next three calls take no simulated time and join nothing; they serve a program that keeps its own clock.
    // Returns the end of an asynchronous op, as time since the beginning of the run. Blocks only in wall time, until
    // that is known.
    Duration end_of(const Handle& handle);
    // Returns whether it has ended by `at`, which may be before or after this rank's time. The answer is exact, and the
    // same in every run on every host, if the program issues nothing for an earlier time afterwards. Repeated queries
    // must use later and later times.
    bool ended_by(const Handle& handle, Duration at);
    // Promises that the handle will not be used again; its op continues. Only for computations and the work of streams.
    void forget(const Handle& handle);

    // Waits until a message from `source`, or from any rank, has arrived, and leaves it there: receive it from
    // Arrival::source. Among several, takes the earliest in simulated time, then the lowest rank: the same in every
    // run, on every host.
    Arrival probe(int source = any_source, Tag tag = {});
    // The same with a timeout; empty: nothing arrived in time.
    std::optional<Arrival> probe_for(Duration timeout, int source = any_source, Tag tag = {});
    // Returns a message that has arrived by now; empty: none. Takes no time; but a rank that gets "none" twice at the
    // same time for the same query resumes at the next time at which a message arrives or an asynchronous op ends.
    std::optional<Arrival> probe_now(int source = any_source, Tag tag = {});

    // Streams: the computations, sends, receives, waits and collectives of `work` run on `stream` (1 … most_streams),
    // one after another, beginning now at the earliest, while this program continues. Join the returned handle before
    // using received data: the values are available at once, but in simulated time only after wait(). Both ends of a
    // message, and all members of a collective, name the same stream.
    template <std::invocable Work>
    Handle on(Stream stream, Work&& work) {
        const OnStream guard(*this, checked(stream));
        std::forward<Work>(work)();
        return record();
    }
    // The same without a handle: waiting for a later op of the stream also waits for this one.
    template <std::invocable Work>
    void start_on(Stream stream, Work&& work) {
        const OnStream guard(*this, checked(stream));
        std::forward<Work>(work)();
    }
    // The same in two halves, for callers that have no function to pass: everything between them runs on `stream`. Pass
    // the result of begin_on() to end_on().
    Stream begin_on(Stream stream) { return std::exchange(stream_, checked(stream)); }
    Handle end_on(Stream before) {
        const Handle handle = record();
        stream_ = before;
        return handle;
    }
    // The same for channel 1, 2, … of a collective on the current stream; `work` begins when that stream has reached
    // `here`. Wait for the handle on the current stream. Throws ProgramError on a stream that has no channels.
    template <std::invocable Work>
    Handle on_channel(int channel, const std::optional<Handle>& here, Work&& work) {
        const OnStream guard(*this, channel_of_stream(channel));
        if (here) {
            wait(*here);
        }
        std::forward<Work>(work)();
        return record();
    }
    // The current position of the current stream; empty on the main stream, where every op begins now at the earliest.
    std::optional<Handle> here() { return stream_ == Stream::main ? std::nullopt : std::optional(record()); }
    // The same for any stream; on the main stream it ends now.
    Handle mark() { return record(); }

    // Tracks the memory in use on this GPU; the run reports it as RankTotals::peak_…. Costs no time. Freeing more than
    // is allocated ends the run.
    void allocate(std::string_view label, Size size);
    void release(std::string_view label, Size size);

    // Simulated time since the beginning of the run.
    Duration now();

    // Writes a line to the run's log, at this rank's time. Costs nothing.
    void log(std::string_view text);
    // Reports how much of this rank's program is done, from 0 to 1, to observers of the run (Pulse::share_done). Costs
    // no simulated time. Throws ProgramError for any other number.
    void progress(double share_done);
    // Reports numbers to the launcher (Result::reports). The last report under a name counts. Costs nothing.
    void report(std::string_view name, std::span<const double> values);
    void report(std::string_view name, double value) { report(name, std::span(&value, 1)); }

    // Checkpoints, for a run that survives the death of a rank (ranks/recovery.hpp). Reports that this rank has done
    // `steps` steps of its program since the very beginning. Costs nothing.
    void step_done(std::int64_t steps);
    // Also takes a snapshot: the program stands still while its state is copied. Runs on the current stream.
    void snapshot(std::int64_t steps, Duration takes);
    // Also sends the state to the launcher, which has all of it after `takes`. Runs on the current stream.
    void checkpoint(std::int64_t steps, std::span<const std::byte> state, Duration takes);

    // Returns when every rank has reached it. Costs ceil(log2 n) rounds of empty messages.
    void barrier();

    // A collective by size alone: a single op, whatever its number of messages. See collectives/.
    void collective(const Group& group, const Collective& what);
    // Contributes data to a collective by size: it travels free of charge, whatever the collective costs. The data goes
    // with this rank's next collective(), on any stream. `takes`: the rank will take() the data of all members, once.
    BroughtData bring(std::span<const std::byte> data, bool takes = true);
    // The data of each member, by its index in the group; empty: nothing. Valid until the next call of this GPU.
    // The data is available once all members have joined, but in simulated time only when the collective has ended:
    // wait for that first.
    std::vector<std::span<const std::byte>> take(BroughtData brought);

    // For a program that runs ahead of its GPU, like a host that enqueues work in advance. The GPU resumes at `at`,
    // counted from the beginning of the run, or at once if that time has passed.
    void idle_until(Duration at);
    // Issues the following work of other streams at `at`, even if the main stream is before or past that time: ops that
    // have nothing else to wait for begin then. Empty, the initial state: when the main stream reaches the call. Has no
    // effect on networks with shared links, where all streams follow one clock.
    void issue_from(std::optional<Duration> at);

    // Announces a collective made of messages, so that members who disagree are detected. Costs nothing.
    void enter(const Group& group, const Collective& what);
    // Messages of collectives; their tags are below 0, so no program can use them.
    void send_in_collective(int target, std::span<const std::byte> data, std::string_view label, Size size, Tag tag);
    void receive_in_collective(int source, std::span<std::byte> into, std::string_view label, Size size, Tag tag);
    // Accepts any length, as receive<T>() does.
    template <Payload T>
    std::vector<T> receive_in_collective(int source, std::string_view label, Size size, Tag tag) {
        return read_elements<T>(expect_elements(any_receive_in_collective(source, label, size, tag), sizeof(T)));
    }

    // These overloads catch a bare number among the terms of a message by size: the compiler reports the reason.
    template <MessageTerm... Terms>
    requires(sizeof...(Terms) > 1 && (BareNumber<Terms> || ...)) void send(int /*target*/, const Terms&... terms) {
        terms_of(terms...);
    }
    template <std::nullptr_t = nullptr, MessageTerm... Terms>  // without a type, so that receive<T>() is not meant
    requires(sizeof...(Terms) > 1 && (BareNumber<Terms> || ...)) void receive(int /*source*/, const Terms&... terms) {
        terms_of(terms...);
    }
    template <MessageTerm... Terms>
    requires(sizeof...(Terms) > 1 && (BareNumber<Terms> || ...)) void send_async(int /*target*/,
                                                                                 const Terms&... terms) {
        terms_of(terms...);
    }
    template <MessageTerm... Terms>
    requires(sizeof...(Terms) > 1 && (BareNumber<Terms> || ...)) void receive_async(int /*source*/,
                                                                                    const Terms&... terms) {
        terms_of(terms...);
    }

private:
    // Sets the stream of all ops for its lifetime.
    class OnStream {
    public:
        OnStream(GPU& gpu, Stream stream) : gpu_(&gpu), before_(gpu.stream_) { gpu.stream_ = stream; }
        OnStream(const OnStream&) = delete;
        OnStream& operator=(const OnStream&) = delete;
        ~OnStream() { gpu_->stream_ = before_; }

    private:
        GPU* gpu_;
        Stream before_;
    };

    std::optional<Arrival> look(int source, Tag tag, std::int64_t waits_picoseconds);
    void require_own(const Handle& handle, const char* what) const;
    Handle record();
    Stream checked(Stream stream) const;
    Stream channel_of_stream(int channel) const;
    void require_main(const char* what) const;
    void memory(std::string_view label, Size size, int sign);
    Label label(std::string_view text) { return text.empty() ? Label::none : port_->intern(text); }
    Op message(OpKind kind, int peer, std::string_view label, Size size, Tag tag);
    Op data_send(int target, std::span<const std::byte> data, std::string_view label, std::optional<Size> size,
                 Tag tag);
    Op data_receive(int source, std::string_view label, std::optional<Size> size, Tag tag, std::uint64_t bytes);
    Handle start(Op op, std::span<std::byte> into = {});
    void post_or_read(const Op& op, std::span<std::byte> into);
    void write(std::span<const std::byte> data);
    void send_bytes(int target, std::span<const std::byte> data, std::string_view label, std::optional<Size> size,
                    Tag tag);
    Handle send_bytes_async(int target, std::span<const std::byte> data, std::string_view label,
                            std::optional<Size> size, Tag tag);
    void receive_bytes(int source, std::span<std::byte> into, std::string_view label, std::optional<Size> size,
                       Tag tag);
    Handle receive_bytes_async(int source, std::span<std::byte> into, std::string_view label, std::optional<Size> size,
                               Tag tag);
    Op any_receive_in_collective(int source, std::string_view label, Size size, Tag tag);
    std::size_t expect_elements(const Op& receive, std::size_t element_size);
    template <Payload T>
    std::vector<T> read_elements(std::size_t count) {
        std::vector<T> data(count);
        if (!data.empty()) {
            port_->read(std::as_writable_bytes(std::span(data)));
        }
        return data;
    }
    Op steps_op(std::int64_t steps, Duration takes, std::string_view text);
    Op collective_op(OpKind kind, const Group& group, const Collective& what);

    Port* port_;
    Stream stream_ = Stream::main;
    std::int64_t asynchronous_ops_ = 0;
    std::int64_t brought_ = 0;
};

// All ranks of the run, in order.
inline Group world(const GPU& gpu) {
    return Group::strided(0, 1, gpu.world_size());
}

// A rank's program: an ordinary function.
using Program = std::function<void(GPU&)>;

}  // namespace sim
