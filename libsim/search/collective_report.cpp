#include "libsim/search/collective_sweep.hpp"

#include "libsim/collectives/schedules/algorithms.hpp"
#include "libsim/report/record.hpp"
#include "libsim/training/machine.hpp"

#include <fmt/format.h>

namespace sim::search {

using namespace report;
using namespace report::keys;

namespace {

// A method timed at one size.
struct ShownMethod {
    const SweepRow* row;
    const TimedMethod* timed;
    bool is_custom;  // the user's own schedule

    const CollectiveCase& what() const { return timed->what; }
    const AlgorithmConfig& config() const { return timed->what.config; }
    bool is_on_wires() const { return timed->on_wires() != nullptr; }
    bool is_by_nccl() const { return !is_on_wires(); }
    const char* timing() const {
        return is_on_wires() ? "wire" : timed->by_nccl()->library == training::nccl_library ? "nccl" : "model";
    }
    bool has_config() const { return is_on_wires() && !is_custom && !what().send_receive; }
    bool is_fastest() const { return is_by_nccl() || timed == &row->best(); }
};

std::string algorithm_of(const ShownMethod& method) {
    return method.is_by_nccl()   ? method.timed->by_nccl()->algorithm
           : method.has_config() ? name_of(method.config().algorithm)
                                 : method.timed->name;
}

template <class T>
Field<T> algorithm_field(std::string (*value)(const T&)) {
    return name<T>("algorithm", "The algorithm that was timed.", value);
}

// A number of the configuration; left out if it is 0, for algorithms without it.
template <class T, class Config>
Field<T> config_number(const char* key, const char* description, Config config, int AlgorithmConfig::*member) {
    return only_if(whole<T>(key, description, [=](const T& of) { return std::invoke(config, of).*member; }),
                   [=](const T& of) { return std::invoke(config, of).*member != 0; });
}

template <class T, class Config>
std::vector<Field<T>> config_fields(Config config) {
    return {whole<T>("channels", "Channels: parallel sequences of messages, each with its part of the data.",
                     [=](const T& of) { return std::invoke(config, of).channels; }),
            config_number<T>("pieces", "Chunks into which a pipeline divides a channel's part; only if it does.",
                             config, &AlgorithmConfig::pieces),
            config_number<T>("inner", "Ranks of a node, or of the lowest level; only if the algorithm has them.",
                             config, &AlgorithmConfig::inner)};
}

const Record<CandidateTime>& candidate_record() {
    using Candidate = CandidateTime;
    static const Record<Candidate> record(
        "A candidate.",
        joined<Candidate>(
            {{algorithm_field<Candidate>(
                 [](const Candidate& of) { return std::string(name_of(of.config.algorithm)); })},
             config_fields<Candidate>(&Candidate::config),
             {only_if(number<Candidate>("seconds", "Simulated seconds; only if the candidate was timed.",
                                        [](const Candidate& of) { return seconds(of.time->end()); }),
                      [](const Candidate& of) { return of.time.has_value(); }),
              only_if(number<Candidate>("seconds_at_least",
                                        "A lower bound on its seconds, which ruled it out without timing it.",
                                        [](const Candidate& of) { return seconds(of.at_least); }),
                      [](const Candidate& of) { return !of.time.has_value(); })}}));
    return record;
}

std::vector<Field<ShownMethod>> size_fields() {
    using Method = ShownMethod;
    return {whole<Method>("bytes", "Bytes of the whole array on a rank, as nccl-tests counts them.",
                          [](const Method& of) { return of.what().bytes(); }),
            whole<Method>("count", "Elements that nccl-tests would show: of the array, or of one rank's part.",
                          [](const Method& of) { return of.what().count(); }),
            name<Method>("type", "Type of the elements.", [](const Method& of) { return of.what().type.name; }),
            one_of<Method>("redop", {"sum", "none"}, "Reduction operation.",
                           [](const Method& of) { return of.what().reduces() ? "sum" : "none"; }),
            whole<Method>("root", "The root; -1: the collective has none.",
                          [](const Method& of) { return of.what().has_root() ? of.what().root : -1; })};
}

std::vector<Field<ShownMethod>> method_fields() {
    using Method = ShownMethod;
    std::vector<Field<Method>> config = config_fields<Method>(&Method::config);
    for (Field<Method>& field : config) {
        field = only_if(field, [is_there = field.is_there](const Method& of) {
            return of.has_config() && (!is_there || is_there(of));
        });
    }
    return joined<Method>(
        {{one_of<Method>("timing", {"nccl", "model", "wire"},
                         "nccl: what NCCL's model expects, as ndsim train prices it; model: the same for a machine "
                         "whose library is another; wire: messages at the links' own rates, without overheads.",
                         [](const Method& of) { return of.timing(); }),
          algorithm_field<Method>(algorithm_of),
          only_if(name<Method>("protocol",
                               "NCCL's protocol: LL, LL128 or Simple; none with one GPU, or if the library has only "
                               "one. Not of wire time.",
                               [](const Method& of) { return of.timed->by_nccl()->protocol; }),
                  &Method::is_by_nccl)},
         config});
}

std::vector<Field<ShownMethod>> time_fields() {
    using Method = ShownMethod;
    const auto timed = [](auto value) { return [value](const Method& of) { return std::invoke(value, *of.timed); }; };
    return {
        number<Method>("seconds", "Simulated seconds until the last rank has finished.", timed(&TimedMethod::seconds)),
        number<Method>("algbw", "Algorithm bandwidth: bytes / seconds, in bytes per second.",
                       timed(&TimedMethod::algorithm_bandwidth)),
        number<Method>("busbw", "Bus bandwidth as nccl-tests defines it, in bytes per second.",
                       timed(&TimedMethod::bus_bandwidth)),
        only_if(whole<Method>("messages", "Messages that were sent; NCCL's model has none.",
                              [](const Method& of) { return of.timed->on_wires()->messages; }),
                &Method::is_on_wires),
        whole<Method>(
            "bytes_sent", "Bytes that were sent, over all links of the ranks.",
            [](const Method& of) { return of.is_by_nccl() ? of.timed->by_nccl()->sent : of.timed->on_wires()->sent; }),
        free_text<Method>(
            "found_by",
            "How the time was found: closed form, recurrence, synchronous steps or flows, or a library's model.",
            [](const Method& of) {
                return of.is_by_nccl() ? fmt::format("{}'s model", of.timed->by_nccl()->library)
                                       : std::string(name_of(of.timed->on_wires()->way));
            }),
        truth<Method>("fastest", "Whether no other algorithm timed in this way is faster at this size.",
                      &Method::is_fastest),
        only_if(whole<Method>("wrong", "Numbers that were wrong on any rank; only with --check.",
                              [](const Method& of) { return *of.timed->wrong; }),
                [](const Method& of) { return of.timed->wrong.has_value(); }),
        only_if(list_of<Method>("considered", "The candidates from which --algorithm auto took the fastest.",
                                candidate_record(), [](const Method& of) { return of.row->considered; }),
                [](const Method& of) { return of.is_on_wires() && !of.row->considered.empty(); })};
}

const Record<ShownMethod>& method_record() {
    static const Record<ShownMethod> record("One size and algorithm.",
                                            joined<ShownMethod>({size_fields(), method_fields(), time_fields()}));
    return record;
}

// A table has a cell for each number of a configuration: 0 for algorithms without it.
std::vector<Field<ShownMethod>> config_columns() {
    using Method = ShownMethod;
    const auto column = [](const char* key, const char* description, int AlgorithmConfig::*member) {
        return only_if(whole<Method>(key, description, [=](const Method& of) { return of.config().*member; }),
                       &Method::is_on_wires);
    };
    return {
        algorithm_field<Method>(algorithm_of),
        column("channels", "Channels: parallel sequences of messages; empty for NCCL's model, which has none of ours.",
               &AlgorithmConfig::channels),
        column("pieces", "Chunks into which a pipeline divides a channel's part; 0: it does not.",
               &AlgorithmConfig::pieces),
        column("inner", "Ranks of a node, or of the lowest level; 0: the algorithm has none.", &AlgorithmConfig::inner),
        column("middle", "Ranks of the level above; 0: the algorithm has none.", &AlgorithmConfig::middle)};
}

const Record<ShownMethod>& column_record() {
    using Method = ShownMethod;
    static const Record<Method> record(
        "One size and algorithm.",
        joined<Method>({size_fields(),
                        config_columns(),
                        method_record().fields({"seconds", "algbw", "busbw", "messages"}),
                        {whole<Method>("fastest", "1: no other algorithm of this size is faster; 0: one is.",
                                       [](const Method& of) { return of.is_fastest() ? 1 : 0; })},
                        method_record().fields({"timing", "protocol"})}));
    return record;
}

std::vector<ShownMethod> shown_methods(const std::vector<SweepRow>& rows, bool is_custom) {
    std::vector<ShownMethod> methods;
    for (const SweepRow& row : rows) {
        for (const TimedMethod& timed : row.timed) {
            methods.push_back({&row, &timed, is_custom});
        }
    }
    return methods;
}

struct TimedSweep {
    const Sweep* sweep;
    std::vector<ShownMethod> methods;

    bool has_machine() const { return sweep->machine.has_value(); }
};

const Record<TimedSweep>& sweep_record() {
    using Timed = TimedSweep;
    static const Record<Timed> record(
        "Time of a collective on a network, by size.",
        {command<Timed>("collective"),
         name<Timed>("collective", "The collective that was timed.",
                     [](const Timed& of) { return of.sweep->what.name(); }),
         whole<Timed>("ranks", "GPUs that take part.", [](const Timed& of) { return of.sweep->what.ranks; }),
         name<Timed>("network", "The topology, profile or machine.",
                     [](const Timed& of) { return of.sweep->cluster.name; }),
         only_if(whole<Timed>("nodes", "Nodes of the machine that the GPUs are on; only of a machine.",
                              [](const Timed& of) { return of.sweep->machine->nodes; }),
                 &Timed::has_machine),
         only_if(whole<Timed>("ranks_per_node",
                              "GPUs that take part on each of these nodes, fewer on the last; only of a machine.",
                              [](const Timed& of) { return of.sweep->machine->on_node; }),
                 &Timed::has_machine),
         list_of<Timed>("rows", "A row for each size and algorithm.", method_record(), &Timed::methods)});
    return record;
}

}  // namespace

std::string sweep_json(const Sweep& sweep, const std::vector<SweepRow>& rows) {
    return json_line(sweep_record().json({&sweep, shown_methods(rows, sweep.custom.has_value())}));
}

Table sweep_rows(const Sweep& sweep, const std::vector<SweepRow>& rows) {
    return column_record().table(shown_methods(rows, sweep.custom.has_value()));
}

SchemaText collective_schema() {
    return schema_of_command("collective", sweep_record().schema());
}

SchemaText collective_columns() {
    return columns_of_command("collective", column_record().columns());
}

}  // namespace sim::search
