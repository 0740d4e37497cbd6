// A report for people consists of these sections, in display order.
#pragma once

#include "libsim/explain/train/step_report.hpp"

namespace sim::explain {

std::string title_of(const predict::TrainingCase& what);  // model, machine, layout
std::string verdict(const StepReport& report);
std::string time_budget(const predict::Prediction& step);
// "61.3 GB of 80.0 GB on a rank of stage 0 …", or by how much it does not fit, and with which layer.
std::string memory_line(const training::Memory& memory);
std::string memory_table(const training::Memory& memory);
std::string communication_table(const std::vector<predict::CommunicationUse>& communication);
std::string pipeline_section(const predict::TrainingCase& what, const predict::Prediction& step);
// `rank`: the word for a rank of the path; "stage" if one rank stands for its whole stage.
std::string path_section(const std::vector<predict::PathPiece>& path, Duration step, const char* rank);
std::string sensitivity_section(const std::vector<predict::Sensitivity>& found);
std::string advice_section(const predict::AdviceList& list, const training::Memory& memory);
// Printed on standard error if the memory of a step does not fit: by how much, and the fastest neighbour that does.
std::string misfit_line(const training::Memory& memory, const predict::AdviceList& list);
std::string footer(const StepReport& report);
// The layout's experts in the notation of the scenarios, where ep is a separate axis beside dp. Requires: ep > 1.
std::string experts_as_own_axis(const training::Layout& layout);

// The category that takes most of the step, in words.
std::string limiter(const predict::Budget& budget);

}  // namespace sim::explain
