// Translates C++ errors into Python exceptions (ndsim/_errors.py).
#include "libsim/config/errors.hpp"
#include "libsim/error.hpp"
#include "tools/python/bindings.hpp"

namespace sim::python {

namespace py = pybind11;

namespace {

void raise(const char* name, const std::exception& error) {
    PyErr_SetString(py::module_::import("ndsim._errors").attr(name).ptr(), error.what());
}

}  // namespace

void bind_errors() {
    py::register_exception_translator([](std::exception_ptr thrown) {
        try {
            std::rethrow_exception(std::move(thrown));
        } catch (const DeadlockError& error) {
            raise("DeadlockError", error);
        } catch (const MismatchError& error) {
            raise("MismatchError", error);
        } catch (const ProgramError& error) {
            raise("ProgramError", error);
        } catch (const config::UsageError& error) {
            raise("UsageError", error);
        } catch (const config::OutputError& error) {
            raise("OutputError", error);
        } catch (const config::MachineLimit& error) {
            raise("MachineLimit", error);
        } catch (const std::invalid_argument& error) {  // from an option of a run
            raise("UsageError", error);
        } catch (const std::out_of_range& error) {  // from a unit, a rate, a duration
            raise("UsageError", error);
        }
    });
}

}  // namespace sim::python
