// Command lines whose output is validated against the schemas: together they print every documented key and column.
#pragma once

#include "tests/chakra/text_traces.hpp"
#include "tests/cli/command.hpp"

#include <fmt/format.h>

#include <fstream>
#include <string>
#include <vector>

struct PrintedJson {
    const char* schema;
    std::string line;
    int exit_code = 0;
};

// The files that the command lines read: a GOAL schedule, Chakra traces, results to compare, and published runs, one of
// them invalid.
class SchemaInputs {
public:
    std::string goal() const {
        return folder_.with("ping.goal", "num_ranks 2\nrank 0 {\nsend 64b to 1\n}\nrank 1 {\nrecv 64b from 0\n}\n");
    }
    std::string chakra() const {
        using namespace sim::test;
        traces_.with(0, compute(1, 10) + send(2, 1, 5'000, after(1)));
        traces_.with(1, receive(1, 0, 5'000) + compute(2, 3));
        return traces_.prefix();
    }
    std::string result(const std::string& name, const std::string& line) const {
        return folder_.with(name, run_command(line + " --json").out);
    }
    std::string runs() const {
        nlohmann::json file = nlohmann::json::parse(content_of(published()));
        auto& records = file["records"];
        records.erase(records.begin() + 3, records.end());
        records[0]["model"]["layers"] = 0;
        return folder_.with("runs.json", file.dump());
    }
    // A trace, in the format of its name's ending.
    std::string trace(const std::string& name, const std::string& line) const {
        const std::string file = folder_.with(name, "");
        run_command(line + " --trace '" + file + "'");
        return file;
    }
    // A desk of lab 2 with a Python program in it, checked once.
    std::string desk(const std::string& name, const std::string& program) const {
        const std::string folder = folder_.file(name);
        run_command("ndsim lab start 2 '" + folder + "' --python");
        std::ofstream(folder + "/lab.py") << program;
        run_command("ndsim lab check 2 '" + folder + "' --predict 16us");
        return folder;
    }
    // A desk of lab 14, whose solution is on a leader board.
    std::string board_desk() const {
        const std::string folder = folder_.file("plan");
        run_command("ndsim lab start 14 '" + folder + "' --python");
        std::ofstream(folder + "/lab.py") << content_of(NDSIM_SOURCE_DIR "/docs/labs/14-plan-a-70b/solution.py");
        run_command("ndsim lab check 14 '" + folder + "'");
        return folder;
    }
    // The folder of all these files.
    std::string here() const { return folder_.file(""); }
    static std::string published() { return NDSIM_SOURCE_DIR "/docs/data/published_runs.json"; }

private:
    TemporaryFolder folder_;
    sim::test::TextTraces traces_;
};

inline std::vector<PrintedJson> results_of_scenarios() {
    const std::string fast = " --quiet --host fiber --json";
    return {
        {"scenario", "0d_sequential --quiet --json"},
        {"scenario", "0d_sequential --steps 2 --optimizer adam --loss cross-entropy" + fast},
        {"scenario", "1d_data_parallel --clock wall --time-scale 0 --quiet --json"},
        {"scenario", "1d_data_parallel --ranks 8 --overlap --buckets 4 --compress 16-bit" + fast},
        {"scenario", "1d_data_parallel --zero 3 --optimizer adam" + fast},
        {"scenario", "2d_tensor_parallel --sequence-parallel" + fast},
        {"scenario", "3d_pipeline_parallel --schedule interleaved" + fast},
        {"scenario", "4d_hybrid" + fast},
        {"scenario", "4d_hybrid --cp 2" + fast},
        {"scaling", "1d_data_parallel --scaling 1,2 --quiet --json"},
        {"scaling", "1d_data_parallel --scaling 1,2" + fast},
        {"scaling", "4d_hybrid --scaling 1,2,3" + fast},
        {"explain", "ndsim explain 1d_data_parallel --json"},
        {"explain", "ndsim explain 4d_hybrid --host fiber --json"},
        {"scenario_fault", "1d_data_parallel --fault 'kill rank 1 at 5s' --quiet --json", 4},
        {"scenario",
         "1d_data_parallel --steps 2 --checkpoint-every 1 --mtbf 1h --on-fault restart "
         "--fault 'kill rank 1 at 20s' --quiet --json"},
        {"distributed_hello", "distributed_hello --quiet --json"},
        {"distributed_hello", "distributed_hello --ranks 3 --elements 9" + fast},
        {"communication_profile", "communication_profile --sizes 1000,5000 --json"},
        {"communication_profile", "communication_profile --sizes 1000 --collective all-gather --check --json"},
        {"trace", "0d_sequential --quiet --trace -"},
        {"trace", "1d_data_parallel --overlap --buckets 2 --quiet --trace -"},
        {"trace", "3d_pipeline_parallel --schedule zb_h1 --quiet --host fiber --trace -"},
        {"trace", "4d_hybrid --quiet --host fiber --trace -"},
        {"trace", "distributed_hello --quiet --trace -"},
        {"trace", "distributed_hello --mismatch --quiet --trace -", 3},
        {"trace", "ndsim collective all_reduce --ranks 4 --algorithm ring --sizes 1M --trace -"},
        {"trace", "ndsim train --model gpt3-6.7b --gpus 16 --pp 4 --zero 3 --global-batch 16 --trace -"},
        {"trace", "ndsim train --model llama3-8b --gpus 16 --tp 2 --global-batch 16 --unfold --trace -"},
    };
}

inline std::vector<PrintedJson> results_of_labs(const SchemaInputs& inputs) {
    const std::string begin = "from ndsim import lab\ndef program(gpu, given):\n";
    const std::string end = "\nlab.run(program)\n";
    const std::string waits = inputs.desk("waits", begin + "    gpu.receive(1 - gpu.rank % 2, units=1)" + end);
    const std::string broken = inputs.desk("broken", begin + "    this is no Python" + end);
    const std::string short_of_data = inputs.desk("short", begin + "    gpu.barrier()" + end);
    const std::string unwritten = inputs.desk("unwritten", begin + "    lab.gap(gpu, 'write it here')" + end);
    return {
        {"lab_list", "ndsim lab list --json"},
        {"lab_check", fmt::format("ndsim lab check 2 '{}' --json", waits), 1},
        {"lab_check", fmt::format("ndsim lab check 2 '{}' --json", broken), 1},
        {"lab_check", fmt::format("ndsim lab check 2 '{}' --json", short_of_data), 1},
        {"lab_check", fmt::format("ndsim lab grade 2 '{}' --points 5 --json", unwritten), 1},
        {"lab_check", fmt::format("ndsim lab grade 14 '{}' --json", inputs.board_desk())},
        {"lab_report", fmt::format("ndsim lab report '{}' --json", inputs.here())},
    };
}

inline std::vector<PrintedJson> results_of_planning(const SchemaInputs& inputs) {
    const std::string plan = "ndsim plan --machine dgx-h100 --global-batch 32 --cp 1 ";
    // Every key of a layout that is printed only if it is set; 8 GPUs are too few for these.
    const std::string rare =
        " --model mixtral-8x7b --cp 4 --zero 3 --recompute full --global-batch 32 --cp-comm-type a2a+p2p --ulysses 2 "
        "--outer-every 100 --document-lengths 800 --balanced-documents on --expert-imbalance 2 --capacity-factor 1.5 "
        "--lora-rank 16 --lora-targets attention --base-precision nf4 ";
    const std::string fits = rare + "--gpus 64 --ep 8 --shard 32 ";
    const std::string planned = "ndsim plan --pp 1 --micro-batch 1" + rare;
    return {
        {"train", "ndsim train" + fits + "--json"},
        {"memory", "ndsim memory" + fits + "--json"},
        {"plan", planned + "--tp 1 --gpus 64 --ep 8 --shard 32 --json"},
        {"plan", planned + "--tp 1 --gpus 64 --ep 8 --shard 32 --list best --json"},
        {"plan", planned + "--gpus 8 --ep 4 --shard 4 --sequence 1M --json", 1},
        {"train", "ndsim train --model llama3-8b --gpus 64 --tp 2 --json"},
        {"train",
         "ndsim train --model gpt3-175b --machine dgx-a100 --gpus 64 --tp 8 --pp 8 --schedule interleaved "
         "--global-batch 64 --steps 10 --json"},
        {"train",
         "ndsim train --model gpt3-6.7b --machine h800-8 --gpus 8 --pp 4 --schedule zb_h1 --global-batch 16 "
         "--tokens 1e12 --unfold --json"},
        {"train", "ndsim train --model llama3-8b --gpus 8 --tp 8 --fault 'slow rank 3 x1.3' --json"},
        {"train", "ndsim train --model llama3-70b --gpus 8 --json", 1},
        {"train", "ndsim train --model mixtral-8x7b --gpus 16 --ep 8 --zero 3 --global-batch 32 --json", 1},
        {"explain", "ndsim explain --json"},
        {"explain", "ndsim explain --model gpt3-6.7b --gpus 16 --pp 4 --global-batch 64 --level beginner --json"},
        {"explain", "ndsim explain --model llama3-70b --gpus 8 --tp 8 --json", 1},
        {"explain", "ndsim explain --which --model llama3-8b --gpus 16 --json"},
        {"memory", "ndsim memory --model gpt3-175b --machine dgx-a100 --gpus 64 --tp 8 --pp 8 --json"},
        {"memory", "ndsim memory --model llama3-70b --gpus 8 --json", 1},
        {"plan", plan + "--model llama3-8b --gpus 8 --pp 1 --tp 1,2,3 --micro-batch 1,2 --json"},
        {"plan",
         "ndsim plan --model llama3-8b --machine mi350x-8 --global-batch 32 --gpus 8 --pp 1 --cp 1 --tp 2 --list best "
         "--json"},
        {"plan", plan + "--model llama3-8b --gpus 8 --pp 1 --tp 2 --zero 1 --list best --json"},
        {"plan", plan + "--model llama3-70b --gpus 2 --json", 1},
        {"plan", plan + "--model llama3-8b --gpus 8 --tp 3 --json", 1},
        {"sweep",
         "ndsim sweep --model gpt3-6.7b,llama3-70b --gpus 8 --tp 1,3 --usd-per-hour 2 --global-batch 64 --json"},
        {"goodput", "ndsim goodput --study llama3-405b --runs 10 --json"},
        {"goodput",
         "ndsim goodput --model llama3-8b --gpus 64 --tp 2 --tokens 1e11 --repair-hours 5 --policy elastic "
         "--checkpoint-write-seconds 60 --runs 10 --json"},
        {"validate", fmt::format("ndsim validate '{}' --json", SchemaInputs::published())},
        {"validate", fmt::format("ndsim validate '{}' --json --strict", inputs.runs()), 1},
    };
}

inline std::vector<PrintedJson> results_of_networks(const SchemaInputs& inputs) {
    const std::string traced = "3d_pipeline_parallel --quiet --host fiber";
    const std::string predicted = "ndsim train --model gpt3-6.7b --gpus 8 --global-batch 8";
    return {
        {"collective", "ndsim collective all_reduce --ranks 64 --sizes 1K:64M:1024 --json"},
        {"collective", "ndsim collective all_reduce --ranks 16 --sizes 1K --algorithm all --json"},
        {"collective", "ndsim collective broadcast --profile lab-pcie --ranks 4 --sizes 1K --root 1 --check --json"},
        {"collective", "ndsim collective broadcast --ranks 8 --sizes 64M --algorithm ring --pieces 8 --json"},
        {"collective", "ndsim collective all-gather --ranks 16 --sizes 64M --algorithm hierarchical --inner 4 --json"},
        {"collective", "ndsim collective send-receive --ranks 2 --sizes 1K --json"},
        {"collective", "ndsim collective all-reduce --machine dgx-h100 --ranks 16 --sizes 1M --timing both --json"},
        {"collective", "ndsim collective all-reduce --ranks 4 --sizes 1M --algorithm '" NDSIM_SOURCE_DIR
                       "/docs/examples/two_nodes.schedule' --json"},
        {"options", "ndsim --help options"},
        {"options", "ndsim trace --help options"},
        {"options", "1d_data_parallel --help options"},
        {"doctor", "ndsim doctor --json"},
        {"models", "ndsim models --json"},
        {"topology", "ndsim topology --list --json"},
        {"topology", "ndsim topology dgx-h100 --ranks 64 --route 0,9 --json"},
        {"topology", "ndsim topology fat-tree --ranks 1 --json"},
        {"topology", "ndsim topology dragonfly --ranks 72 --json"},
        {"flows", "ndsim flows '" NDSIM_SOURCE_DIR "/tests/oracle/data/maxmin.json' --json"},
        {"hardware", "ndsim hardware --json"},
        {"hardware", "ndsim hardware dgx-h100 --json"},
        {"hardware", "ndsim hardware H100-SXM-80GB --json"},
        {"hardware", "ndsim hardware import '" NDSIM_SOURCE_DIR "/docs/examples/calibrate/topology.xml' --json"},
        {"calibrate", fmt::format("ndsim calibrate --machine dgx-h100 --nccl-tests '{0}/all_gather_1.txt' "
                                  "--benchmark '{0}/kernels.csv' --runs '{1}' --json",
                                  NDSIM_SOURCE_DIR "/docs/examples/calibrate", inputs.runs())},
        {"goal", fmt::format("ndsim goal '{}' --json", inputs.goal())},
        {"trace", fmt::format("ndsim goal '{}' --trace -", inputs.goal())},
        {"chakra", fmt::format("ndsim chakra '{}' --profile lab-nvlink --json", inputs.chakra())},
        {"trace", fmt::format("ndsim chakra '{}' --trace -", inputs.chakra())},
        {"compare",
         fmt::format("ndsim compare '{}' '{}' --json", inputs.result("a.json", "1d_data_parallel --quiet --host fiber"),
                     inputs.result("b.json", "3d_pipeline_parallel --quiet --host fiber"))},
        {"compare", fmt::format("ndsim compare '{}' '{}' --json",
                                inputs.result("c.json", "ndsim train --model llama3-8b --gpus 8 --global-batch 16"),
                                inputs.result("d.json", "ndsim train --model llama3-8b --gpus 16 --tp 2"))},
        {"compare", fmt::format("ndsim compare '{0}' '{0}' '{0}' --json",
                                inputs.result("e.json", "4d_hybrid --quiet --host fiber"))},
        {"compare", fmt::format("ndsim compare '{0}' '{0}' '{0}' --json",
                                inputs.result("f.json", "ndsim train --model llama3-8b --gpus 8 --global-batch 16"))},
        {"trace_summary", fmt::format("ndsim trace summary '{}' --json", inputs.trace("a.trace.json", traced))},
        {"trace_summary",
         fmt::format("ndsim trace summary '{}' --json",
                     inputs.trace("e.ndjson",
                                  "1d_data_parallel --quiet --host fiber --fault 'slow rank 2 x2; slow link "
                                  "0-1 x4; stop rank 1 at 3s for 2s; stop rank 3 at 19s for 5s'"))},
        {"trace_summary",
         fmt::format("ndsim trace summary '{}' --json", inputs.trace("step.json", predicted + " --tp 2 --pp 2"))},
        {"trace_diff", fmt::format("ndsim trace diff '{}' '{}' --json", inputs.trace("one.json", predicted + " --tp 2"),
                                   inputs.trace("two.json", predicted + " --pp 2"))},
        {"trace_diff",
         fmt::format("ndsim trace diff '{}' '{}' --json", inputs.trace("b.trace.json", traced),
                     inputs.trace("c.csv", "1d_data_parallel --quiet --host fiber --overlap --buckets 2"))},
    };
}

inline std::vector<PrintedJson> printed_json(const SchemaInputs& inputs) {
    std::vector<PrintedJson> all = results_of_scenarios();
    for (const auto& more : {results_of_labs(inputs), results_of_planning(inputs), results_of_networks(inputs)}) {
        all.insert(all.end(), more.begin(), more.end());
    }
    return all;
}
