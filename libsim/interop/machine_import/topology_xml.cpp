// NCCL's topology in XML:
//
//   <system><cpu><pci link_speed link_width><gpu dev sm><nvlink target count tclass/></gpu></pci>
//                <pci><nic><net name speed/></nic></pci></cpu></system>
// Card speeds are in Mb/s. AMD has xgmi in place of nvlink. Unknown elements and attributes are ignored.
// Source of the format: NVIDIA/nccl, src/graph/xml.cc and topo.cc (2024 to 2026).
#include "libsim/interop/machine_import/machine_of_node.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/config/text_fields.hpp"
#include "libsim/interop/machine_import/xml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace sim::machine_import {

using namespace config;

namespace {

const char* const switch_class = "0x068000";  // PCI class of a bridge: NVSwitch
constexpr int most_links = 1000;
constexpr double most_megabits = 1e8;

class TopologyReader {
public:
    TopologyReader(const std::vector<XmlElement>& elements, const std::string& file) : elements_(elements) {
        node_.file = file;
        node_.kind = "NCCL's topology";
    }

    DescribedNode read() {
        if (elements_.front().name != "system") {
            refuse(elements_.front(),
                   fmt::format("the first element must be <system>, not <{}>: this is no topology of "
                               "NCCL's",
                               shortened(elements_.front().name)));
        }
        for (const XmlElement& element : elements_) {
            if (element.name == "gpu") {
                take_gpu(element);
            } else if (element.name == "net") {
                take_card(element);
            }
        }
        if (node_.gpus.empty()) {
            refuse(elements_.front(),
                   "there is no <gpu> in it: let NCCL write it from a running job, with "
                   "NCCL_TOPO_DUMP_FILE");
        }
        for (const XmlElement& element : elements_) {
            if (element.name == "nvlink" || element.name == "xgmi") {
                take_link(element);
            }
        }
        check_ends();
        return std::move(node_);
    }

private:
    [[noreturn]] void refuse(const XmlElement& at, const std::string& why) const { refuse(at.line, why); }
    [[noreturn]] void refuse(int line, const std::string& why) const {
        throw UsageError(fmt::format("{}:{}: {}", node_.file, line, why));
    }

    // The nearest enclosing element of that name; nullptr: none.
    const XmlElement* around(const XmlElement& element, const char* name) const {
        for (int at = element.parent; at >= 0; at = elements_[static_cast<std::size_t>(at)].parent) {
            if (elements_[static_cast<std::size_t>(at)].name == name) {
                return &elements_[static_cast<std::size_t>(at)];
            }
        }
        return nullptr;
    }

    double number(const XmlElement& element, const char* key, double lowest, double highest, double otherwise) const {
        const std::string* text = element.attribute(key);
        if (text == nullptr) {
            return otherwise;
        }
        const std::optional<double> value = number_of(*text);
        if (!value || !(*value >= lowest && *value <= highest)) {
            refuse(element, fmt::format("{} of <{}> must be a number from {:g} to {:g}, not \"{}\"", key, element.name,
                                        lowest, highest, shortened(*text)));
        }
        return *value;
    }

    static std::string text_of(const XmlElement* element, const char* key) {
        const std::string* text = element != nullptr ? element->attribute(key) : nullptr;
        return text != nullptr ? *text : "";
    }

    // Parses "32.0 GT/s PCIe" and the number of lanes: 128 of 130 bits are data from PCIe 3 on, 8 of 10 before.
    double pcie_rate_of(const XmlElement* pci) const {
        const std::string speed = text_of(pci, "link_speed");
        const std::string width = text_of(pci, "link_width");
        const std::size_t unit = speed.find_first_of(" G");
        const double giga = number_of(std::string_view(speed).substr(0, unit)).value_or(0);
        const double lanes = number_of(width).value_or(0);
        if (!(giga > 0 && giga < 1000 && lanes > 0 && lanes <= 32)) {
            return 0;  // unknown in virtual machines
        }
        const double share = giga >= 8 ? 128.0 / 130 : 0.8;
        return giga * 1e9 * lanes / 8 * share;
    }

    void take_gpu(const XmlElement& element) {
        const XmlElement* pci = around(element, "pci");
        DescribedGpu gpu{.line = element.line, .device = "", .links = {}};
        const std::string vendor = text_of(pci, "vendor");
        const std::string device = text_of(pci, "device");
        gpu.device = vendor.empty() || device.empty() ? "" : vendor + ":" + device;
        gpu.sm = static_cast<int>(number(element, "sm", 0, 10'000, 0));
        gpu.pcie_rate = pcie_rate_of(pci);
        // NCCL identifies a GPU by its bus address; hand-written files by its number.
        const std::string host = text_of(around(element, "cpu"), "host_hash");
        const std::string bus = text_of(pci, "busid");
        const std::string dev = text_of(&element, "dev");
        const int number = static_cast<int>(node_.gpus.size());
        if (!bus.empty() && !gpus_by_name_.emplace(host + "/" + bus, number).second) {
            refuse(element, fmt::format("the GPU {} appears twice", shortened(bus)));
        }
        if (!dev.empty() && !gpus_by_name_.emplace(host + "/#" + dev, number).second) {
            refuse(element, fmt::format("there are two GPUs with dev=\"{}\"", shortened(dev)));
        }
        numbers_[&element] = number;
        node_.gpus.push_back(gpu);
    }

    void take_card(const XmlElement& element) {
        DescribedCard card{.line = element.line, .name = text_of(&element, "name")};
        card.bits_per_second = number(element, "speed", 1, most_megabits, 0) * 1e6;
        const std::string port = text_of(&element, "port");
        const std::string host = text_of(around(element, "cpu"), "host_hash");
        if (!card.name.empty() && !cards_.emplace(host + "/" + card.name + "/" + port, element.line).second) {
            refuse(element, fmt::format("the card {} appears twice", shortened(card.name)));
        }
        node_.cards.push_back(card);
    }

    void take_link(const XmlElement& element) {
        const XmlElement* owner = around(element, "gpu");
        if (owner == nullptr) {
            refuse(element, fmt::format("<{}> must stand within a <gpu>", element.name));
        }
        DescribedGpu& gpu = node_.gpus[static_cast<std::size_t>(numbers_.at(owner))];
        const std::string target = text_of(&element, "target");
        const int count = static_cast<int>(number(element, "count", 1, most_links, 1));
        const std::string host = text_of(around(element, "cpu"), "host_hash");
        auto at = gpus_by_name_.find(host + "/" + target);
        at = at == gpus_by_name_.end() ? gpus_by_name_.find(host + "/#" + target) : at;
        const bool to_switch = text_of(&element, "tclass") == switch_class;
        if (!to_switch && at == gpus_by_name_.end()) {
            // The job used only some of the node's GPUs, or ran in a container that sees no others.
            node_.remarks.push_back(fmt::format("line {}: {} links to {}, which is not in the file", element.line,
                                                count, shortened(target)));
            return;
        }
        gpu.links.push_back({to_switch ? -1 : at->second, count});
    }

    void check_ends() const {
        for (int number = 0; number < static_cast<int>(node_.gpus.size()); ++number) {
            const DescribedGpu& gpu = node_.gpus[static_cast<std::size_t>(number)];
            for (const DescribedLinks& links : gpu.links) {
                if (links.peer == number) {
                    refuse(gpu.line, fmt::format("GPU {} has links to itself", number));
                }
                if (links.peer >= 0 && count_of(number, links.peer) != count_of(links.peer, number)) {
                    refuse(gpu.line,
                           fmt::format("GPU {} has {} links to GPU {}, which has {} back", number,
                                       count_of(number, links.peer), links.peer, count_of(links.peer, number)));
                }
            }
        }
    }
    int count_of(int from, int to) const {
        int sum = 0;
        for (const DescribedLinks& links : node_.gpus[static_cast<std::size_t>(from)].links) {
            sum += links.peer == to ? links.count : 0;
        }
        return sum;
    }

    const std::vector<XmlElement>& elements_;
    DescribedNode node_;
    std::map<std::string, int> gpus_by_name_;
    std::map<const XmlElement*, int> numbers_;
    std::map<std::string, int> cards_;
};

}  // namespace

DescribedNode read_topology_xml(const std::string& text, const std::string& file) {
    const std::vector<XmlElement> elements = read_xml(text, file);
    return TopologyReader(elements, file).read();
}

}  // namespace sim::machine_import
