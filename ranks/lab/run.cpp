// This file is the main of a lab's program.
#include "libsim/config/errors.hpp"
#include "libsim/config/text_file.hpp"
#include "libsim/plain_text.hpp"
#include "libsim/report/text_timeline.hpp"
#include "ranks/lab/call_sites.hpp"
#include "ranks/lab/case.hpp"
#include "ranks/lab/explain_fault.hpp"
#include "ranks/lab/record.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

namespace sim::lab {

namespace {

struct Asked {
    std::string play = "case.json";
    std::string into;  // empty: draw the timeline
    std::string source = "lab.cpp";
    ranks::Host host = ranks::Host::process;
};

Asked read_arguments(int argc, char** argv) {
    Asked asked;
    for (int i = 1; i < argc; i += 2) {
        const std::string name = argv[i];
        if (i + 1 == argc) {
            throw config::UsageError(name + " needs a value");
        }
        const std::string value = argv[i + 1];
        if (name == "--play") {
            asked.play = value;
        } else if (name == "--into") {
            asked.into = value;
        } else if (name == "--source") {
            asked.source = value;
        } else if (name == "--host" && (value == "process" || value == "fiber")) {
            asked.host = value == "fiber" ? ranks::Host::fiber : ranks::Host::process;
        } else {
            throw config::UsageError(
                fmt::format("unknown {} {}; there are --play FILE, --into FILE and --host process|fiber",
                            config::shortened(name), config::shortened(value)));
        }
    }
    return asked;
}

Record play_case(const Case& played, const Asked& asked, const Program& program) {
    CallSites sites(played.ranks, find_return_addresses);
    ranks::LaunchOptions options = launch_options(played, asked.host);
    options.port_between = [&sites](Port& port) { return sites.before(port); };
    Record record = play(std::move(options), [&](GPU& gpu) { program(gpu, played.given); });
    if (record.fault) {
        add_last_op(*record.fault, sites);
        std::vector<CallSite> wrong;
        for (const kernel::WrongOp& op : record.fault->ops) {
            wrong.push_back(sites.of(op.rank, op.op_number));
        }
        record.lines = source_lines(wrong, asked.source);
    }
    return record;
}

void write(const std::string& file, const std::string& text) {
    std::ofstream out(file, std::ios::binary);
    out << text;
    out.close();
    if (!out) {
        throw config::OutputError("cannot write " + file);
    }
}

// Empty if the program does not run beside its file.
std::string source_text(const std::string& file) {
    return std::filesystem::exists(file) ? config::read_text(file, "a lab") : "";
}

int draw(const std::vector<Record>& records, const std::string& source) {
    for (const Record& record : records) {
        std::fputs(report::text_timeline(record.timeline).c_str(), stdout);
        if (record.fault) {
            std::fputs(plain_text(explain_fault(record, source, source_text(source))).c_str(), stderr);
            return static_cast<int>(record.fault->failure);
        }
    }
    return 0;
}

void complain(const std::exception& error) {
    std::fprintf(stderr, "lab: %s\n", plain_text(error.what()).c_str());
}

int play_all(int argc, char** argv, const Program& program) {
    const Asked asked = read_arguments(argc, argv);
    std::vector<Record> records;
    for (const Case& each : cases_from_json(asked.play, config::read_text(asked.play, "cases of a lab"))) {
        records.push_back(play_case(each, asked, program));
        records.back().timeline.title = "yours";
    }
    if (asked.into.empty()) {
        return draw(records, asked.source);
    }
    write(asked.into, to_json(records));
    return 0;
}

}  // namespace

int run(int argc, char** argv, const Program& program) {
    try {
        return play_all(argc, argv, program);
    } catch (const config::UsageError& error) {
        complain(error);
        return exit_code::usage;
    } catch (const config::OutputError& error) {
        complain(error);
        return exit_code::no_output;
    } catch (const std::exception& error) {
        complain(error);
        return exit_code::machine_limit;
    }
}

}  // namespace sim::lab
