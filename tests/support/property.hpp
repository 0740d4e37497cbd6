// Tests a property on many random cases, the same in every run; a failing case is shrunk and printed.
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <sstream>

namespace sim::test {

// `property` takes random arguments, or draws them with `*generator`; it fails by RC_ASSERT or by an exception.
template <class Property>
void for_all(int cases, Property property) {
    rc::detail::TestParams params;
    params.seed = 1;
    params.maxSuccess = cases;
    const rc::detail::TestResult result = rc::detail::checkTestable(property, rc::detail::TestMetadata{}, params);
    if (!result.is<rc::detail::SuccessResult>()) {
        std::ostringstream text;
        rc::detail::printResultMessage(result, text);
        FAIL() << text.str();
    }
}

}  // namespace sim::test
