#include "libsim/collectives/schedules/custom_schedule.hpp"

#include "libsim/collectives/schedules/check_schedule.hpp"
#include "libsim/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <optional>
#include <string>

namespace sim::collectives {

namespace {

constexpr int most_ranks = 4'096;
constexpr int most_chunks = 65'536;
constexpr int most_steps = 100'000;
constexpr std::int64_t most_places = 20'000'000;  // table entries

struct Chunks {
    int first = 0;
    int last = 0;
};

// The message of one line, as written.
struct Line {
    int number = 0;
    int step = 0;
    int channel = 0;
    int from = 0;
    int to = 0;
    Chunks send;
    Chunks receive;
    bool reduce = false;
    int received_in = 0;
};

// The words of one line, in order.
class Words {
public:
    Words(std::string_view line, std::string_view name, int number) : name_(name), number_(number) {
        std::string spaced;
        line = line.substr(0, line.find('#'));
        for (std::size_t i = 0; i < line.size(); ++i) {
            const std::string_view two = line.substr(i, 2);
            if (two == "->" || two == "..") {
                spaced += fmt::format(" {} ", two);
                ++i;
            } else {
                spaced += line[i] == ':' ? std::string(" : ")
                                         : std::string(1, line[i] == '\t' || line[i] == '\r' ? ' ' : line[i]);
            }
        }
        for (std::size_t begin = spaced.find_first_not_of(' '); begin != std::string::npos;) {
            const std::size_t end = std::min(spaced.find(' ', begin), spaced.size());
            words_.push_back(spaced.substr(begin, end - begin));
            begin = spaced.find_first_not_of(' ', end);
        }
    }

    bool done() const { return at_ == words_.size(); }
    const std::string& peek() const {
        static const std::string nothing;
        return done() ? nothing : words_[at_];
    }
    std::string next(const char* wanted) {
        if (done()) {
            wrong(fmt::format("ends where {} should be", wanted));
        }
        return words_[at_++];
    }
    bool take(std::string_view word) {
        const bool found = peek() == word;
        at_ += found ? 1 : 0;
        return found;
    }
    void expect(const char* word) {
        if (!take(word)) {
            wrong(done() ? fmt::format("ends where '{}' should be", word)
                         : fmt::format("'{}' where '{}' should be", peek(), word));
        }
    }
    int number(const char* what, int low, int high) {
        const std::string word = next(what);
        int value = 0;
        const auto read = std::from_chars(word.data(), word.data() + word.size(), value);
        if (read.ec != std::errc() || read.ptr != word.data() + word.size() || value < low || value > high) {
            wrong(fmt::format("{} must be {} to {}, not {}", what, low, high, word));
        }
        return value;
    }
    void expect_end() const {
        if (!done()) {
            wrong(fmt::format("'{}' is more than belongs here", peek()));
        }
    }
    [[noreturn]] void wrong(const std::string& what) const {
        throw ProgramError(fmt::format("{}:{}: {}", name_, number_, what));
    }

private:
    std::string_view name_;
    int number_;
    std::vector<std::string> words_;
    std::size_t at_ = 0;
};

class Reader {
public:
    explicit Reader(std::string_view name) : name_(name) {}

    void read(std::string_view text);
    Schedule schedule();

private:
    void read_line(Words& words, int number);
    void read_message(Words& words, int number);
    Chunks read_chunks(Words& words) const;
    void read_kind(Words& words);
    ChunkSet set_of(const Chunks& chunks) const;
    void require_head(const Words& words) const;
    void put(const Line& line);
    void claim(const Line& line, const Chunks& chunks);
    Step& place(int channel, int member, int step);
    [[noreturn]] void wrong(int line, const std::string& what) const {
        throw ProgramError(fmt::format("{}:{}: {}", name_, line, what));
    }
    int line_of(const ScheduleError& error) const;

    std::string_view name_;
    std::optional<CollectiveKind> kind_;
    int ranks_ = 0;
    int chunks_ = 0;
    int channels_ = 1;
    int root_ = 0;
    bool sends_input_ = false;
    int steps_ = 0;
    int lines_ = 0;
    std::vector<Line> messages_;
    std::shared_ptr<StepTable> table_ = std::make_shared<StepTable>();
    struct Owner {
        int channel = -1;
        int line = 0;
    };
    std::vector<Owner> owners_;  // by chunk
};

void Reader::read(std::string_view text) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        Words words(text.substr(0, end), name_, ++lines_);
        if (!words.done()) {
            read_line(words, lines_);
            words.expect_end();
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

void Reader::read_line(Words& words, int number) {
    const std::string key = words.next("a word");
    if (key == "step") {
        read_message(words, number);
        return;
    }
    if (!messages_.empty()) {
        words.wrong(fmt::format("'{}' belongs before the first step", key));
    }
    if (key == "collective") {
        read_kind(words);
    } else if (key == "ranks") {
        ranks_ = words.number("ranks", 1, most_ranks);
    } else if (key == "chunks") {
        chunks_ = words.number("chunks", 1, most_chunks);
    } else if (key == "channels") {
        channels_ = words.number("channels", 1, most_channels);
    } else if (key == "root") {
        root_ = words.number("root", 0, most_ranks - 1);
    } else if (key == "sends") {
        words.expect("input");
        sends_input_ = true;
    } else {
        const std::vector<std::string> known{"collective", "ranks", "chunks", "channels", "root", "sends", "step"};
        words.wrong(fmt::format("'{}' is unknown{}", key, did_you_mean(key, known)));
    }
}

void Reader::read_kind(Words& words) {
    const std::string word = words.next("a kind of collective");
    std::vector<std::string> names;
    for (int number = 1; number <= static_cast<int>(CollectiveKind::all_to_all); ++number) {
        const auto kind = static_cast<CollectiveKind>(number);
        names.emplace_back(name_of(kind));
        if (names.back() == word) {
            kind_ = kind;
            return;
        }
    }
    words.wrong(fmt::format("there is no collective {}{}", word, did_you_mean(word, names)));
}

void Reader::require_head(const Words& words) const {
    if (!kind_ || ranks_ == 0 || chunks_ == 0) {
        words.wrong("'collective', 'ranks' and 'chunks' come before the first step");
    }
    if (root_ >= ranks_) {
        words.wrong(fmt::format("root {} is none of {} ranks", root_, ranks_));
    }
}

Chunks Reader::read_chunks(Words& words) const {
    Chunks chunks;
    chunks.first = words.number("a chunk", 0, chunks_ - 1);
    chunks.last = words.take("..") ? words.number("a chunk", 0, chunks_ - 1) : chunks.first;
    return chunks;
}

void Reader::read_message(Words& words, int number) {
    require_head(words);
    Line line{.number = number};
    line.step = words.number("a step", 0, most_steps - 1);
    if (words.take("channel")) {
        line.channel = words.number("a channel", 0, channels_ - 1);
    }
    words.expect(":");
    line.from = words.number("a rank", 0, ranks_ - 1);
    words.expect("->");
    line.to = words.number("a rank", 0, ranks_ - 1);
    if (!words.take("chunk")) {
        words.expect("chunks");
    }
    line.send = read_chunks(words);
    line.receive = words.take("into") ? read_chunks(words) : line.send;
    line.reduce = words.take("reduce");
    line.received_in = line.step;
    if (words.take("received")) {
        words.expect("in");
        words.expect("step");
        line.received_in = words.number("a step to receive in", line.step, most_steps - 1);
    }
    if (line.from == line.to) {
        words.wrong(fmt::format("rank {} sends to itself", line.from));
    }
    if (set_of(line.send).count() != set_of(line.receive).count()) {
        words.wrong(
            fmt::format("{} chunks do not fit into {}", set_of(line.send).count(), set_of(line.receive).count()));
    }
    steps_ = std::max(steps_, line.received_in + 1);
    messages_.push_back(line);
}

ChunkSet Reader::set_of(const Chunks& chunks) const {
    const int count = (chunks.last - chunks.first + chunks_) % chunks_ + 1;
    return count == 1 ? ChunkSet{chunks.first} : chunks_in_a_row(chunks.first, count);
}

Step& Reader::place(int channel, int member, int step) {
    const std::int64_t index = (std::int64_t{channel} * ranks_ + member) * steps_ + step;
    return table_->steps[static_cast<std::size_t>(index)];
}

// Channels do not wait for each other, so they must not share a chunk.
void Reader::claim(const Line& line, const Chunks& chunks) {
    for_each_chunk(set_of(chunks), chunks_, [&](int chunk) {
        Owner& owner = owners_[static_cast<std::size_t>(chunk)];
        if (owner.channel >= 0 && owner.channel != line.channel) {
            wrong(line.number,
                  fmt::format("chunk {} belongs to channel {} since line {}", chunk, owner.channel, owner.line));
        }
        owner = {line.channel, line.number};
    });
}

void Reader::put(const Line& line) {
    claim(line, line.send);
    claim(line, line.receive);
    Step& sends = place(line.channel, line.from, line.step);
    if (sends.to >= 0) {
        wrong(line.number, fmt::format("rank {} sends to {} already in step {} of channel {}", line.from, sends.to,
                                       line.step, line.channel));
    }
    sends.to = line.to;
    sends.send = set_of(line.send);
    Step& receives = place(line.channel, line.to, line.received_in);
    if (receives.from >= 0) {
        wrong(line.number, fmt::format("rank {} receives from {} already in step {} of channel {}", line.to,
                                       receives.from, line.received_in, line.channel));
    }
    receives.from = line.from;
    receives.receive = set_of(line.receive);
    receives.reduce = line.reduce;
}

int Reader::line_of(const ScheduleError& error) const {
    const auto is_it = [&](const Line& line) {
        return line.channel == error.channel && ((line.to == error.member && line.received_in == error.step) ||
                                                 (line.from == error.member && line.step == error.step));
    };
    const auto found = std::find_if(messages_.begin(), messages_.end(), is_it);
    return found == messages_.end() ? lines_ : found->number;
}

Schedule Reader::schedule() {
    require_head(Words("", name_, lines_));
    if (std::int64_t{channels_} * ranks_ * steps_ > most_places) {
        wrong(lines_,
              fmt::format("{} ranks in {} channels of {} steps are too many to keep", ranks_, channels_, steps_));
    }
    table_->steps.resize(static_cast<std::size_t>(channels_) * static_cast<std::size_t>(ranks_) *
                         static_cast<std::size_t>(steps_));
    owners_.resize(static_cast<std::size_t>(chunks_));
    Schedule schedule{.kind = *kind_,
                      .members = ranks_,
                      .root = root_,
                      .channels = channels_,
                      .steps = steps_,
                      .chunks = chunks_,
                      .sends = sends_input_ ? SentData::input : SentData::held,
                      .at = [](const Schedule& of, int channel, int member, int step) {
                          const std::int64_t row = std::int64_t{channel} * of.members + member;
                          return of.table->steps[static_cast<std::size_t>(row * of.steps + step)];
                      }};
    bool reduces = false;
    for (const Line& line : messages_) {
        put(line);
        if (set_of(line.send).count() > 1) {
            schedule.messages = MessageLength::several_chunks;
        }
        if (line.step != line.received_in) {
            schedule.synchrony = Synchrony::later_step;
        }
        reduces = reduces || line.reduce;
    }
    if (sends_input_ && reduces && chunks_ != 1) {
        wrong(lines_, fmt::format("a schedule that sends input and reduces must have one chunk, not {}", chunks_));
    }
    schedule.parts = chunks_ % ranks_ == 0 && has_blocks(*kind_) ? chunks_ / ranks_ : 1;
    schedule.table = table_;
    try {
        check_schedule(schedule);
    } catch (const ScheduleError& error) {
        wrong(line_of(error), error.what());
    }
    schedule.synchrony = synchrony_of(schedule);
    return schedule;
}

}  // namespace

Schedule read_schedule(std::string_view text, std::string_view name) {
    Reader reader(name);
    reader.read(text);
    return reader.schedule();
}

}  // namespace sim::collectives
