#include "libsim/predict/training_options.hpp"

#include "libsim/check.hpp"
#include "libsim/config/errors.hpp"
#include "libsim/config/shell_command.hpp"
#include "libsim/training/layout_fields.hpp"

#include <string_view>

namespace sim::predict {

namespace {

using config::Given;
using training::LayoutField;

config::TomlValue typed_value(const LayoutField& field, const training::Layout& layout) {
    const training::FieldValue value = value_of(field, layout);
    const auto* const number = std::get_if<std::int64_t>(&value);
    return number != nullptr ? config::TomlValue(*number) : config::TomlValue(training::option_text(value));
}

// Removes the GPUs, and switches whose value differs from the layout's: a list of an axis, of which the layout has one
// value.
Given without_others(Given given, const training::Layout& wanted) {
    given.erase("gpus");
    TrainingOptions options;
    const std::vector<config::OptionRow> rows = training_rows(options);
    for (const LayoutField& field : training::layout_fields()) {
        const auto typed = given.find(field.option);
        if (typed == given.end()) {
            continue;
        }
        bool is_the_same = false;
        try {
            const config::OptionRow& row = config::row_named(rows, field.option);
            typed->second = value_of_text(row, config::typed_text(typed->second));  // a list of one: a number
            set_option(row, field.option, typed->second);
            is_the_same = value_of(field, options.layout) == value_of(field, wanted);
        } catch (const config::UsageError&) {
            // The option has a list.
        }
        if (!is_the_same) {
            given.erase(typed);
        }
    }
    return given;
}

// The options so far, and the layout that they lead to.
class Said {
public:
    Said(Given given, const TrainingCase& wanted) : given_(std::move(given)), wanted_(wanted) {
        for (const auto& [name, value] : given_) {
            if (const config::OptionRow* const row = config::find_row(rows_, name); row != nullptr) {
                set_option(*row, name, value);
            }
        }
    }

    void say(const std::string& name, const config::TomlValue& value) {
        set_option(config::row_named(rows_, name), name, value);
        given_.insert_or_assign(name, value);
    }
    void say(const LayoutField& field) { say(field.option, typed_value(field, wanted_.layout)); }

    // The first switch that still differs; null if none does. dp comes last because it follows from the others.
    const LayoutField* first_difference() const {
        std::vector<std::string> notes;
        const training::Layout layout = layout_of(options_, wanted_.model, wanted_.machine, notes);
        const LayoutField* last = nullptr;
        for (const LayoutField& field : training::layout_fields()) {
            if (value_of(field, layout) == value_of(field, wanted_.layout)) {
                continue;
            }
            if (field.option != std::string_view("dp")) {
                return &field;
            }
            last = &field;
        }
        return last;
    }

    const Given& given() const { return given_; }

private:
    Given given_;
    const TrainingCase& wanted_;
    TrainingOptions options_;
    std::vector<config::OptionRow> rows_ = training_rows(options_);
};

}  // namespace

Given given_for(const Given& given, const TrainingCase& wanted) {
    Said said(without_others(given, wanted.layout), wanted);
    said.say("gpus", std::int64_t{wanted.gpus()});
    said.say(training::layout_field("global-batch"));
    said.say(training::layout_field("zero"));
    if (wanted.layout.parallelism.pp > 1) {
        said.say(training::layout_field("schedule"));
    }
    if (wanted.layout.parallelism.interleave > 1) {
        said.say(training::layout_field("interleave"));
    }
    const std::size_t most = training::layout_fields().size();
    for (std::size_t i = 0;; ++i) {
        const LayoutField* const field = said.first_difference();
        if (field == nullptr) {
            return said.given();
        }
        check(i < most, "--{} does not lead to the layout's {}", field->option,
              training::option_text(value_of(*field, wanted.layout)));
        said.say(*field);
    }
}

std::string train_command(const Given& given, const TrainingCase& wanted) {
    TrainingOptions options;
    return config::shell_command("ndsim train", training_rows(options), given_for(given, wanted));
}

}  // namespace sim::predict
