// ndsim_write_pages FOLDER: writes pages that no run makes, for the browser tests: with hostile names, and with more
// spans than can be drawn.
#include "libsim/report/page/page.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <fstream>
#include <string>
#include <vector>

namespace {

using namespace sim;
using namespace sim::report;
using namespace std::chrono_literals;

constexpr int hostile_names = 100;

// The same hostile patterns in rotation, each with a number of its own.
std::string hostile(int number) {
    const std::array<std::string, 10> kinds{
        "<script>window.harm = 1</script>",
        "</script><script>window.harm = 2</script>",
        "<!--<script>",
        "<img src=x onerror=\"window.harm = 3\">",
        "\"'`><b onmouseover='window.harm = 4'>",
        "\xe2\x80\xae"
        "txet tfel ot thgir",  // U+202E reverses the direction of the following text
        std::string(10'000, 'w'),
        "javascript:window.harm = 5",
        "\xff\xfe not UTF-8 \x01\x02",
        "]]>&lt;&#60;\\u003cscript\\u003e{{runs}}\xe2\x80\xa8",
    };
    return fmt::format("{} {}", kinds[static_cast<std::size_t>(number) % kinds.size()], number);
}

void write(const std::string& file, const Timeline& timeline, std::size_t most_spans) {
    std::ofstream out(file);
    write_page(out, timeline, most_spans);
}

void write_hostile(const std::string& file) {
    std::vector<std::string> names;
    for (int i = 0; i < hostile_names; ++i) {
        names.push_back(hostile(i));
    }
    Timeline timeline{
        .title = hostile(0), .ranks = 10, .rank_names = {names.begin(), names.begin() + 10}, .fault = hostile(1)};
    for (int i = 0; i < 20; ++i) {
        timeline.facts.push_back({hostile(i), hostile(i + 1)});
    }
    for (int i = 0; i < hostile_names; ++i) {
        const Time begin{(i / 10) * 1us};
        timeline.add({.rank = i % 10,
                      .kind = i % 10 == 9 ? OpKind::log : OpKind::compute,
                      .label = &names[static_cast<std::size_t>(i)],
                      .begin = begin,
                      .end = i % 10 == 9 ? begin : begin + 1us});
    }
    write(file, timeline, most_page_spans);
}

// The second run computes 3 us longer and sends 1 us less; the texts about them have hostile names.
void write_two(const std::string& file) {
    const std::string work = "work";
    const std::string data = "data";
    const auto run = [&](const char* title, Duration computing, Duration sending) {
        Timeline timeline{.title = title, .ranks = 1};
        timeline.add({.label = &work, .end = Time{computing}});
        timeline.add(
            {.kind = OpKind::send, .label = &data, .begin = Time{computing}, .end = Time{computing + sending}});
        return timeline;
    };
    const Timeline first = run("one", 10us, 5us);
    const Timeline second = run("two", 13us, 4us);
    const std::array<const Timeline*, 2> both{&first, &second};
    Comparison comparison;
    comparison.all = {"all", 15e-6, 17e-6};
    comparison.parts = {{hostile(0), 10e-6, 13e-6}, {hostile(1), 5e-6, 4e-6}};
    comparison.changed = {{hostile(3), "", hostile(4)}};
    comparison.sentence = hostile(3);
    std::ofstream out(file);
    write_page(out, both, most_page_spans, &comparison);
}

// More picoseconds than a JavaScript number represents exactly: 9,500 s.
void write_long(const std::string& file) {
    const std::string work = "work";
    Timeline timeline{.title = "long", .ranks = 2};
    timeline.add({.rank = 0, .label = &work, .end = Time{9500s}});
    timeline.add({.rank = 1, .label = &work, .begin = Time{Duration{7}}, .end = Time{9500s}});
    write(file, timeline, most_page_spans);
}

void write_merged(const std::string& file) {
    const std::string label = "short";
    Timeline timeline{.title = "many", .ranks = 1};
    for (int i = 0; i < 10'000; ++i) {
        timeline.add({.label = &label, .begin = Time{i * 2ns}, .end = Time{i * 2ns + 1ns}});
    }
    write(file, timeline, 1'000);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        return 2;
    }
    const std::string folder = argv[1];
    write_hostile(folder + "/hostile.html");
    write_merged(folder + "/merged.html");
    write_long(folder + "/long.html");
    write_two(folder + "/two.html");
    return 0;
}
