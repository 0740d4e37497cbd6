#include "libsim/report/page/page.hpp"

#include "libsim/report/page/run_data.hpp"
#include "libsim/trace/sha256.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sim::report {

namespace {

// The source expression by which a content-security policy allows this script or style.
std::string source_of(std::string_view text) {
    trace::Sha256 hash;
    hash.add(text.data(), text.size());
    const trace::Sha256::Digest digest = hash.end();
    return fmt::format("'sha256-{}'", base64({reinterpret_cast<const char*>(digest.data()), digest.size()}));
}

void write_runs(std::ostream& out, const std::vector<RunData>& runs, const std::string& comparison,
                const Timeline& first) {
    const auto json = [&](const char* id, const std::string& text) {
        out << fmt::format("<script type=\"application/json\" id=\"{}\">", id) << (text.empty() ? "null" : inert(text))
            << "</script>\n";
    };
    json("verdict", first.verdict);
    json("explanation", first.explanation);
    out << "<script type=\"application/json\" id=\"comparison\">" << comparison << "</script>\n";
    out << "<script type=\"application/json\" id=\"runs\">[";
    for (std::size_t i = 0; i < runs.size(); ++i) {
        out << (i == 0 ? "" : ",\n") << runs[i].header;
    }
    out << "]</script>\n";
    for (std::size_t i = 0; i < runs.size(); ++i) {
        out << fmt::format("<script type=\"application/octet-stream\" id=\"spans-{}\">", i)
            << base64(runs[i].columns.compressed()) << "</script>\n";
    }
}

using ComparisonJson = nlohmann::ordered_json;

ComparisonJson json_of_time(const ComparedTime& time) {
    return {{"name", time.name}, {"a", time.a}, {"b", time.b}, {"difference", time.difference()}};
}

// "null" if there is no comparison.
std::string comparison_data(const Comparison* comparison) {
    if (comparison == nullptr) {
        return "null";
    }
    ComparisonJson json{{"sentence", comparison->sentence}, {"all", json_of_time(comparison->all)}};
    json["parts"] = ComparisonJson::array();
    for (const ComparedTime& part : comparison->parts) {
        json["parts"].push_back(json_of_time(part));
    }
    json["figures"] = ComparisonJson::array();
    for (const ComparedFigure& one : comparison->figures) {
        json["figures"].push_back({{"name", one.name}, {"a", one.a}, {"b", one.b}, {"change", one.change}});
    }
    json["changed"] = ComparisonJson::array();
    for (const ComparedSetting& one : comparison->changed) {
        json["changed"].push_back({{"name", one.name}, {"a", one.a}, {"b", one.b}});
    }
    return inert(json.dump(-1, ' ', false, ComparisonJson::error_handler_t::replace));
}

}  // namespace

void write_page(std::ostream& out, std::span<const Timeline* const> timelines, std::size_t most_spans,
                const Comparison* comparison) {
    std::vector<RunData> runs;
    for (const Timeline* timeline : timelines) {
        runs.push_back(run_data(*timeline, most_spans));
    }
    const std::string difference = comparison_data(comparison);
    const std::string style = page_style();
    const std::string script = page_script();
    const std::map<std::string_view, std::function<void()>> pieces{
        {"policy",
         [&] {
             out << fmt::format(
                 "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src {}; style-src "
                 "{}; "
                 "base-uri 'none'; form-action 'none'\">\n",
                 source_of(script), source_of(style));
         }},
        {"style", [&] { out << "<style>" << style << "</style>\n"; }},
        {"runs", [&] { write_runs(out, runs, difference, *timelines.front()); }},
        {"script", [&] { out << "<script>" << script << "</script>\n"; }},
    };
    const std::string page = page_template();
    std::string_view rest = page;
    for (std::size_t open = rest.find("{{"); open != std::string_view::npos; open = rest.find("{{")) {
        const std::size_t close = rest.find("}}\n", open);
        out << rest.substr(0, open);
        pieces.at(rest.substr(open + 2, close - open - 2))();
        rest.remove_prefix(close + 3);
    }
    out << rest;
}

void write_page(std::ostream& out, const Timeline& timeline, std::size_t most_spans) {
    const Timeline* const one = &timeline;
    write_page(out, std::span(&one, 1), most_spans);
}

}  // namespace sim::report
