#include "ranks/lab/call_sites.hpp"

#include <dlfcn.h>
#include <execinfo.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>

namespace sim::lab {

namespace {

// The load address of the program, to which the addresses in its file are relative.
std::uint64_t load_address() {
    Dl_info info{};
    return dladdr(reinterpret_cast<const void*>(&source_lines), &info) != 0
               ? reinterpret_cast<std::uint64_t>(info.dli_fbase)
               : 0;
}

// "file:line" for each address, in order; fewer if not all are available.
std::vector<std::string> addr2line(const std::vector<std::uint64_t>& addresses) {
    std::string command = "addr2line -e /proc/" + std::to_string(getpid()) + "/exe";
    const std::uint64_t base = load_address();
    for (const std::uint64_t address : addresses) {
        // A return address follows its call, which may be the last instruction of its line.
        command += fmt::format(" {:#x}", address - base - 1);
    }
    command += " 2> /dev/null";
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
    std::vector<std::string> lines;
    std::array<char, 4096> text{};
    while (pipe && std::fgets(text.data(), text.size(), pipe.get()) != nullptr) {
        lines.emplace_back(text.data());
    }
    return lines;
}

Line line_from(const std::string& text, const std::string& file) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string::npos || std::filesystem::path(text.substr(0, colon)).filename() != file) {
        return {};
    }
    return {file, std::atoi(text.c_str() + colon + 1)};
}

}  // namespace

void find_return_addresses(CallSite& site) {
    std::array<void*, std::tuple_size_v<CallSite>> found{};
    const int count = backtrace(found.data(), static_cast<int>(found.size()));
    for (int i = 0; i < count; ++i) {
        site[static_cast<std::size_t>(i)] = reinterpret_cast<std::uint64_t>(found[static_cast<std::size_t>(i)]);
    }
}

std::vector<Line> source_lines(const std::vector<CallSite>& sites, const std::string& file) {
    std::vector<std::uint64_t> addresses;
    std::vector<std::size_t> owners;
    for (std::size_t i = 0; i < sites.size(); ++i) {
        for (const std::uint64_t address : sites[i]) {
            if (address != 0) {
                addresses.push_back(address);
                owners.push_back(i);
            }
        }
    }
    std::vector<Line> lines(sites.size());
    if (addresses.empty()) {
        return lines;
    }
    const std::string name = std::filesystem::path(file).filename();
    const std::vector<std::string> texts = addr2line(addresses);
    for (std::size_t i = 0; i < std::min(texts.size(), owners.size()); ++i) {
        if (Line& line = lines[owners[i]]; line.file.empty()) {
            line = line_from(texts[i], name);
        }
    }
    return lines;
}

}  // namespace sim::lab
