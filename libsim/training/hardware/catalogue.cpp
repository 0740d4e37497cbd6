#include "libsim/training/hardware/catalogue.hpp"

#include "libsim/training/hardware/files.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::training {

namespace {

CatalogueFile opened(const HardwareFile& file) {
    const std::string where = fmt::format("hardware/{}/{}.toml", file.folder, file.stem);
    CatalogueFile result{"", where, hardware_entries(file.text, where)};
    result.name = text_under(result.entries, "name");
    return result;
}

bool has_alias(const CatalogueFile& file, const std::string& plain) {
    for (const HardwareEntry& entry : file.entries) {
        const auto* names = std::get_if<std::vector<std::string>>(&entry.value);
        if (entry.key == "aliases" && names != nullptr) {
            return std::find(names->begin(), names->end(), plain) != names->end();
        }
    }
    return false;
}

}  // namespace

std::string plain_name(std::string_view name) {
    if (const std::size_t remark = name.find(" ("); remark != std::string_view::npos && name.ends_with(')')) {
        name = name.substr(0, remark);
    }
    std::string plain(name);
    std::transform(plain.begin(), plain.end(), plain.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return plain;
}

std::vector<std::string> catalogue_names(std::string_view folder) {
    std::vector<std::string> names;
    for (const HardwareFile& file : hardware_files()) {
        if (file.folder == folder) {
            names.push_back(opened(file).name);
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

bool find_in_catalogue(std::string_view folder, std::string_view name, CatalogueFile& found) {
    const std::string plain = plain_name(name);
    for (const HardwareFile& file : hardware_files()) {
        if (file.folder == folder && file.stem == plain) {
            found = opened(file);
            return true;
        }
    }
    const std::string quoted = "\"" + plain + "\"";
    for (const HardwareFile& file : hardware_files()) {
        if (file.folder == folder &&
            file.text.find(quoted) != std::string_view::npos) {  // only those are worth parsing
            CatalogueFile candidate = opened(file);
            if (has_alias(candidate, plain)) {
                found = std::move(candidate);
                return true;
            }
        }
    }
    return false;
}

std::string text_under(const std::vector<HardwareEntry>& entries, std::string_view key) {
    for (const HardwareEntry& entry : entries) {
        const auto* text = std::get_if<std::string>(&entry.value);
        if (entry.key == key && text != nullptr) {
            return *text;
        }
    }
    return "";
}

}  // namespace sim::training
