// The step report as JSON and as a table: base SI units, bytes, fractions of 1.
#include "libsim/explain/explained_step.hpp"
#include "libsim/predict/records.hpp"

namespace sim::explain {

using namespace predict;
using namespace report;
using namespace report::keys;

namespace {

const Record<CommunicationUse>& communication_record() {
    using Use = CommunicationUse;
    static const Record<Use> record(
        "One kind of communication.",
        {free_text<Use>("what", "The data sent, such as all-gather of parameters.", &Use::what),
         name<Use>("group", "The category of its time, a key of breakdown.",
                   [](const Use& use) { return name_of(use.group); }),
         whole<Use>("count", "Number of times that a rank takes part in a step.", &Use::count),
         whole<Use>("bytes", "Bytes of one operation.", &Use::bytes),
         whole<Use>("members", "Ranks of its group.", &Use::members),
         truth<Use>("across_nodes", "Whether the group spans nodes.", &Use::across_nodes),
         free_text<Use>("algorithm", "Algorithm and protocol that NCCL would choose.", &Use::algorithm),
         number<Use>("seconds_alone", "Seconds of one operation without other traffic.", &Use::seconds_alone),
         number<Use>("exposed_seconds", "Total seconds that no computation hides.", &Use::exposed_seconds),
         number<Use>("algbw", "Bytes / seconds_alone, in bytes per second.",
                     [](const Use& use) -> Json {
                         return use.seconds_alone > 0 ? Json(static_cast<double>(use.bytes) / use.seconds_alone)
                                                      : Json(0);
                     }),
         number<Use>("busbw", "Bus bandwidth as nccl-tests defines it, in bytes per second.", &Use::bus_bandwidth),
         number<Use>("share_of_link", "busbw as a share of 1 of the link's peak.", &Use::link_share)});
    return record;
}

const Record<StepReport>& pipeline_record() {
    static const Record<StepReport> record(
        "The pipeline and its bubble.",
        {name<StepReport>("schedule", "Order of the pipeline's work.",
                          [](const StepReport& of) { return of.what.layout.parallelism.schedule->name; }),
         number<StepReport>("bubble_fraction", "Predicted bubble, as a share of 1 of the step.",
                            [](const StepReport& of) { return of.step.bubble_fraction; }),
         number_or_null<StepReport>("closed_form_bubble_fraction",
                                    "The bubble that the schedule's formula gives, a share of 1; null: it has none.",
                                    [](const StepReport& of) {
                                        const auto bubble = of.what.layout.parallelism.schedule->bubble;
                                        return bubble == nullptr ? std::nullopt
                                                                 : std::optional<double>(
                                                                       bubble(of.what.layout.pipeline_shape()).share);
                                    })});
    return record;
}

const Record<PathPiece>& piece_record() {
    using Piece = PathPiece;
    static const Record<Piece> record(
        "A piece of the path.",
        {whole<Piece>("rank", "Rank that works or sends.", &Piece::rank),
         only_if(whole<Piece>("to", "Receiver of a message; absent: it is work.", &Piece::to),
                 [](const Piece& piece) { return piece.to >= 0; }),
         free_text<Piece>("what", "Kinds of work that took most of it, the longest first.", &Piece::what),
         number<Piece>("begin_seconds", "Simulated time at which it begins, in seconds.",
                       [](const Piece& piece) { return seconds(piece.begin); }),
         number<Piece>("end_seconds", "Simulated time at which it ends, in seconds.",
                       [](const Piece& piece) { return seconds(piece.end); })});
    return record;
}

const Record<PathSum>& path_sum_record() {
    using Sum = PathSum;
    static const Record<Sum> record(
        "All of one kind on the path.",
        {free_text<Sum>("what", "Kind of work or message.",
                        [](const Sum& sum) { return training::label_of(sum.part.work); }),
         truth<Sum>("is_message", "Whether it is a message.", &Sum::message),
         whole<Sum>("times", "How often it is on the path.", [](const Sum& sum) { return sum.part.times; }),
         number<Sum>("seconds", "Seconds of the path that it takes.",
                     [](const Sum& sum) { return seconds(sum.part.length); }),
         whole<Sum>("ranks", "Ranks on which it is on the path.", &Sum::ranks),
         whole<Sum>("busiest_rank", "The rank with the most of it.", &Sum::busiest),
         number<Sum>("seconds_on_busiest", "Seconds of it on that rank.",
                     [](const Sum& sum) { return seconds(sum.on_busiest); })});
    return record;
}

const Record<Sensitivity>& sensitivity_record() {
    static const Record<Sensitivity> record(
        "One change of the machine.",
        {free_text<Sensitivity>("ten_percent_more", "The part of the machine that is ten percent faster.",
                                &Sensitivity::what),
         number<Sensitivity>("step_seconds", "Predicted seconds of the step with the change.",
                             &Sensitivity::step_seconds),
         number<Sensitivity>("change", "Change of the step as a share of 1: -0.05 is 5 % less.",
                             &Sensitivity::change)});
    return record;
}

const Record<AdviceList>& advice_record() {
    static const Record<Advice> change(
        "One change of the layout.",
        {free_text<Advice>("options", "Options to add to the command line.",
                           [](const Advice& one) { return typed(one.change); }),
         free_text<Advice>("what", "Their effect, in words.", &Advice::text),
         number<Advice>("step_seconds", "Predicted seconds of the step with the change.", &Advice::step_seconds),
         number<Advice>("gain", "Saved fraction of the step; negative if it takes longer.", &Advice::gain),
         whole<Advice>("memory", "Memory of the fullest rank with the change, in bytes.", &Advice::memory)});
    static const Record<AdviceList> record(
        "The neighbours of the layout, each predicted.",
        {list_of<AdviceList>("tried", "Changes that are possible and fit, the most gain first.", change,
                             &AdviceList::tried),
         whole<AdviceList>("do_not_fit", "Changes that would not fit into memory.", &AdviceList::too_large),
         whole<AdviceList>("impossible", "Changes that do not divide or go together.", &AdviceList::impossible)});
    return record;
}

// A field that is a number of the prediction.
template <class Value>
Field<StepReport> of_step(const char* key, const char* description, Value value) {
    return number<StepReport>(key, description, [value](const StepReport& of) { return std::invoke(value, of.step); });
}

std::vector<Field<StepReport>> speed_fields() {
    return {
        of_step("step_seconds", "Predicted seconds of a training step.",
                [](const Prediction& step) { return seconds(step.step); }),
        of_step("step_seconds_low",
                "Lower bound in seconds: 8 of 10 measured steps are between this and step_seconds_high.",
                [](const Prediction& step) { return step.range.lowest; }),
        of_step("step_seconds_high",
                "Upper bound in seconds: 8 of 10 measured steps are between step_seconds_low and this.",
                [](const Prediction& step) { return step.range.highest; }),
        of_step("tokens_per_second", "Tokens per second of all GPUs.", &Prediction::tokens_per_second),
        number<StepReport>("tokens_per_second_per_gpu", "Tokens per second of one GPU.",
                           [](const StepReport& of) { return of.step.tokens_per_second / of.what.gpus(); }),
        of_step("mfu", "Model FLOPs utilization: a share of 1 of the GPUs' peak; attention in full, no recomputation.",
                &Prediction::mfu),
        of_step("model_flops_per_second_per_gpu",
                "FLOPs of the model per second and GPU, as Megatron logs them; attention in full, no recomputation.",
                &Prediction::flops_per_second),
        of_step("peak_flops_per_second_per_gpu",
                "Peak FLOPs per second that mfu and hfu refer to: a GPU's in the layout's precision.",
                &Prediction::peak_flops),
        of_step("hfu", "Hardware FLOPs utilization: the same with recomputation, a share of 1.", &Prediction::hfu),
        of_step("hfu_without_masked", "hfu without the half of causal attention that is masked, a share of 1.",
                &Prediction::hfu_without_masked)};
}

std::vector<Field<StepReport>> time_fields() {
    using Report = StepReport;
    return {
        described(part<Report>(
                      "breakdown", budget_record(), [](const Report& of) { return of.step.budget; }, budget_definition),
                  "The seconds of the step by category, averaged over all ranks; they add up to step_seconds."),
        free_text<Report>("limiter", "The limiter of the step, in a sentence.",
                          [](const Report& of) { return limiter(of.step.budget); }),
        list_of<Report>(
            "stages", "The same for a rank of each pipeline stage.", budget_record(),
            [](const Report& of) { return of.step.stage_budgets; }, budget_definition),
        part<Report>(
            "memory", memory_record(), [](const Report& of) { return of.step.memory; }, memory_definition),
        list_of<Report>("communication", "A row for each kind of communication.", communication_record(),
                        [](const Report& of) { return of.step.communication; }),
        part<Report>("pipeline", pipeline_record(), std::identity())};
}

std::vector<Field<StepReport>> reason_fields() {
    using Report = StepReport;
    return {list_of<Report>("critical_path", "The longest chain of work and messages, in order; at most 100 pieces.",
                            piece_record(), [](const Report& of) { return shortened(of.path, 100); }),
            list_of<Report>("critical_path_sum", "The whole path by kind.", path_sum_record(),
                            [](const Report& of) { return summed(of.path); }),
            list_of<Report>("sensitivities", "The effect of faster hardware.", sensitivity_record(),
                            &Report::sensitivities),
            part<Report>("advice", advice_record(), &Report::advice)};
}

std::vector<Field<StepReport>> cost_fields() {
    using Report = StepReport;
    return {
        free_text<Report>("price", "Source of the GPU price.", [](const Report& of) { return of.what.price; }),
        described(part<Report>("cost_per_step", cost_record(), &Report::per_step, cost_definition),
                  "Cost of one step."),
        described(
            part<Report>("cost_per_trillion_tokens", cost_record(), &Report::per_trillion_tokens, cost_definition),
            "Cost of 10^12 tokens."),
        part_or_null<Report>("cost_of_run", "Cost of the run given by --tokens or --steps; null: neither was given.",
                             cost_record(), &Report::run, cost_definition)};
}

std::vector<std::string> faults_of(const StepReport& report) {
    std::vector<std::string> sentences;
    for (const faults::Injection& one : report.options.faults) {
        sentences.push_back(to_text(one));
    }
    return sentences;
}

std::vector<Field<StepReport>> run_fields() {
    using Report = StepReport;
    return {
        texts<Report>("faults", "The faults that the step suffers.", "A fault, such as: slow rank 0 x1.5.", faults_of),
        number<Report>("undisturbed_step_seconds", "Seconds of the step without faults and jitter.",
                       [](const Report& of) { return seconds(of.undisturbed); }),
        texts<Report>("derived", "Options derived from the others, a sentence each.", "An assumption.",
                      [](const Report& of) { return of.what.notes; }),
        whole<Report>("simulated_ranks", "Ranks that were simulated: one of each stage, or with --unfold all.",
                      [](const Report& of) { return of.step.simulated_ranks; }),
        whole<Report>("ops", "Operations that were simulated.", [](const Report& of) { return of.step.ops; }),
        name<Report>("timeline_sha256", "SHA-256 of the timeline; equal timelines have equal hashes.",
                     [](const Report& of) { return of.step.timeline_sha256; })};
}

const Record<StepReport>& step_report_record() {
    using Report = StepReport;
    static const Record<Report> record("A training step, predicted and explained.",
                                       joined<Report>({{command<Report>("train")},
                                                       case_fields<Report>(&Report::what),
                                                       {given<Report>(&Report::given)},
                                                       speed_fields(),
                                                       time_fields(),
                                                       reason_fields(),
                                                       cost_fields(),
                                                       run_fields()}));
    return record;
}

// A category of the step's time, as a row of the table.
struct PartOfStep {
    TimeCategory category;
    double seconds;
    double share;
};

const Record<PartOfStep>& part_record() {
    using Part = PartOfStep;
    static const Record<Part> record(
        "A part of the step.",
        {free_text<Part>("part", "Part of the step, as the text report calls it.",
                         [](const Part& of) { return title_of(of.category); }),
         number<Part>("seconds", "Seconds that it takes, averaged over all ranks.", &Part::seconds),
         printed(number<Part>("share", "The same as a share of 1 of the step.", &Part::share), "{:.6g}")});
    return record;
}

}  // namespace

Table parts_of(const Prediction& step) {
    std::vector<PartOfStep> parts;
    for (std::size_t i = 0; i < step.budget.size(); ++i) {
        parts.push_back({static_cast<TimeCategory>(i), step.budget[i], step.budget[i] / seconds(step.step)});
    }
    return part_record().table(parts);
}

std::string json_of(const StepReport& report) {
    return json_line(step_report_record().json(report));
}

SchemaText train_schema() {
    return schema_of_command("train", step_report_record().schema());
}

SchemaText train_columns() {
    return columns_of_command("train", part_record().columns());
}

}  // namespace sim::explain
