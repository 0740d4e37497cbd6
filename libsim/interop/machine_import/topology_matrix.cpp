// The output of `nvidia-smi topo -m`:
//
//   NV12: 12 NVLinks · PIX, PXB, PHB, NODE, SYS: over PCIe, in order of distance · X: itself
#include "libsim/interop/machine_import/machine_of_node.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/config/text_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace sim::machine_import {

using namespace config;

namespace {

using Words = std::vector<std::string>;

// Words separated by blanks and tabs, without colour codes.
Words matrix_words(const std::string& line) {
    std::string text;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '\x1b' && i + 1 < line.size() && line[i + 1] == '[') {
            i = std::min(line.find_first_of("mK", i), line.size() - 1);
        } else {
            text += line[i];
        }
    }
    std::istringstream in(text);
    Words words;
    for (std::string word; in >> word;) {
        words.push_back(word);
    }
    return words;
}

bool is_gpu(const std::string& name) {
    return name.starts_with("GPU") && whole_of(std::string_view(name).substr(3)).has_value();
}

// Whether a row or column that is not a GPU is a card. "CPU Affinity" ends the matrix.
bool is_card(const std::string& name) {
    return name != "CPU" && name != "NUMA" && name != "GPU";
}

// The number of links; 0: over PCIe. Returns nothing for any other cell.
std::optional<int> links_of(const std::string& cell) {
    for (const char* known : {"X", "PIX", "PXB", "PXN", "PHB", "NODE", "SYS", "SOC", "PSB"}) {
        if (cell == known) {
            return 0;
        }
    }
    if (!cell.starts_with("NV")) {
        return std::nullopt;
    }
    const auto count = whole_of(std::string_view(cell).substr(2));
    return count && *count > 0 && *count < 1000 ? std::optional(static_cast<int>(*count)) : std::nullopt;
}

class MatrixReader {
public:
    explicit MatrixReader(const std::string& file) {
        node_.file = file;
        node_.kind = "nvidia-smi topo -m";
    }

    void take(const std::string& line) {
        ++line_;
        const Words words = matrix_words(line);
        if (words.empty()) {
            return;
        }
        if (names_.empty()) {
            if (is_gpu(words.front()) && (words.size() == 1 || words[1] != "X")) {
                take_head(words);
            }
        } else if (rows_ < names_.size() && words.front() == names_[rows_]) {
            take_row(words);
        } else if (rows_ < gpus_) {
            refuse(fmt::format("the row of {} must come next, not \"{}\"", names_[rows_], shortened(words.front())));
        } else if (words.size() == 2 && words.front().starts_with("NIC") && words.front().ends_with(":")) {
            name_card(words.front().substr(0, words.front().size() - 1), words[1]);
        }
    }

    DescribedNode result() {
        if (names_.empty()) {
            throw UsageError(
                fmt::format("{}: has no line \"GPU0 GPU1 …\", with which the matrix of nvidia-smi topo -m "
                            "begins",
                            node_.file));
        }
        if (rows_ < gpus_) {
            refuse(fmt::format("the file ends before the row of {}", names_[rows_]));
        }
        check_ends();
        return std::move(node_);
    }

private:
    [[noreturn]] void refuse(const std::string& why) const { refuse(line_, why); }
    [[noreturn]] void refuse(int line, const std::string& why) const {
        throw UsageError(fmt::format("{}:{}: {}", node_.file, line, why));
    }

    void take_head(const Words& words) {
        for (const std::string& word : words) {
            if (!is_gpu(word) && !is_card(word)) {
                break;
            }
            if (std::find(names_.begin(), names_.end(), word) != names_.end()) {
                refuse(fmt::format("{} appears twice", shortened(word)));
            }
            names_.push_back(word);
            if (is_gpu(word)) {
                if (gpus_ + 1 != names_.size()) {
                    refuse(fmt::format("{} stands behind a card", word));
                }
                ++gpus_;
            } else {
                node_.cards.push_back({.line = line_, .name = word, .near_gpu = false});
            }
        }
    }

    void take_row(const Words& words) {
        const std::size_t row = rows_++;
        if (words.size() < names_.size() + 1) {
            refuse(fmt::format("the row of {} has {} cells, and the head {} columns", names_[row], words.size() - 1,
                               names_.size()));
        }
        if (row >= gpus_) {
            return;  // a card's row repeats its column
        }
        DescribedGpu gpu{.line = line_, .device = "", .links = {}};
        for (std::size_t column = 0; column < names_.size(); ++column) {
            const std::string& cell = words[column + 1];
            const std::optional<int> links = links_of(cell);
            if (!links || ((cell == "X") != (column == row))) {
                refuse(fmt::format("the cell of {} and {} must be {}, not \"{}\"", names_[row], names_[column],
                                   column == row ? "X" : "NV1, NV2 …, PIX, PXB, PHB, NODE or SYS", shortened(cell)));
            }
            if (column<gpus_&& * links> 0) {
                gpu.links.push_back({static_cast<int>(column), *links});
            }
            if (column >= gpus_ && (cell == "PIX" || cell == "PXB")) {
                node_.cards[column - gpus_].near_gpu = true;
            }
        }
        node_.gpus.push_back(gpu);
    }

    void name_card(const std::string& column, const std::string& name) {
        for (DescribedCard& card : node_.cards) {
            card.name = card.name == column ? name : card.name;
        }
    }

    void check_ends() const {
        for (std::size_t i = 0; i < node_.gpus.size(); ++i) {
            for (const DescribedLinks& links : node_.gpus[i].links) {
                const auto& other = node_.gpus[static_cast<std::size_t>(links.peer)].links;
                const auto back = std::find_if(other.begin(), other.end(), [&](const DescribedLinks& one) {
                    return one.peer == static_cast<int>(i);
                });
                const int count = back == other.end() ? 0 : back->count;
                if (count != links.count) {
                    refuse(node_.gpus[i].line, fmt::format("GPU{} has {} links to GPU{}, which has {} back", i,
                                                           links.count, links.peer, count));
                }
            }
        }
    }

    DescribedNode node_;
    int line_ = 0;
    std::vector<std::string> names_;
    std::size_t gpus_ = 0;
    std::size_t rows_ = 0;
};

}  // namespace

DescribedNode read_topology_matrix(const std::string& text, const std::string& file) {
    MatrixReader reader(file);
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        reader.take(line);
    }
    return reader.result();
}

}  // namespace sim::machine_import
