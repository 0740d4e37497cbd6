#include "libsim/search/launch_flags.hpp"
#include "libsim/training/split.hpp"

#include <fmt/format.h>

namespace sim::search {

using training::Layout;

namespace {

// "t*3", "t*2m".
std::string stage_text(const training::Transformer& model, const Layout& layout, int stage) {
    const auto several = [](const char* symbol, int count) {
        return count == 0 ? "" : count == 1 ? symbol : fmt::format("{}*{}", symbol, count);
    };
    const bool predicts = stage == training::prediction_stage_of(layout);
    return several("t", training::layers_of(model, layout, stage)) + several("m", predicts ? model.mtp_layers : 0);
}

std::string repeated(const std::string& text, int times) {
    std::string all;
    for (int time = 0; time < times; ++time) {
        all += text;
    }
    return all;
}

}  // namespace

std::string megatron_pipeline_layout(const training::Transformer& model, const Layout& layout) {
    const int stages = training::virtual_stages(layout);
    std::string text = "E";
    for (int stage = 0; stage < stages;) {
        const std::string layers = stage_text(model, layout, stage);
        int next = stage + 1;
        // The first stage has the embedding in front and the last the output layer behind, so neither is repeated.
        while (stage > 0 && next < stages - 1 && stage_text(model, layout, next) == layers) {
            ++next;
        }
        const std::string one = layers + (next < stages ? "|" : "");
        const int alike = next - stage;
        text += alike > 3 ? fmt::format("({})*{}", one, alike) : repeated(one, alike);
        stage = next;
    }
    return text + "L";
}

}  // namespace sim::search
