// The model's parts exchange data with the parts on other ranks as messages of the simulated GPU.
//
//   tensor parallel     sums of the ranks' results (all-reduce), or with sequence parallelism gathered and
//                       scattered rows (all-gather, reduce-scatter): twice per layer in each direction
//   context parallel    keys and values go around the ring of cp ranks
//   expert parallel     tokens to the ranks of their experts and back (all-to-all)
#pragma once

#include "scenarios/lesson/trainer/costs.hpp"
#include "scenarios/lesson/trainer/meter.hpp"
#include "scenarios/lesson/trainer/plan.hpp"
#include "scenarios/lesson/transformer/surroundings.hpp"

namespace sim::lesson {

// Leaves work, begin_layer and end_layer empty. All arguments must outlive the result.
lesson::Surroundings exchanges_of(GPU& gpu, const RankPlan& plan, const lesson::Shape& shape, const Costs& costs,
                                  Meter& meter);

}  // namespace sim::lesson
