#include "tools/torch/slot/seam_table.hpp"

namespace sim::slot {

namespace {

const seam::Gpu* table = nullptr;

}  // namespace

const seam::Gpu& gpu() {
    return *table;
}

bool has_gpu() {
    return table != nullptr;
}

}  // namespace sim::slot

extern "C" void ndsim_use_gpu(const sim::seam::Gpu* gpu) {
    sim::slot::table = gpu;
}
