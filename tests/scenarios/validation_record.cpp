// Reading published runs: known and unknown values, and impossible ones.
#include "libsim/config/errors.hpp"
#include "libsim/fit/validation/measured.hpp"
#include "libsim/fit/validation/record.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace {

using namespace sim::config;
using namespace sim::fit;
using nlohmann::json;
using testing::ThrowsMessage;

json good_record() {
    return json::parse(R"({
      "id": "x-1", "set": "X", "source": "somebody 2024", "notes": null,
      "model": {"name": "gpt", "layers": 2, "hidden": 64, "ffn": 256, "heads": 4, "kv_heads": null, "seq": 128,
                "vocab": 1000, "gated_mlp": false},
      "hardware": {"gpu": "A100-SXM-80GB", "gpus_per_node": 8, "intra_GBps_per_gpu_per_dir": 300,
                   "inter_GBps_per_gpu_per_dir": null},
      "layout": {"gpus": 8, "dp": 2, "tp": 2, "pp": 2, "cp": 1, "ep": 1, "sp": null, "zero": null, "vpp": "max",
                 "mbs": 1, "gbs": 8, "schedule": "1F1B"},
      "recompute": "full", "precision": "fp16", "flash_attention": false,
      "measured": {"iter_s": 1.5, "memory_gib": 10}, "usable_for_step_time": true})");
}

std::vector<RunRecord> read(const json& records) {
    return read_runs(json{{"records", records}}.dump(), "runs.json");
}
std::string problem_of(const json& record) {
    return read(json::array({record})).front().problem;
}
// The record with the value at `pointer` replaced.
json with(const char* pointer, const json& value) {
    json record = good_record();
    record[json::json_pointer(pointer)] = value;
    return record;
}

TEST(RunRecord, HoldsWhatIsKnownAndNothingWhereTheSourceIsSilent) {
    const RunRecord record = read(json::array({good_record()})).front();
    EXPECT_EQ(record.problem, "");
    EXPECT_EQ(record.model.heads, 4);
    EXPECT_EQ(record.model.kv_heads, std::nullopt);
    EXPECT_EQ(record.hardware.across, std::nullopt);
    EXPECT_EQ(record.layout.zero, std::nullopt);
    EXPECT_TRUE(record.layout.most_interleave);
    EXPECT_EQ(record.flash_attention, "false");
}

TEST(RunRecord, TakesDataParallelFromTheNumberOfGpus) {
    json record = good_record();
    record["layout"].erase("dp");
    EXPECT_EQ(read(json::array({record})).front().layout.dp, 2);
}

TEST(RunRecord, MayBeAListWithoutAnythingAroundIt) {
    EXPECT_EQ(read_runs(json::array({good_record(), good_record()}).dump(), "runs.json").size(), 2U);
}

TEST(RunRecord, SaysWhichFieldIsBadAndKeepsTheOtherRecords) {
    json bad = good_record();
    bad["layout"].erase("tp");
    const std::vector<RunRecord> records = read(json::array({bad, good_record()}));
    EXPECT_EQ(records[0].problem, "runs.json: record 0 \"x-1\": layout.tp is missing");
    EXPECT_EQ(records[1].problem, "");
}

TEST(RunRecord, RefusesWhatCannotBe) {
    EXPECT_EQ(problem_of(with("/layout/pp", "two")),
              "runs.json: record 0 \"x-1\": layout.pp must be a whole number from 1 to 536870911, not \"two\"");
    EXPECT_EQ(problem_of(with("/model/layers", 0)),
              "runs.json: record 0 \"x-1\": model.layers must be a whole number from 1 to 536870911, not 0");
    EXPECT_EQ(problem_of(with("/model/hidden", 64.5)),
              "runs.json: record 0 \"x-1\": model.hidden must be a whole number from 1 to 536870911, not 64.5");
    EXPECT_EQ(problem_of(with("/layout/gpus", 9)),
              "runs.json: record 0 \"x-1\": layout.gpus must be dp x tp x pp x cp, 2 x 2 x 2 x 1, not 9");
    EXPECT_EQ(problem_of(with("/layout/zero", 4)),
              "runs.json: record 0 \"x-1\": layout.zero must be 0, 1, 2 or 3, not 4");
    EXPECT_EQ(problem_of(with("/hardware/intra_GBps_per_gpu_per_dir", -1)),
              "runs.json: record 0 \"x-1\": hardware.intra_GBps_per_gpu_per_dir must be a number above 0, not -1");
    EXPECT_EQ(problem_of(with("/model", json::array())),
              "runs.json: record 0 \"x-1\": model must be an object, not []");
    EXPECT_EQ(problem_of(7), "runs.json: record 0: must be an object, not 7");
}

TEST(RunRecord, GuessesTheKeyThatWasMeant) {
    json record = good_record();
    record["model"]["hiden"] = record["model"]["hidden"];
    record["model"].erase("hidden");
    EXPECT_EQ(problem_of(record),
              "runs.json: record 0 \"x-1\": model.hidden is missing; is model.hiden meant to be it?");
}

TEST(RunRecord, NeedsAListOfRecords) {
    EXPECT_THAT([] { read_runs("{\"runs\": []}", "f.json"); },
                ThrowsMessage<UsageError>("f.json: has no list \"records\" of published runs"));
    EXPECT_THAT([] { read_runs("{\"records\": []}", "f.json"); },
                ThrowsMessage<UsageError>("f.json: the list \"records\" is empty"));
    EXPECT_THAT(
        [] { read_runs("[", "f.json"); },
        ThrowsMessage<UsageError>(testing::StartsWith("f.json: is not valid JSON: parse error at line 1, column 2: ")));
}

TEST(MeasuredRun, IsReadApartAndMayBeMissing) {
    json silent = good_record();
    silent.erase("measured");
    const std::string text = json{{"records", json::array({good_record(), silent})}}.dump();
    const std::vector<Measured> measured = read_measured(text, "runs.json");
    EXPECT_EQ(measured[0].step_seconds, 1.5);
    EXPECT_EQ(measured[0].memory_gib, 10);
    EXPECT_EQ(measured[1].step_seconds, std::nullopt);
}

TEST(MeasuredRun, SaysWhatCannotHaveBeenMeasured) {
    const std::string text = json{{"records", json::array({with("/measured/iter_s", -3)})}}.dump();
    EXPECT_EQ(read_measured(text, "runs.json").front().problem,
              "runs.json: record 0: measured.iter_s must be a number above 0, not -3");
}

// GPT: L = 2, h = 64, s = 128, V = 1000, B = 8. Layers 24 B s L h^2, attention 4 B s^2 L h, logits 2 B s h V.
TEST(MeasuredRun, GivesSecondsByTheOperationsThatWereCounted) {
    sim::training::Transformer model;
    model.layers = 2;
    model.hidden = 64;
    model.ffn = 256;
    model.heads = model.kv_heads = 4;
    model.head_dim = 16;
    model.vocabulary = 1000;
    model.sequence = 128;
    const double layers = 24.0 * 8 * 128 * 2 * 64 * 64;
    const double attention = 4.0 * 8 * 128 * 128 * 2 * 64;
    const double logits = 2.0 * 8 * 128 * 64 * 1000;
    EXPECT_DOUBLE_EQ(counted_flops("hardware (full recompute)", model, 8, false),
                     4 * (layers + attention) + 3 * logits);
    EXPECT_DOUBLE_EQ(counted_flops("model", model, 8, false), 3 * (layers + attention + logits));

    const sim::training::Layout layout{.parallelism = {.dp = 2}, .batch = {.global = 8}};
    EXPECT_EQ(measured_seconds({.step_seconds = 4, .tokens_per_second = 1}, model, layout, false), 4);
    EXPECT_EQ(measured_seconds({.tokens_per_second = 256}, model, layout, false), 8 * 128 / 256.0 / 2);
    const double teraflops = counted_flops("model", model, 8, false) / 1e12;
    EXPECT_DOUBLE_EQ(
        measured_seconds({.teraflops = teraflops, .teraflops_kind = "model"}, model, layout, false).value_or(0), 0.5);
    EXPECT_EQ(measured_seconds({}, model, layout, false), std::nullopt);
}

}  // namespace
