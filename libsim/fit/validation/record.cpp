#include "libsim/fit/validation/record.hpp"

#include "libsim/fit/validation/json_fields.hpp"

#include <fmt/format.h>

#include <cstdint>

namespace sim::fit {

namespace {

using nlohmann::json;

// The text of a field that may be a string, a number or a flag: "alternating 128", 4096, true.
std::string words(const JsonFields& fields, const char* key) {
    const json* value = fields.find(key);
    if (value == nullptr) {
        return "";
    }
    if (value->is_object() || value->is_array()) {
        fields.refuse(key, "a word, a number, or true or false");
    }
    return value->is_string() ? value->get<std::string>() : value->dump();
}

RunModel model_of(const JsonFields& fields) {
    return {.name = fields.text("name"),
            .layers = fields.whole("layers"),
            .hidden = fields.whole("hidden"),
            .ffn = fields.whole("ffn"),
            .sequence = fields.whole("seq"),
            .gated = fields.flag("gated_mlp"),
            .heads = fields.optional_whole("heads"),
            .kv_heads = fields.optional_whole("kv_heads"),
            .head_dim = fields.optional_whole("head_dim"),
            .vocabulary = fields.optional_whole("vocab"),
            .experts = fields.optional_whole("experts", 0),
            .top_k = fields.optional_whole("topk", 0),
            .expert_ffn = fields.optional_whole("moe_ffn", 0),
            .shared_experts = fields.optional_whole("shared_experts", 0),
            .dense_layers = fields.optional_whole("dense_layers", 0),
            .sliding_window = words(fields, "sliding_window"),
            .attention = words(fields, "attention"),
            .query_rank = fields.optional_whole("q_lora", 0),
            .key_value_rank = fields.optional_whole("kv_lora"),
            .plain_dim = fields.optional_whole("qk_nope"),
            .rotary_dim = fields.optional_whole("qk_rope"),
            .value_dim = fields.optional_whole("v_dim")};
}

RunHardware hardware_of(const JsonFields& fields) {
    return {.gpu = fields.text("gpu"),
            .gpus_per_node = fields.whole("gpus_per_node"),
            .within = fields.optional_rate("intra_GBps_per_gpu_per_dir").value_or(0),
            .across = fields.optional_rate("inter_GBps_per_gpu_per_dir")};
}

RunLayout layout_of(const JsonFields& fields) {
    RunLayout layout{.gpus = fields.whole("gpus"),
                     .tp = fields.whole("tp"),
                     .pp = fields.whole("pp"),
                     .cp = fields.optional_whole("cp").value_or(1),
                     .ep = fields.optional_whole("ep").value_or(1),
                     .expert_tp = fields.optional_whole("etp").value_or(1),
                     .sequence_parallel = fields.optional_flag("sp"),
                     .zero = fields.optional_whole("zero", 0),
                     .micro_batch = fields.optional_whole("mbs"),
                     .global_batch = fields.optional_whole("gbs"),
                     .schedule = fields.optional_text("schedule")};
    for (const auto& [axis, size] : {std::pair{"tp", layout.tp},
                                     {"pp", layout.pp},
                                     {"cp", layout.cp},
                                     {"ep", layout.ep},
                                     {"etp", layout.expert_tp}}) {
        if (size > layout.gpus) {
            throw BadRecord(fmt::format("layout.{} is {}, of {} GPUs", axis, size, layout.gpus));
        }
    }
    const double ranks = 1.0 * layout.tp * layout.pp * layout.cp;
    if (ranks > layout.gpus) {
        throw BadRecord(fmt::format("layout.gpus is {}, fewer than tp x pp x cp = {} x {} x {}", layout.gpus, layout.tp,
                                    layout.pp, layout.cp));
    }
    const std::int64_t others = std::int64_t{layout.tp} * layout.pp * layout.cp;
    layout.dp = fields.optional_whole("dp").value_or(static_cast<int>(layout.gpus / others));
    if (layout.dp * others != layout.gpus) {
        throw BadRecord(fmt::format("layout.gpus must be dp x tp x pp x cp, {} x {} x {} x {}, not {}", layout.dp,
                                    layout.tp, layout.pp, layout.cp, layout.gpus));
    }
    if (layout.zero && *layout.zero > 3) {
        fields.refuse("zero", "0, 1, 2 or 3");
    }
    if (words(fields, "vpp") == "max") {
        layout.most_interleave = true;
    } else {
        layout.interleave = fields.optional_whole("vpp");
    }
    return layout;
}

RunRecord record_of(const JsonFields& fields) {
    RunRecord record{.id = fields.text("id"),
                     .set = fields.text("set"),
                     .source = fields.optional_text("source"),
                     .notes = fields.optional_text("notes")};
    record.model = model_of(fields.part("model"));
    record.hardware = hardware_of(fields.part("hardware"));
    record.layout = layout_of(fields.part("layout"));
    record.recompute = words(fields, "recompute");
    record.precision = words(fields, "precision");
    record.flash_attention = words(fields, "flash_attention");
    return record;
}

std::string text_or(const json& value, const char* key, const std::string& otherwise) {
    return value.is_object() && value.contains(key) && value[key].is_string() ? value[key].get<std::string>()
                                                                              : otherwise;
}

}  // namespace

std::vector<RunRecord> read_runs(const std::string& text, const std::string& file) {
    std::vector<RunRecord> records;
    for (const json& value : parse_records(text, file)) {
        const std::string number = fmt::format("record {}", records.size());
        try {
            if (!value.is_object()) {
                throw BadRecord(fmt::format("must be an object, not {}", value.dump().substr(0, 40)));
            }
            records.push_back(record_of({value, ""}));
        } catch (const BadRecord& bad) {
            const std::string id = text_or(value, "id", "");
            RunRecord record{.id = id.empty() ? number : id, .set = text_or(value, "set", "?")};
            record.problem =
                fmt::format("{}: {}{}: {}", file, number, id.empty() ? "" : fmt::format(" \"{}\"", id), bad.what());
            records.push_back(record);
        }
    }
    return records;
}

}  // namespace sim::fit
