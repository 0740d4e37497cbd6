// The plan report as JSON and as a table: seconds, bytes, shares of 1.
#include "libsim/predict/records.hpp"
#include "libsim/search/launch_flags.hpp"
#include "libsim/search/plan_report.hpp"

#include <algorithm>

namespace sim::search {

using namespace predict;
using namespace report;
using namespace report::keys;

namespace {

const std::string row_definition = "#/definitions/row";
const std::string miss_definition = "#/definitions/miss";

// A layout of the report.
struct Shown {
    const PlanReport* report;
    PlanPoint point;
    training::Layout layout;

    std::int64_t capacity() const { return report->question.machine.gpu.memory_bytes; }
    bool is_priced() const { return report->question.machine.gpu.usd_per_hour > 0; }
};

Shown shown(const PlanReport& report, const PlanPoint& point) {
    return {&report, point, layout_of(report.question.space, report.question.model, point)};
}

struct ShownRow : Shown {
    const PlanRow* row;
    bool is_on_front;

    bool has_robustness() const { return row->robustness.has_value(); }
};

struct ShownMiss : Shown {
    std::int64_t memory;
};

ShownRow shown_row(const PlanReport& report, std::size_t place) {
    const Plan& plan = report.plan;
    const PlanRow& row = plan.rows[place];
    return {shown(report, row.point), &row, std::binary_search(plan.pareto.begin(), plan.pareto.end(), place)};
}

std::vector<ShownRow> listed(const PlanReport& report, PlanList list) {
    std::vector<ShownRow> rows;
    for (const std::size_t place : listed_rows(report.plan, list, report.top)) {
        rows.push_back(shown_row(report, place));
    }
    return rows;
}

template <class T>
Field<T> gpus_field() {
    return whole<T>("gpus", "GPUs of the layout.", [](const T& of) { return of.point.gpus; });
}

template <class T>
std::vector<Field<T>> layout_fields_of(const char* command_means) {
    return {part<T>("layout", layout_record(), &T::layout, layout_definition),
            free_text<T>("command", command_means, [](const T& of) { return command_of(*of.report, of.point); })};
}

const Record<Robustness>& robustness_record() {
    static const Record<Robustness> record(
        "Increase of the step if the machine degrades; left out if the search was stopped.",
        {printed(number<Robustness>("slow_gpu",
                                    "Increase of the step with one GPU whose computations take 1.1 times as long, on "
                                    "the pipeline stage where that costs most: a share of 1 of the undisturbed step.",
                                    &Robustness::slow_gpu),
                 "{:.6g}"),
         printed(
             number<Robustness>("slow_gpu_on_average",
                                "The same, averaged over the stages, and thus over all GPUs that may be the slow one.",
                                &Robustness::slow_gpu_on_average),
             "{:.6g}"),
         printed(number_or_null<Robustness>("slow_links",
                                            "The same with all links between nodes, or within the only node, at half "
                                            "their rate; null: there is only one GPU.",
                                            &Robustness::slow_links),
                 "{:.6g}"),
         truth<Robustness>("slow_links_between_nodes",
                           "Whether the slow links are those between nodes; false: within the only node.",
                           &Robustness::slow_links_between_nodes)});
    return record;
}

const Robustness& robustness_of_row(const ShownRow& of) {
    return *of.row->robustness;
}

const Record<ShownRow>& row_record() {
    using Row = ShownRow;
    const auto of_row = [](auto member) { return [member](const Row& of) { return std::invoke(member, *of.row); }; };
    static const Record<Row> record(
        "A layout that fits.",
        joined<Row>(
            {{gpus_field<Row>(),
              number<Row>("step_seconds", "Predicted seconds of a step.",
                          of_row([](const PlanRow& row) { return seconds(row.step); })),
              number<Row>("step_seconds_low",
                          "Least seconds of a step: 8 of 10 measured ones lie from here to step_seconds_high.",
                          of_row([](const PlanRow& row) { return row.range.lowest; })),
              number<Row>("step_seconds_high",
                          "Most seconds of a step: 8 of 10 measured ones lie from step_seconds_low to here.",
                          of_row([](const PlanRow& row) { return row.range.highest; })),
              truth<Row>("may_be_fastest",
                         "Whether it cannot be told apart from the fastest on equally many GPUs: predicted steps that "
                         "differ by so little were measured in reverse order more than once in 10.",
                         of_row(&PlanRow::may_be_fastest)),
              number<Row>("tokens_per_second", "Tokens per second of all GPUs.", of_row(&PlanRow::tokens_per_second)),
              printed(number<Row>("mfu", "Model FLOPs utilization, a share of 1.", of_row(&PlanRow::mfu)), "{:.6g}"),
              number<Row>("model_flops_per_second_per_gpu",
                          "FLOPs of the model per second and GPU; attention in full, no recomputation.",
                          of_row(&PlanRow::flops_per_second)),
              whole<Row>("memory_bytes", "Bytes that the fullest rank holds.", of_row(&PlanRow::memory)),
              whole<Row>("headroom_bytes", "Bytes of a GPU that are left.",
                         [](const Row& of) { return of.capacity() - of.row->memory; }),
              printed(only_if(number<Row>("usd_per_step", "US dollars of a step; only if the price of a GPU is known.",
                                          of_row(&PlanRow::cost)),
                              &Row::is_priced),
                      "{:.9g}"),
              printed(only_if(number<Row>("gpu_hours_per_step", "GPU-hours of a step; only if no price is known.",
                                          of_row(&PlanRow::cost)),
                              [](const Row& of) { return !of.is_priced(); }),
                      "{:.9g}"),
              only_if(part<Row>("robustness", robustness_record(), robustness_of_row), &Row::has_robustness)},
             layout_fields_of<Row>(
                 "The command of ndsim train that predicts this layout: the same step, the same memory.")}));
    return record;
}

const Record<ShownMiss>& miss_record() {
    static const Record<ShownMiss> record(
        "A layout and its memory.",
        joined<ShownMiss>(
            {{gpus_field<ShownMiss>(),
              whole<ShownMiss>("memory_bytes", "Bytes that the fullest rank would hold.", &ShownMiss::memory)},
             layout_fields_of<ShownMiss>("The command of ndsim train that predicts this layout.")}));
    return record;
}

// The columns of --csv, including those of both costs.
std::vector<Field<ShownRow>> columns() {
    using Row = ShownRow;
    std::vector<Field<Row>> robustness = fields_of<Row>(
        robustness_record().fields({"slow_gpu", "slow_gpu_on_average", "slow_links"}), robustness_of_row);
    for (Field<Row>& field : robustness) {
        field = only_if(field, &Row::has_robustness);
    }
    return joined<Row>(
        {row_record().fields({"gpus"}),
         fields_of<Row>(layout_record().fields({"dp", "tp", "pp", "cp", "ep", "expert_tp", "interleave", "schedule",
                                                "micro_batch", "zero", "recompute", "recompute_modules"}),
                        &Row::layout),
         row_record().fields({"step_seconds", "step_seconds_low", "step_seconds_high"}),
         {whole<Row>("may_be_fastest",
                     "1: it cannot be told apart from the fastest on equally many GPUs; 0: it is slower.",
                     [](const Row& of) { return of.row->may_be_fastest ? 1 : 0; })},
         row_record().fields({"tokens_per_second", "mfu", "model_flops_per_second_per_gpu", "memory_bytes",
                              "headroom_bytes", "usd_per_step", "gpu_hours_per_step"}),
         {whole<Row>("pareto", "1: no other layout beats it in time, memory and cost at once; 0: one does.",
                     [](const Row& of) { return of.is_on_front ? 1 : 0; })},
         robustness});
}

const Record<PlanCounts>& counts_record() {
    using Counts = PlanCounts;
    static const Record<Counts> refused("Illegal layouts, by the first rule that they break.", [] {
        std::vector<Field<Counts>> fields;
        for (std::size_t i = 0; i < misfit_kinds; ++i) {
            const auto misfit = static_cast<training::Misfit>(i);
            fields.push_back(whole<Counts>(name_of(misfit), fmt::format("Layouts that {}.", what_is_wrong(misfit)),
                                           [i](const Counts& of) { return of.refused.at(i); }));
        }
        return fields;
    }());
    static const Record<Counts> record(
        "Outcomes of all layouts.",
        {whole<Counts>("layouts", "All combinations that were considered.", &Counts::all),
         part<Counts>("refused", refused, std::identity()),
         whole<Counts>("evaluated", "Legal layouts that got a verdict.", &Counts::evaluated),
         whole<Counts>("need_too_much_memory", "Layouts that do not fit into memory.", &Counts::need_too_much),
         whole<Counts>("outdone", "Layouts that are no better in any respect than a simulated one.", &Counts::pruned),
         whole<Counts>("simulated", "Layouts that were simulated.", &Counts::simulated),
         whole<Counts>("feasible", "Layouts that were simulated and fit.", &Counts::feasible),
         whole<Counts>("not_reached", "Layouts that were not reached before the search was stopped.",
                       &Counts::not_reached)});
    return record;
}

const Record<LaunchFlags>& launch_record() {
    static const Record<LaunchFlags> record(
        "Flags of this framework.",
        {texts<LaunchFlags>("lines", "Its flags.", "A flag.", &LaunchFlags::lines),
         texts<LaunchFlags>("lacks", "Properties of the layout that the framework does not support.", "A property.",
                            &LaunchFlags::lacks)});
    return record;
}

bool has_layout(const PlanReport& report) {
    return !report.plan.rows.empty();
}

std::vector<Field<PlanReport>> question_fields() {
    using Report = PlanReport;
    return {
        command<Report>("plan"),
        name<Report>("model", "The model.", [](const Report& of) { return of.question.model.name; }),
        name<Report>("machine", "The machine.", [](const Report& of) { return of.question.machine.name; }),
        values_of<Report>("gpus", "The numbers of GPUs that were compared.", "integer", "A number of GPUs.",
                          [](const Report& of) { return of.question.space.gpus; }),
        whole<Report>("global_batch", "Sequences of a step.",
                      [](const Report& of) { return of.question.space.rest.batch.global; }),
        whole<Report>("sequence", "Tokens of a sequence.", [](const Report& of) { return of.question.model.sequence; }),
        one_of<Report>("objective", {"time", "cost", "memory"}, "Quantity that the search minimised.",
                       [](const Report& of) { return name_of(of.objective); }),
        truth<Report>("feasible", "Whether any layout fits.", has_layout),
        part<Report>("counts", counts_record(), [](const Report& of) { return of.plan.counts; }),
        free_text<Report>("summary", "The counts as a sentence.",
                          [](const Report& of) { return counts_text(of.plan.counts, of.question.machine); }),
        given<Report>(&Report::given)};
}

std::vector<Field<PlanReport>> best_fields() {
    using Report = PlanReport;
    return {part_or_null<Report>(
                "best", "The first layout by the objective; null: none fits.", row_record(),
                [](const Report& of) { return has_layout(of) ? std::optional(shown_row(of, 0)) : std::nullopt; },
                row_definition),
            whole<Report>("pareto_front_size", "Layouts that no other beats in time, memory and cost at once.",
                          [](const Report& of) { return of.plan.pareto.size(); }),
            list_of<Report>(
                "pareto", "The first --top of them.", row_record(),
                [](const Report& of) { return listed(of, PlanList::front); }, row_definition),
            only_if(list_of<Report>(
                        "ranking",
                        "The first --top layouts by the objective, whether or not others are better in other "
                        "respects; only with --list best or --by.",
                        row_record(), [](const Report& of) { return listed(of, PlanList::best); }, row_definition),
                    [](const Report& of) { return of.list == PlanList::best; })};
}

std::vector<ShownMiss> nearest(const PlanReport& report) {
    std::vector<ShownMiss> all;
    for (const PlanMiss& miss : report.plan.nearest) {
        all.push_back({shown(report, miss.point), miss.memory});
    }
    return all;
}

std::optional<ShownMiss> enough(const PlanReport& report) {
    if (!report.enough || report.enough->gpus == 0) {
        return std::nullopt;
    }
    const PlanMiss& smallest = report.enough->smallest;
    return ShownMiss{shown(report, smallest.point), smallest.memory};
}

std::vector<std::pair<std::string, LaunchFlags>> launches(const PlanReport& report) {
    std::vector<std::pair<std::string, LaunchFlags>> all;
    for (const LaunchFlags& flags : launch_flags(report.question.model, shown_row(report, 0).layout)) {
        all.emplace_back(flags.framework, flags);
    }
    return all;
}

// Fields that exist only if no layout fits, or only if one does.
std::vector<Field<PlanReport>> further_fields() {
    using Report = PlanReport;
    const auto where_none_fits = [](Field<Report> field) {
        return only_if(std::move(field), [](const Report& of) { return !has_layout(of); });
    };
    return {where_none_fits(list_of<Report>("nearest", "The layouts that need the least memory; only if none fits.",
                                            miss_record(), nearest, miss_definition)),
            where_none_fits(part_or_null<Report>(
                "enough_gpus", "The fewest GPUs on which a layout fits; null: none found. Only if none fits.",
                miss_record(), enough, miss_definition)),
            where_none_fits(texts<Report>("problems",
                                          "Problems of the first layout, if no layout is legal; only if none fits.",
                                          "A problem.", &Report::first_problems)),
            only_if(map_of<Report>("launch", "Flags with which frameworks launch the best layout; only if one fits.",
                                   "FRAMEWORK", launch_record(), launches),
                    has_layout)};
}

const Record<PlanReport>& plan_report_record() {
    static const Record<PlanReport> record("The search for the best layout.",
                                           joined<PlanReport>({question_fields(), best_fields(), further_fields()}));
    return record;
}

}  // namespace

std::string json_of(const PlanReport& report) {
    return json_line(plan_report_record().json(report));
}

Table table_of(const PlanReport& report) {
    std::vector<Field<ShownRow>> fields = columns();
    const bool is_priced = report.question.machine.gpu.usd_per_hour > 0;
    std::erase_if(fields, [&](const Field<ShownRow>& field) {
        return field.key == (is_priced ? "gpu_hours_per_step" : "usd_per_step");
    });
    std::vector<ShownRow> rows;
    for (std::size_t i = 0; i < report.plan.rows.size(); ++i) {
        rows.push_back(shown_row(report, i));
    }
    return Record<ShownRow>("", fields).table(rows);
}

SchemaText plan_schema() {
    Json schema = plan_report_record().schema();
    schema["definitions"] = {{"row", row_record().schema()}, {"miss", miss_record().schema()}};
    return schema_of_command("plan", schema);
}

SchemaText plan_columns() {
    return columns_of_command("plan", Record<ShownRow>("", columns()).columns());
}

}  // namespace sim::search
