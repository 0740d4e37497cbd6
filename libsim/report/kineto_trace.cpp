// These files hold a timeline as the PyTorch profiler (Kineto) writes it, one for each rank, for Holistic Trace
// Analysis.
//
// A computation with collectives inside it becomes one kernel per piece between them, so that the collectives count as
// exposed there, too.
//
// Each span is a kernel on a stream of its rank's GPU, launched at the instant in which it begins: computation on
// stream 7, communication on other streams. Every version of Holistic Trace Analysis takes a kernel for communication
// if its name begins with ncclKernel, and for a copy if it contains Memcpy; the span's own label is in `args`, with its
// exact picoseconds. Training steps are annotations beside the one step that Holistic Trace Analysis sees. The answer
// of the run is under "ndsim_answer", where torch.profiler's add_metadata_json puts such data.
//
// Times are whole microseconds, rounded down: Holistic Trace Analysis rounds every fractional span inwards, which would
// shrink them all.
//
// Source: the reader of Holistic Trace Analysis (hta/common/trace_parser.py, hta/utils/utils.py), which finds files by
// .gz and ranks by distributedInfo.
#include "libsim/report/trace_formats.hpp"

#include "libsim/report/gzip.hpp"
#include "libsim/report/json_text.hpp"
#include "libsim/report/lanes.hpp"
#include "libsim/report/span_columns.hpp"

#include <fmt/ostream.h>

#include <algorithm>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace sim::report {

namespace {

constexpr int launching_thread = 1;
constexpr int compute_stream = 7;

std::int64_t whole_microseconds(Time time) {
    return time.time_since_epoch().count() / 1'000'000;
}

int stream_of(const Lane& lane) {
    return lane == Lane{} ? compute_stream : 19 + lane.id();
}

// Words that put a kernel into a class wherever they are in its name, with their harmless spellings.
constexpr std::pair<std::string_view, std::string_view> class_words[] = {
    {"nccl", "NCCL"}, {"Memcpy", "memcpy"}, {"Memset", "memset"}};

std::string without_class_words(std::string name) {
    for (const auto& [word, harmless] : class_words) {
        for (std::size_t at = name.find(word); at != std::string::npos; at = name.find(word, at + word.size())) {
            name.replace(at, word.size(), harmless);
        }
    }
    return name;
}

// An event's category, and a name that puts it into the right class.
struct KernelName {
    const char* category;
    std::string name;
};
KernelName kernel_name(const Span& span) {
    const std::string label = without_class_words(*span.label);
    switch (span.kind) {
        case OpKind::send:
        case OpKind::receive: return {"kernel", fmt::format("ncclKernel_SendRecv({})", label)};
        case OpKind::collective: return {"kernel", fmt::format("ncclKernel_Collective({})", label)};
        default: break;
    }
    if (span.measure == Measure::bytes) {
        return {"gpu_memcpy", fmt::format("Memcpy ({})", label)};
    }
    return {"kernel", label};
}

// A span, or one of the pieces into which the collectives inside it divide it: for Holistic Trace Analysis a kernel
// computes from its begin to its end.
struct KinetoSpan {
    Span span;
    std::size_t of = 0;    // its number in the timeline
    bool is_first = true;  // the piece that carries the account of the span's time
};

// `spans` are the indices of one rank's spans, in program order.
std::vector<KinetoSpan> pieces_of(const Timeline& timeline, const std::vector<std::size_t>& spans) {
    std::vector<KinetoSpan> pieces;
    std::unordered_map<std::uint32_t, std::vector<const Span*>> inside;  // by op
    for (const std::size_t i : spans) {
        const Span& span = timeline.spans[i];
        if (!timeline.counts(span)) {
            inside[span.op_number].push_back(&span);
        }
    }
    for (const std::size_t i : spans) {
        const Span& span = timeline.spans[i];
        const auto parts = inside.find(span.op_number);
        pieces.push_back({.span = span, .of = i});
        if (parts == inside.end() || span.kind != OpKind::compute || span.stream != Stream::main) {
            continue;
        }
        for (const Span* const part : parts->second) {
            if (part->begin > pieces.back().span.begin) {
                pieces.back().span.end = part->begin;
                pieces.push_back({.span = span, .of = i, .is_first = false});
                pieces.back().span.amount = 0;  // the first piece has all of it
            }
            pieces.back().span.begin = part->end;
            pieces.back().span.end = span.end;
        }
        if (pieces.back().span.begin == span.end && !pieces.back().is_first) {
            pieces.pop_back();
        }
    }
    return pieces;
}

class KinetoWriter {
public:
    // Requires: all `pieces` are of this rank.
    KinetoWriter(std::ostream& out, const Timeline& timeline, int rank, std::vector<KinetoSpan> pieces)
        : out_(out), timeline_(timeline), rank_(rank), pieces_(std::move(pieces)) {
        std::stable_sort(pieces_.begin(), pieces_.end(), [](const KinetoSpan& a, const KinetoSpan& b) {
            return std::tie(a.span.begin, a.span.end, a.span.op_number) <
                   std::tie(b.span.begin, b.span.end, b.span.op_number);
        });
        spans_.reserve(pieces_.size());
        for (const KinetoSpan& piece : pieces_) {
            spans_.push_back(piece.span);
        }
        lanes_ = lanes_of(spans_);
    }

    void write() {
        // Holistic Trace Analysis looks for exactly this line, spaces included.
        fmt::print(out_,
                   "{{\n  \"schemaVersion\": 1,\n"
                   "  \"distributedInfo\": {{\"rank\": {}, \"world_size\": {}, \"backend\": \"nccl\"}},\n"
                   "  \"displayTimeUnit\": \"ms\",\n  \"baseTimeNanoseconds\": 0,\n{}{}  \"traceEvents\": [",
                   rank_, timeline_.ranks, timeline_.is_partial() ? "  \"partial\": true,\n" : "",
                   timeline_.answer.empty() ? "" : fmt::format("  \"ndsim_answer\": {},\n", timeline_.answer));
        write_names();
        write_step();
        for (const TrainingStep& step : timeline_.steps) {
            if (step.rank == rank_) {
                write_step(step);
            }
        }
        for (std::size_t i = 0; i < spans_.size(); ++i) {
            write_span(i);
        }
        out_ << "\n  ]\n}\n";
    }

private:
    void separate() {
        out_ << (first_ ? "\n    " : ",\n    ");
        first_ = false;
    }

    void write_names() {
        const auto metadata = [&](const char* what, int thread, const std::string& name) {
            separate();
            fmt::print(out_, R"({{"name":"{}","ph":"M","ts":0,"pid":{},"tid":{},"args":{{"name":{}}}}})", what, rank_,
                       thread, json_text(name));
        };
        metadata("process_name", 0, timeline_.name_of(rank_));
        metadata("thread_name", launching_thread, "launches");
        for (const UsedLane& used : lanes_.used) {
            metadata("thread_name", stream_of(used.lane),
                     fmt::format("stream {} {}", stream_of(used.lane), used.lane.name(timeline_)));
        }
    }

    // The run as one step: without it, Holistic Trace Analysis warns and finds the edges of steps wrong.
    void write_step() {
        separate();
        fmt::print(out_,
                   R"({{"name":"ProfilerStep#0","cat":"user_annotation","ph":"X","ts":0,"dur":{},"pid":{},"tid":{},)"
                   R"("args":{{"External id":0}}}})",
                   whole_microseconds(last_end()) + 1, rank_, launching_thread);
    }

    void write_step(const TrainingStep& step) {
        const std::int64_t ts = whole_microseconds(step.begin);
        separate();
        fmt::print(
            out_, R"({{"name":{},"cat":"user_annotation","ph":"X","ts":{},"dur":{},"pid":{},"tid":{},"args":{{{}}}}})",
            json_text(step.name), ts, whole_microseconds(step.end) - ts, rank_, launching_thread, exact_json(step));
    }

    Time last_end() const {
        Time last = timeline_.end;
        for (const Span& span : spans_) {
            last = std::max(last, span.end);
        }
        return last;
    }

    void write_span(std::size_t i) {
        const Span& span = spans_[i];
        const std::string exact = fmt::format(R"("kind":"{}","label":{},{},{}{})", name_of(span.kind),
                                              json_text(*span.label), amount_json(span), exact_json(span),
                                              pieces_[i].is_first ? account_json(timeline_, pieces_[i].of) : "");
        if (span.kind == OpKind::log || span.kind == OpKind::allocate) {
            return write_instant(span, exact);
        }
        write_launch(i);
        const KernelName kernel = kernel_name(span);
        const std::int64_t ts = whole_microseconds(span.begin);
        const int stream = stream_of(lanes_.of_span[i]);
        separate();
        fmt::print(out_,
                   R"({{"name":{},"cat":"{}","ph":"X","ts":{},"dur":{},"pid":{},"tid":{},)"
                   R"("args":{{"device":{},"stream":{},"correlation":{},)",
                   json_text(kernel.name), kernel.category, ts, whole_microseconds(span.end) - ts, rank_, stream, rank_,
                   stream, i + 1);
        if (span.kind == OpKind::send || span.kind == OpKind::receive) {
            const bool sends = span.kind == OpKind::send;
            fmt::print(out_, R"("Collective name":"{}","{}":{},"In msg nelems":{},"dtype":"Byte","Group size":2,)",
                       sends ? "send" : "recv", sends ? "Dst Rank" : "Src Rank", span.peer, whole_amount(span));
            fmt::print(out_, R"("peer":{},)", span.peer);
        } else if (span.kind == OpKind::collective) {
            fmt::print(out_, R"("Collective name":{},"In msg nelems":{},"dtype":"Byte","Group size":{},)",
                       json_text(*span.label), whole_amount(span), timeline_.ranks);
        }
        fmt::print(out_, "{}}}}}", exact);
    }

    static std::int64_t whole_amount(const Span& span) {
        return span.measure == Measure::units ? span.amount / Units::per_unit : span.amount;
    }

    void write_launch(std::size_t i) {
        separate();
        fmt::print(out_,
                   R"({{"name":"cudaLaunchKernel","cat":"cuda_runtime","ph":"X","ts":{},"dur":0,"pid":{},"tid":{},)"
                   R"("args":{{"correlation":{}}}}})",
                   whole_microseconds(spans_[i].begin), rank_, launching_thread, i + 1);
    }

    void write_instant(const Span& span, const std::string& exact) {
        separate();
        const bool memory = span.kind == OpKind::allocate;
        fmt::print(
            out_, R"({{"name":{},"cat":"cpu_instant_event","ph":"i","s":"t","ts":{},"pid":{},"tid":{},"args":{{)",
            memory ? "\"[memory]\"" : json_text(*span.label), whole_microseconds(span.begin), rank_, launching_thread);
        if (memory) {
            fmt::print(out_, R"("Device Type":1,"Device Id":{},"Total Allocated":{},)", rank_, whole_amount(span));
        }
        fmt::print(out_, "{}}}}}", exact);
    }

    std::ostream& out_;
    const Timeline& timeline_;
    int rank_;
    std::vector<KinetoSpan> pieces_;
    std::vector<Span> spans_;  // of the pieces
    Lanes lanes_;
    bool first_ = true;
};

}  // namespace

std::vector<TraceFile> kineto_files(const Timeline& timeline) {
    std::vector<std::vector<std::size_t>> of_rank(static_cast<std::size_t>(timeline.ranks));
    for (std::size_t i = 0; i < timeline.spans.size(); ++i) {
        of_rank.at(static_cast<std::size_t>(timeline.spans[i].rank)).push_back(i);
    }
    std::vector<TraceFile> files;
    for (int rank = 0; rank < timeline.ranks; ++rank) {
        const auto write_rank = [&timeline, rank,
                                 mine = std::move(of_rank[static_cast<std::size_t>(rank)])](std::ostream& out) {
            KinetoWriter(out, timeline, rank, pieces_of(timeline, mine)).write();
        };
        files.push_back(
            {fmt::format("rank_{}.json.gz", rank), [write_rank](std::ostream& out) { write_gzip(out, write_rank); }});
    }
    return files;
}

}  // namespace sim::report
