#include "libsim/training/hardware/catalogue.hpp"

#include "libsim/known_name.hpp"
#include "libsim/training/hardware/files.hpp"
#include "libsim/training/listed_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace sim::training {

namespace {

CatalogueFile opened(const HardwareFile& file) {
    const std::string where = fmt::format("hardware/{}/{}.toml", file.folder, file.stem);
    CatalogueFile result{file.folder, "", where, hardware_entries(file.text, where)};
    result.name = text_under(result.entries, "name");
    return result;
}

// The name and aliases at the head of a shipped file.
ListedName names_of(const HardwareFile& file) {
    return names_listed_in(file.text).at(0);
}

// Adds all names and aliases of a folder; their rows are indices into hardware_files().
void add_names(std::string_view folder, std::vector<KnownName>& known) {
    const auto files = hardware_files();
    for (std::size_t row = 0; row < files.size(); ++row) {
        if (files[row].folder == folder) {
            known.push_back({std::string(files[row].stem), row});
            for (const std::string_view alias : names_of(files[row]).aliases) {
                known.push_back({std::string(alias), row});
            }
        }
    }
}

// The row that `find` returns among a folder's names.
template <class Find>
bool take_found(std::string_view folder, std::string_view name, CatalogueFile& found, Find find) {
    std::vector<KnownName> known;
    add_names(folder, known);
    const std::optional<std::size_t> row = find(plain_name(name), known);
    if (row) {
        found = opened(hardware_files()[*row]);
    }
    return row.has_value();
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
            names.emplace_back(names_of(file).name);
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
    for (const HardwareFile& file : hardware_files()) {
        if (file.folder != folder) {
            continue;
        }
        const std::vector<std::string_view> aliases = names_of(file).aliases;
        if (std::find(aliases.begin(), aliases.end(), plain) != aliases.end()) {
            found = opened(file);
            return true;
        }
    }
    return take_found(folder, name, found, row_called);
}

bool find_by_words(std::string_view folder, std::string_view words, CatalogueFile& found) {
    return take_found(folder, words, found, row_with_words);
}

bool find_hardware(std::string_view name, CatalogueFile& found) {
    return find_in_catalogue("machines", name, found) || find_in_catalogue("accelerators", name, found) ||
           find_by_words("machines", name, found) || find_by_words("accelerators", name, found);
}

std::string hint_in_catalogue(std::initializer_list<std::string_view> folders, std::string_view name) {
    std::vector<KnownName> known;
    for (const std::string_view folder : folders) {
        add_names(folder, known);
    }
    return name_hint(plain_name(name), known);
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
