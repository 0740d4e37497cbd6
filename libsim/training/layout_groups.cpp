#include "libsim/training/layout_groups.hpp"

namespace sim::training::layout_group {

std::vector<LayoutField> rows_of(std::initializer_list<Part> parts) {
    std::vector<LayoutField> fields;
    for (const Part& part : parts) {
        part.add(fields);
        for (LayoutField& field : fields) {
            field.group = *field.group == '\0' ? part.group : field.group;
        }
    }
    return fields;
}

}  // namespace sim::training::layout_group
