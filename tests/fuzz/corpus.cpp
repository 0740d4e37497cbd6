// Every input of the corpus, every prefix and a mutation of each, is read or refused: the findings of tools/fuzz.sh
// stay fixed.
#include "tests/fuzz/targets.hpp"

#include "tests/scenarios/temporary_folder.hpp"
#include "tests/support/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

namespace {

using namespace sim::test;

std::vector<std::string> corpus_of(const std::string& name) {
    std::vector<std::string> inputs;
    for (const auto& entry : std::filesystem::directory_iterator(NDSIM_SOURCE_DIR "/tests/fuzz/corpus/" + name)) {
        inputs.push_back(content_of(entry.path().string()));
    }
    std::sort(inputs.begin(), inputs.end());
    return inputs;
}

class Corpus : public testing::TestWithParam<FuzzTarget> {};
INSTANTIATE_TEST_SUITE_P(Of, Corpus, testing::ValuesIn(fuzz_targets().begin(), fuzz_targets().end()),
                         [](const auto& one) { return std::string(one.param.name); });

TEST_P(Corpus, IsReadOrRefused) {
    const std::vector<std::string> inputs = corpus_of(GetParam().name);
    EXPECT_GE(inputs.size(), 3U);
    for (const std::string& input : inputs) {
        EXPECT_NO_THROW(run_target(GetParam(), input)) << input.substr(0, 1'000);
    }
}

TEST_P(Corpus, IsReadOrRefusedWithAByteChangedOrItsEndCutOff) {
    Random random(1);
    for (const std::string& input : corpus_of(GetParam().name)) {
        for (int i = 0; i < 100 && !input.empty(); ++i) {
            std::string changed = input;
            changed[static_cast<std::size_t>(random.below(static_cast<int>(input.size())))] =
                static_cast<char>(random.below(256));
            EXPECT_NO_THROW(run_target(GetParam(), changed)) << changed.substr(0, 1'000);
            changed.resize(static_cast<std::size_t>(random.below(static_cast<int>(input.size()))));
            EXPECT_NO_THROW(run_target(GetParam(), changed)) << changed.substr(0, 1'000);
        }
    }
}

}  // namespace
