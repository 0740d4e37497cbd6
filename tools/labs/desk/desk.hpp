// A desk is a learner's folder of one lab: the file that they write, and lab.json, which records questions, predictions
// and attempts.
#pragma once

#include "tools/labs/verdict.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace sim::labs {

enum class Language : std::uint8_t { cpp, python, torch };
inline constexpr std::array all_languages{Language::cpp, Language::python, Language::torch};
// "cpp", "python", "torch".
const char* name_of(Language language);
// "lab.cpp", "lab.py", "train.py".
const char* file_of(Language language);
// "README.md", "hints.md": PyTorch scripts have their own.
const char* page_of(Language language);
const char* hints_of(Language language);
bool has_language(const Lab& lab, Language language);
// The lab as it is graded in that language. Throws UsageError if the lab does not exist in it.
const Lab& lab_in(const Lab& lab, Language language);

struct Attempt {
    bool passed = false;
    int points = 0;
    int most_points = 0;
    std::string mistake;  // the diagnosed mistake; empty: none
    double value = 0;     // result of a program that passed, if the lab has a board
    std::string program;  // its SHA-256
};

struct Desk {
    std::string folder;
    const Lab* lab = nullptr;
    Language language = Language::cpp;
    std::uint64_t seed = 1;
    std::vector<std::string> predictions;  // as typed; the first counts
    int hints_seen = 0;
    std::vector<Attempt> attempts;
    bool is_signed = true;  // lab.json has not been changed since ndsim wrote it

    // Whether the learner may know the right prediction: the lab is passed, or this is the third.
    bool may_know_answer() const;
    std::string file() const { return folder + "/" + file_of(language); }
};

// Creates the folder and writes the lab's files into it. Throws OutputError, and UsageError if such a file exists
// already and would be lost.
Desk open_desk(const Lab& lab, const std::string& folder, Language language, std::uint64_t seed);
// The desk in `folder`; if empty, in NN-name here, or in this folder itself. Throws UsageError if there is none, with
// the command that creates one.
Desk desk_of(const Lab& lab, const std::string& folder);
// The desk in the folder itself, if any. Throws UsageError if it cannot be read.
std::optional<Desk> desk_in(const std::string& folder);
// All desks in the folder and its subfolders, by the number of the lab.
std::vector<Desk> desks_in(const std::string& folder);
// Writes lab.json and signs it; once changed by hand, it stays unsigned. Throws OutputError.
void keep(const Desk& desk);

}  // namespace sim::labs
