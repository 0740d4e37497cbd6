#include "scenarios/report/reports.hpp"

#include "libsim/collectives/schedules/algorithms.hpp"
#include "scenarios/report/run_records.hpp"

namespace sim::scenarios {

using namespace report;
using namespace report::keys;

namespace {

const Record<MeshSizes>& mesh_record() {
    static const Record<MeshSizes> record("Sizes of the mesh's axes; their product is the number of ranks.",
                                          {whole<MeshSizes>("dp", "Data-parallel ranks.", &MeshSizes::dp),
                                           whole<MeshSizes>("tp", "Tensor-parallel ranks.", &MeshSizes::tp),
                                           whole<MeshSizes>("pp", "Pipeline stages.", &MeshSizes::pp),
                                           whole<MeshSizes>("ep", "Expert-parallel ranks, beside dp.", &MeshSizes::ep),
                                           whole<MeshSizes>("cp", "Context-parallel ranks.", &MeshSizes::cp)});
    return record;
}

std::vector<Field<Options>> training_fields() {
    return {
        whole<Options>("items", "Items of a step, over all ranks.", &Options::items),
        whole<Options>("steps", "Training steps.", &Options::steps),
        whole<Options>("micro_batches", "Micro-batches of a step; 0: the ranks take their items one by one.",
                       [](const Options& of) { return of.item_by_item ? 0 : of.micro_batches; }),
        whole<Options>("layers", "Layers of the model.", [](const Options& of) { return of.shape.layers; }),
        whole<Options>("experts", "Experts of a layer; 0: none.", [](const Options& of) { return of.shape.experts; }),
        one_of<Options>("optimizer", {"sgd", "adam"}, "The optimizer.",
                        [](const Options& of) { return of.optimizer == lesson::OptimizerKind::sgd ? "sgd" : "adam"; }),
        one_of<Options>("loss", {"mean-squared", "cross-entropy"}, "The loss function.", [](const Options& of) {
            return of.shape.loss == lesson::LossKind::mean_squared ? "mean-squared" : "cross-entropy";
        })};
}

std::vector<Field<Options>> parallel_fields() {
    return {
        name<Options>("schedule", "Pipeline schedule; empty: there is no pipeline.",
                      [](const Options& of) { return of.mesh.pp > 1 ? of.schedule->name : ""; }),
        whole<Options>("chunks", "Chunks of the model on each stage.", &Options::chunks),
        truth<Options>("sequence_parallel", "Whether positions are sharded over tp wherever heads are not split.",
                       &Options::sequence_parallel),
        whole<Options>("zero", "ZeRO stage over the replicas, 0 to 3.", &Options::zero),
        truth<Options>("overlap", "Whether gradients are summed during the backward pass.", &Options::overlap),
        whole<Options>("buckets", "Number of gradient buckets.", &Options::buckets),
        name<Options>("synchronize", "Algorithm of the gradient all-reduce.",
                      [](const Options& of) { return name_of(of.synchronize); }),
        whole<Options>("local_steps",
                       "Steps between two averages of the models; 0: gradients are summed in every step.",
                       &Options::local_steps),
        name<Options>("compress", "Gradient compression: none (all is sent), top-k or 16-bit.", &Options::compress)};
}

const Record<Options>& options_record() {
    static const Record<Options> record(
        "Inputs of the times, in addition to host, profile and mesh.",
        joined<Options>({training_fields(),
                         parallel_fields(),
                         {whole<Options>("seed", "Seed of weights and items.", &Options::seed)}}));
    return record;
}

const Record<RankOfRun>& totals_record() {
    using Rank = RankOfRun;
    static const Record<Rank> record(
        "A rank; compute, communication and idle add up to simulated_seconds.",
        joined<Rank>(
            {rank_record().fields(),
             {number<Rank>("compute_seconds", "Simulated seconds that the rank computed.",
                           [](const Rank& of) { return seconds(of.totals().compute); }),
              number<Rank>("communication_seconds",
                           "Simulated seconds in which it sent, received or waited for a transfer in flight.",
                           [](const Rank& of) { return seconds(of.totals().communication); }),
              number<Rank>("idle_seconds", "Simulated seconds in which it waited for others to begin or to end.",
                           [](const Rank& of) { return seconds(of.totals().idle); }),
              whole<Rank>("bytes_sent", "Bytes that it sent; 0 if messages are counted in units.",
                          [](const Rank& of) { return of.totals().bytes_sent; }),
              number<Rank>("units_sent", "Data units that it sent.",
                           [](const Rank& of) { return Units::from_billionths(of.totals().billionths_sent).value(); }),
              whole<Rank>("messages_sent", "Messages that it sent.",
                          [](const Rank& of) { return of.totals().messages_sent; }),
              number<Rank>("peak_memory_units", "Peak data units that it held in memory.", [](const Rank& of) {
                  return Units::from_billionths(of.totals().peak_billionths).value();
              })}}));
    return record;
}

std::vector<Field<Outcome>> asked_fields() {
    return joined<Outcome>({{name<Outcome>("scenario", "Name of the executable.", &Outcome::scenario)},
                            fields_of<Outcome>(asked_record(), &Outcome::options),
                            {part<Outcome>("mesh", mesh_record(), [](const Outcome& of) { return of.options.mesh; }),
                             part<Outcome>("options", options_record(), &Outcome::options),
                             given<Outcome>([](const Outcome& of) { return of.options.given; })}});
}

std::vector<Field<Outcome>> time_fields() {
    return {number<Outcome>("sequential_seconds", "Simulated seconds of the same training on one rank.",
                            &Outcome::sequential_seconds),
            number<Outcome>("speedup", "sequential_seconds / simulated_seconds.", &Outcome::speedup),
            number<Outcome>("efficiency", "Speedup / ranks, a share of 1.", &Outcome::efficiency),
            number<Outcome>("bubble_fraction",
                            "Idle time that the pipeline's schedule causes, as a share of all ranks' time.",
                            &Outcome::bubble_fraction),
            part_or_null<Outcome>(
                "recovery", "Cost of checkpoints and faults; null if there were neither checkpoints nor a second life.",
                recovery_record(), [](const Outcome& of) { return has_recovery(of) ? &of : nullptr; }),
            list_of<Outcome>("per_rank", "A row for each rank.", totals_record(),
                             [](const Outcome& of) { return ranks_of(of.result); })};
}

std::vector<Field<Outcome>> weight_fields() {
    return {
        number<Outcome>("loss_before", "Mean loss over the items before the first step.", &Outcome::loss_before),
        number<Outcome>("loss", "Mean loss over the items after the last step.", &Outcome::loss),
        name<Outcome>("weights_sha256", "SHA-256 of the whole model's weights, as bytes.", &Outcome::weights_sha256),
        number<Outcome>("max_weight_difference", "Largest relative difference of a weight from training on one rank.",
                        &Outcome::max_weight_difference)};
}

std::vector<Field<Outcome>> run_fields(std::initializer_list<std::string_view> keys) {
    return fields_of<Outcome>(run_record().fields(keys), &Outcome::result);
}

// A run that an injected fault ended.
struct FaultyRun {
    const std::string& scenario;
    const Options& options;
    const sim::ranks::Result& result;

    const sim::ranks::Fault& fault() const { return *result.fault; }
    // False: nobody died, but messages do not get through.
    bool has_dead() const { return fault().rank >= 0; }
    // The first rank that died. Requires: has_dead().
    RankOfRun dead() const { return {&result, static_cast<std::size_t>(fault().rank)}; }
};

// A fact about the rank that died.
template <class Value>
auto of_the_dead(Value value) {
    using Found = std::optional<std::decay_t<std::invoke_result_t<Value, const RankOfRun&>>>;
    return [value](const FaultyRun& of) { return of.has_dead() ? Found(std::invoke(value, of.dead())) : std::nullopt; };
}

const Record<FaultyRun>& fault_record() {
    using Run = FaultyRun;
    static const Record<Run> record(
        "The injected faults, and the first rank that died of them.",
        {whole_or_null<Run>(
             "rank", "Number of the first rank that died, from 0; null: none did, and messages do not get through.",
             of_the_dead(&RankOfRun::rank)),
         whole_or_null<Run>("pid", "Its process.", of_the_dead(&RankOfRun::pid)),
         whole_or_null<Run>("signal", "Signal that ended its process; with fibers, that would have.",
                            of_the_dead([](const RankOfRun& dead) { return dead.result->fault->signal; })),
         number_or_null<Run>("died_seconds", "Simulated seconds at which it died: the end of its op in progress.",
                             of_the_dead([](const RankOfRun& dead) { return seconds(dead.totals().end); })),
         values_of<Run>("dead", "All ranks that died.", "integer", "Number of a rank, from 0.",
                        [](const Run& of) { return of.fault().dead; }),
         texts<Run>("asked", "The injected faults, as typed.", "A fault, such as: kill rank 1 at 1.5s.",
                    [](const Run& of) {
                        std::vector<std::string> asked;
                        for (const faults::Injection& one : of.options.faults) {
                            asked.push_back(to_text(one));
                        }
                        return asked;
                    }),
         free_text<Run>("message", "The message on standard error, of one or more lines.",
                        [](const Run& of) { return of.fault().message; })});
    return record;
}

// A rank that waits for one that has died. The op and the reason use the words of the text report.
struct WaitingRank {
    RankOfRun of;
    const kernel::WrongOp* op;
};

std::vector<WaitingRank> waiting_ranks(const FaultyRun& run) {
    std::vector<WaitingRank> waiting;
    for (const kernel::WrongOp& one : run.fault().ops) {
        waiting.push_back({{&run.result, static_cast<std::size_t>(one.rank)}, &one});
    }
    return waiting;
}

const Record<WaitingRank>& waiting_record() {
    using Rank = WaitingRank;
    static const Record<Rank> record(
        "A rank that waits.",
        joined<Rank>(
            {fields_of<Rank>(rank_record(), &Rank::of),
             {whole<Rank>("op", "Number of the operation that it waits in, from 0.",
                          [](const Rank& of) { return of.op->op_number; }),
              free_text<Rank>("waits_in", "That operation.", [](const Rank& of) { return of.op->what; }),
              whole<Rank>("waits_for", "A rank that would have to act; -1: any would do.",
                          [](const Rank& of) { return of.op->waits_for; }),
              number<Rank>("since_seconds", "Simulated seconds at which it began to wait.",
                           [](const Rank& of) { return seconds(of.op->since); }),
              free_text<Rank>("why", "Why the operation cannot end.", [](const Rank& of) { return of.op->why; })}}));
    return record;
}

const Record<FaultyRun>& faulty_run_record() {
    using Run = FaultyRun;
    const auto run = [](std::initializer_list<std::string_view> keys) {
        return fields_of<Run>(run_record().fields(keys),
                              [](const Run& of) -> const sim::ranks::Result& { return of.result; });
    };
    static const Record<Run> record(
        "The end of a training without one of its ranks.",
        joined<Run>(
            {{name<Run>("scenario", "Name of the executable.", [](const Run& of) { return of.scenario; })},
             fields_of<Run>(asked_record(), [](const Run& of) -> const Options& { return of.options; }),
             {given<Run>([](const Run& of) { return of.options.given; }),
              part<Run>("fault", fault_record(), std::identity()),
              list_of<Run>(
                  "waiting",
                  "A row for each rank that can never go on without it, because it waits for it or for another that "
                  "does.",
                  waiting_record(), waiting_ranks),
              number<Run>("standstill_seconds", "Simulated seconds that the last rank has reached.",
                          [](const Run& of) { return seconds(of.result.end); })},
             run({"wall_seconds", "timeline_sha256", "processes"})}));
    return record;
}

}  // namespace

const Record<Outcome>& outcome_record() {
    static const Record<Outcome> record(
        "One training on a mesh of ranks.",
        joined<Outcome>({asked_fields(), run_fields({"simulated_seconds", "wall_seconds"}), time_fields(),
                         weight_fields(), run_fields({"timeline_sha256", "messages", "ops", "processes"})}));
    return record;
}

std::string json_report(const Outcome& outcome) {
    return json_line(outcome_record().json(outcome));
}

std::string json_of_fault(const std::string& scenario, const Options& options, const sim::ranks::Result& result) {
    return json_line(faulty_run_record().json({scenario, options, result}));
}

SchemaText scenario_schema() {
    return schema_of_result("scenario", "What the five training scenarios print with --json",
                            outcome_record().schema());
}

SchemaText scenario_fault_schema() {
    return schema_of_result(
        "scenario_fault",
        "What the five training scenarios print with --json where a rank died because --fault asked for it",
        faulty_run_record().schema());
}

}  // namespace sim::scenarios
