#include "libsim/interop/machine_import/machine_of_node.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/error.hpp"
#include "libsim/interop/machine_import/gpu_facts.hpp"
#include "libsim/nearest.hpp"
#include "libsim/report/json_text.hpp"
#include "libsim/training/hardware.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::machine_import {

using namespace config;

namespace {

[[noreturn]] void refuse(const DescribedNode& node, int line, const std::string& why) {
    throw UsageError(fmt::format("{}:{}: {}", node.file, line, why));
}

training::Accelerator accelerator_named(const std::string& name) {
    try {
        return training::accelerator(name);
    } catch (const ProgramError& error) {
        throw UsageError(fmt::format("--gpu: {}", error.what()));
    }
}

std::string name_of_device(const std::string& device) {
    const auto all = gpu_devices();
    const auto at = std::find_if(all.begin(), all.end(), [&](const GpuDevice& one) { return one.device == device; });
    return at == all.end() ? "" : at->accelerator;
}

// The accelerator of the file and of the user's option, which must not contradict each other.
training::Accelerator accelerator_of(const DescribedNode& node, const ImportFacts& facts) {
    const DescribedGpu& first = node.gpus.front();
    for (const DescribedGpu& gpu : node.gpus) {
        if (gpu.device != first.device || gpu.sm != first.sm) {
            refuse(node, gpu.line,
                   fmt::format("this GPU differs from the one at line {}: a machine has GPUs of one "
                               "kind",
                               first.line));
        }
    }
    const std::string notes = name_of_device(first.device);
    if (facts.gpu.empty() && notes.empty()) {
        refuse(node, first.line,
               first.device.empty()
                   ? "does not identify the GPU; give --gpu NAME"
                   : fmt::format("the PCI device {} is not known; give --gpu NAME", shortened(first.device)));
    }
    const training::Accelerator gpu = accelerator_named(facts.gpu.empty() ? notes : facts.gpu);
    const LinkFacts* links = link_facts(gpu.generation);
    if (first.sm > 0 && links != nullptr && links->lowest_sm > 0 &&
        (first.sm < links->lowest_sm || first.sm > links->highest_sm)) {
        refuse(node, first.line,
               fmt::format("says sm=\"{}\", and {} is of the generation {} (sm {} to {})", first.sm, gpu.name,
                           gpu.generation, links->lowest_sm, links->highest_sm));
    }
    return gpu;
}

struct ScaleUp {
    double rate = 0;
    std::string source;
    bool switched = false;
    std::string links;  // a remark; empty: none
};

struct CountedLinks {
    int count = 0;  // links of the GPU with the fewest
    bool switched = false;
    int line = 0;
};

// nvidia-smi reports links through a switch as if all of them went to each peer.
CountedLinks count_links(const DescribedNode& node, int most) {
    CountedLinks fewest{.count = -1};
    for (const DescribedGpu& gpu : node.gpus) {
        CountedLinks own{.line = gpu.line};
        int sum = 0;
        int widest = 0;
        for (const DescribedLinks& links : gpu.links) {
            own.switched = own.switched || links.peer < 0;
            sum += links.count;
            widest = std::max(widest, links.count);
        }
        own.switched = own.switched || sum > most;
        const bool to_each = own.switched && std::none_of(gpu.links.begin(), gpu.links.end(),
                                                          [](const DescribedLinks& one) { return one.peer < 0; });
        own.count = to_each ? widest : sum;
        fewest = fewest.count < 0 || own.count < fewest.count ? own : fewest;
    }
    return fewest;
}

ScaleUp over_pcie(const DescribedNode& node, const LinkFacts& facts) {
    double rate = node.gpus.front().pcie_rate;
    for (const DescribedGpu& gpu : node.gpus) {
        rate = std::min(rate, gpu.pcie_rate);
    }
    return rate > 0 ? ScaleUp{rate, "PCIe's link_speed and link_width, no links between GPUs", false, "none (PCIe)"}
                    : ScaleUp{facts.pcie_rate,
                              fmt::format("PCIe x16, as GPUs of {} have; no links between GPUs", facts.generation),
                              false, "none (PCIe)"};
}

ScaleUp scale_up_of(const DescribedNode& node, const training::Accelerator& gpu) {
    const LinkFacts* facts = link_facts(gpu.generation);
    if (facts == nullptr) {
        return {};
    }
    const CountedLinks links = count_links(node, facts->links);
    if (links.count > facts->links) {
        refuse(node, links.line,
               fmt::format("{} links are more than the {} that a GPU of {} has", links.count, facts->links,
                           gpu.generation));
    }
    const auto linked =
        std::find_if(node.gpus.begin(), node.gpus.end(), [](const auto& one) { return !one.links.empty(); });
    if (linked == node.gpus.end()) {
        return over_pcie(node, *facts);
    }
    if (links.count == 0) {
        refuse(node, links.line, fmt::format("this GPU has no links, and the one of line {} has some", linked->line));
    }
    return {links.count * facts->link_rate, fmt::format("{} links of {:g} GB/s", links.count, facts->link_rate / 1e9),
            links.switched,
            fmt::format("{} links per GPU, {}", links.count, links.switched ? "through switches" : "from GPU to GPU")};
}

std::string sourced(const char* key, double value, const std::string& source, const char* confidence = "A") {
    return fmt::format("{} = {{ value = {:.12g}, source = {}, confidence = \"{}\" }}\n", key, value,
                       report::json_text(source), confidence);
}

// The cards that carry training traffic: the fastest kind, and near a GPU if the file gives distances.
std::vector<DescribedCard> cards_of(const DescribedNode& node, std::vector<std::string>& remarks) {
    double fastest = 0;
    bool some_near = false;
    for (const DescribedCard& card : node.cards) {
        fastest = std::max(fastest, card.bits_per_second);
        some_near = some_near || card.near_gpu;
    }
    std::vector<DescribedCard> chosen;
    for (const DescribedCard& card : node.cards) {
        if (card.bits_per_second < fastest / 2) {
            remarks.push_back(fmt::format("line {}: {} has {:g} Gb/s, the fastest {:g}: not counted", card.line,
                                          card.name, card.bits_per_second / 1e9, fastest / 1e9));
        } else if (some_near && !card.near_gpu) {
            remarks.push_back(fmt::format("{} shares no PCIe switch with a GPU: not counted", card.name));
        } else {
            chosen.push_back(card);
        }
    }
    return chosen;
}

std::string network_lines(const DescribedNode& node, const ImportFacts& facts, std::vector<std::string>& remarks) {
    const std::vector<DescribedCard> cards = cards_of(node, remarks);
    double gigabits = 0;
    bool said = true;
    for (const DescribedCard& card : cards) {
        said = said && card.bits_per_second > 0;
        gigabits += card.bits_per_second > 0 ? card.bits_per_second / 1e9 : facts.card_gigabits;
    }
    if (cards.empty()) {
        remarks.emplace_back("no network card: a step over more than one node is refused");
        return "";
    }
    if (!(gigabits > 0)) {
        remarks.push_back(fmt::format(
            "{} network cards without a rate: give --card-gbit N for steps over several nodes", cards.size()));
        return "";
    }
    return sourced("nic_gbit", gigabits,
                   fmt::format("{}: cards: {}{}", node.kind, cards.size(), said ? "" : ", each of --card-gbit"));
}

}  // namespace

DescribedNode read_described_node(const std::string& text, const std::string& file) {
    const std::size_t first = text.find_first_not_of(" \t\r\n\xef\xbb\xbf");
    const bool is_xml = first != std::string::npos && text[first] == '<';
    return is_xml ? read_topology_xml(text, file) : read_topology_matrix(text, file);
}

std::string machine_file_of(const DescribedNode& node, const ImportFacts& facts) {
    const training::Accelerator gpu = accelerator_of(node, facts);
    const ScaleUp up = scale_up_of(node, gpu);
    std::vector<std::string> remarks = node.remarks;
    std::string text =
        fmt::format("name = {}\naccelerator = {}\n", report::json_text(facts.name), report::json_text(gpu.name));
    if (!up.links.empty()) {
        text += fmt::format("links = {}\n", report::json_text(up.links));
    }
    text += "\n" + sourced("gpus_per_node", static_cast<double>(node.gpus.size()), node.kind);
    if (up.rate > 0) {
        text += sourced("scale_up", up.rate, fmt::format("{}: {}", node.kind, up.source));
    }
    text += network_lines(node, facts, remarks);
    const double host_rate = node.gpus.front().pcie_rate;
    if (host_rate > 0) {
        text +=
            sourced("host_link", host_rate * 12 / 15.75, node.kind + ": PCIe, of which copies reach 12 of 15.75", "B");
    }
    text += fmt::format("switch_sums = {{ value = {}, source = {}, confidence = \"B\" }}\n", up.switched,
                        report::json_text(node.kind + (up.switched ? ": links end at switches" : ": no switches")));
    std::string head = fmt::format("# Made by `ndsim hardware import` from {}.\n",
                                   report::json_text(node.file.substr(node.file.find_last_of('/') + 1)));
    for (const std::string& remark : remarks) {
        head += fmt::format("# {}\n", report::json_text(remark));
    }
    return head + text;
}

}  // namespace sim::machine_import
