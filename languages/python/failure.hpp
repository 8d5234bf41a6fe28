#pragma once

#include <pybind11/pybind11.h>

namespace pat::python {

/// Raises pat.Error with the sentence; code: that of MPI, or None.
inline void raise_error(const char* sentence, const pybind11::object& code) {
  const pybind11::object type = pybind11::module_::import("pat._error").attr("Error");
  const pybind11::object error = type(sentence, code);
  PyErr_SetObject(type.ptr(), error.ptr());
}

}  // namespace pat::python
