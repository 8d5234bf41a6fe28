// pat._calls: pat.h for Python, with mpi4py's communicators, datatypes and operators. Importing it
// starts MPI as mpi4py does. Buffers and arrays come as addresses; pat._messages keeps them alive.

#include <mpi.h>
#include <mpi4py/mpi4py.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <pat/pat.hpp>

#include "languages/python/failure.hpp"
#include "languages/table/signatures.hpp"

namespace py = pybind11;

namespace pat::python {

// Types of their own: some MPI libraries have integers for all handles.
struct Comm {
  MPI_Comm handle;
  operator MPI_Comm() const { return handle; }
};
struct Datatype {
  MPI_Datatype handle;
  operator MPI_Datatype() const { return handle; }
};
struct Op {
  MPI_Op handle;
  operator MPI_Op() const { return handle; }
};

}  // namespace pat::python

namespace pybind11::detail {

#define PAT_HANDLE(Type, get)                                          \
  template <>                                                          \
  struct type_caster<pat::python::Type> {                              \
    PYBIND11_TYPE_CASTER(pat::python::Type, const_name("MPI." #Type)); \
    bool load(handle source, bool) {                                   \
      const auto* place = get(source.ptr());                           \
      if (place == nullptr) {                                          \
        PyErr_Clear();                                                 \
        return false;                                                  \
      }                                                                \
      value.handle = *place;                                           \
      return true;                                                     \
    }                                                                  \
  };
PAT_HANDLE(Comm, PyMPIComm_Get)
PAT_HANDLE(Datatype, PyMPIDatatype_Get)
PAT_HANDLE(Op, PyMPIOp_Get)
#undef PAT_HANDLE

}  // namespace pybind11::detail

namespace pat::python {
namespace {

using Address = std::uintptr_t;

/// Calls PAT while other threads of Python run, and throws Failure in this thread, which has the
/// sentence.
template <class Call>
void without_gil(const Call& call) {
  const py::gil_scoped_release released;
  require(call());
}

/// How a parameter of C comes from Python.
template <class P>
struct Passed {
  using Type = P;
  static P to(const P& given) { return given; }
};
template <class T>
struct Passed<T*> {
  using Type = Address;
  static T* to(Address given) { return reinterpret_cast<T*>(given); }
};
template <>
struct Passed<const Datatype*> {
  using Type = std::vector<Datatype>;
  static const MPI_Datatype* to(const Type& given) {
    return reinterpret_cast<const MPI_Datatype*>(given.data());
  }
};
static_assert(sizeof(Datatype) == sizeof(MPI_Datatype));

template <class Signature>
struct Callable;
template <class... P>
struct Callable<int(P...)> {
  template <class Function>
  static auto plain(Function function) {
    return [function](typename Passed<P>::Type... given) {
      without_gil([&] { return function(Passed<P>::to(given)...); });
    };
  }
  template <class Function>
  static auto with_request(Function function) {
    return [function](typename Passed<P>::Type... given) {
      PAT_Request request = PAT_REQUEST_NULL;
      without_gil([&] { return function(Passed<P>::to(given)..., &request); });
      return reinterpret_cast<Address>(request);
    };
  }
};

void define_collectives(py::module_& m) {
#define COUNT int
#define DISPLACEMENT int
#define MPI_Comm Comm
#define MPI_Datatype Datatype
#define MPI_Op Op
#define PAT_COLLECTIVE(Name, name, operation, blocks, parameters, to, from) \
  m.def(#Name, Callable<int parameters>::plain(&PAT_##Name));               \
  m.def("I" #name, Callable<int parameters>::with_request(&PAT_I##name));   \
  m.def(#Name "_init", Callable<int parameters>::with_request(&PAT_##Name##_init));
#define PAT_COLLECTIVE_WITHOUT_COUNTS PAT_COLLECTIVE
#include "libpat/execution/calls.def"
#undef COUNT
#undef DISPLACEMENT
#undef MPI_Comm
#undef MPI_Datatype
#undef MPI_Op
#undef PAT_COLLECTIVE
#undef PAT_COLLECTIVE_WITHOUT_COUNTS

  // What the parameters are, for pat._messages: {"Gather": ("gather", [("send_buffer", "sendbuf"),
  // ...])}.
  static const char* const kinds[] = {
      "send_buffer", "recv_buffer", "count", "counts", "displacements", "addresses",
      "datatype",    "datatypes",   "op",    "root",   "comm"};
  py::dict all;
  for (const languages::Signature& signature : languages::signatures()) {
    py::list parameters;
    for (const languages::Parameter& parameter : signature.parameters)
      parameters.append(py::make_tuple(kinds[static_cast<int>(parameter.kind)], parameter.name));
    all[py::str(signature.Name)] = py::make_tuple(signature.operation, parameters);
  }
  m.attr("signatures") = all;
  m.attr("IN_PLACE") = reinterpret_cast<Address>(MPI_IN_PLACE);
}

PAT_Region region_of(Address handle) {
  return reinterpret_cast<PAT_Region>(handle);
}
PAT_Request request_of(Address handle) {
  return reinterpret_cast<PAT_Request>(handle);
}

std::vector<PAT_Request> requests_of(const std::vector<Address>& handles) {
  std::vector<PAT_Request> requests;
  for (const Address handle : handles) requests.push_back(request_of(handle));
  return requests;
}

std::vector<Address> handles_of(const std::vector<PAT_Request>& requests) {
  std::vector<Address> handles;
  for (PAT_Request request : requests) handles.push_back(reinterpret_cast<Address>(request));
  return handles;
}

void define_session(py::module_& m) {
  m.def("init", [](Comm comm, const std::string& config) {
    without_gil([&] { return PAT_Init_comm(comm, config.c_str()); });
  });
  m.def("finalize", [] { without_gil(PAT_Finalize); });
  m.def("initialized", [] {
    int flag = 0;
    require(PAT_Initialized(&flag));
    return flag != 0;
  });
  m.def("use_algorithm", [](const std::string& operation, const std::string& algorithm) {
    require(PAT_UseAlgName(operation.c_str(), algorithm.c_str()));
  });
}

/// What is asked for is not known yet; other failures are thrown.
bool is_pending(int code) {
  int error_class = MPI_SUCCESS;
  if (code != MPI_SUCCESS) MPI_Error_class(code, &error_class);
  if (error_class == MPI_ERR_PENDING) return true;
  require(code);
  return false;
}

void define_regions(py::module_& m) {
  m.def("region_create", [](Comm comm, const std::string& name) {
    PAT_Region region = PAT_REGION_DEFAULT;
    without_gil([&] { return PAT_Region_create(comm, name.c_str(), &region); });
    return reinterpret_cast<Address>(region);
  });
  m.def("region_start", [](Address region) { require(PAT_Region_start(region_of(region))); });
  m.def("region_edge", [](Address region, double fraction) {
    require(PAT_Region_edge(region_of(region), fraction));
  });
  m.def("region_pause", [](Address region) { require(PAT_Region_pause(region_of(region))); });
  m.def("region_resume", [](Address region) { require(PAT_Region_resume(region_of(region))); });
  m.def("region_end", [](Address region) { require(PAT_Region_end(region_of(region))); });
  m.def("region_hint", [](Address region, const std::string& name, double value) {
    require(PAT_Region_hint(region_of(region), name.c_str(), value));
  });
  m.def("region_predictor", [](Address region, const std::string& model) {
    require(PAT_Region_predictor(region_of(region), model.c_str()));
  });
  m.def("region_free", [](Address region) {
    PAT_Region handle = region_of(region);
    require(PAT_Region_free(&handle));
  });
  m.def("region_forecast", [](Address region) -> py::object {
    double mean_s = 0.0, lower_s = 0.0, upper_s = 0.0;
    if (is_pending(PAT_GetForecast(region_of(region), &mean_s, &lower_s, &upper_s)))
      return py::none();
    return py::make_tuple(mean_s, lower_s, upper_s);
  });
  m.def("region_pattern_age", [](Address region) -> py::object {
    std::uint64_t calls = 0;
    if (is_pending(PAT_GetPatternAge(region_of(region), &calls))) return py::none();
    return py::int_(calls);
  });
  m.def("region_pattern", [](Address region, int ranks) {
    std::vector<double> offsets_s(static_cast<std::size_t>(ranks));
    std::uint64_t epoch = 0;
    require(PAT_GetPattern(region_of(region), offsets_s.data(), ranks, &epoch));
    return py::make_tuple(offsets_s, epoch);
  });
}

void define_requests(py::module_& m) {
  m.def("wait",
        [](Address request) { without_gil([&] { return PAT_Wait(request_of(request)); }); });
  m.def("test", [](Address request) {
    int flag = 0;
    without_gil([&] { return PAT_Test(request_of(request), &flag); });
    return flag != 0;
  });
  // Each returns what has become of the handles.
  m.def("waitall", [](const std::vector<Address>& handles) {
    std::vector<PAT_Request> all = requests_of(handles);
    without_gil([&] { return PAT_Waitall(static_cast<int>(all.size()), all.data()); });
    return handles_of(all);
  });
  m.def("testall", [](const std::vector<Address>& handles) {
    std::vector<PAT_Request> all = requests_of(handles);
    int flag = 0;
    without_gil([&] { return PAT_Testall(static_cast<int>(all.size()), all.data(), &flag); });
    return py::make_tuple(flag != 0, handles_of(all));
  });
  m.def("waitany", [](const std::vector<Address>& handles) {
    std::vector<PAT_Request> all = requests_of(handles);
    int index = MPI_UNDEFINED;
    without_gil([&] { return PAT_Waitany(static_cast<int>(all.size()), all.data(), &index); });
    return py::make_tuple(index == MPI_UNDEFINED ? -1 : index, handles_of(all));
  });
  m.def("testany", [](const std::vector<Address>& handles) {
    std::vector<PAT_Request> all = requests_of(handles);
    int index = MPI_UNDEFINED, flag = 0;
    without_gil(
        [&] { return PAT_Testany(static_cast<int>(all.size()), all.data(), &index, &flag); });
    return py::make_tuple(flag != 0, index == MPI_UNDEFINED ? -1 : index, handles_of(all));
  });
  m.def("request_parts",
        [](Address request, int parts) { require(PAT_Request_parts(request_of(request), parts)); });
  m.def("start",
        [](Address request) { without_gil([&] { return PAT_Start(request_of(request)); }); });
  m.def("pready", [](Address request, int part) {
    without_gil([&] { return PAT_Pready(request_of(request), part); });
  });
  m.def("ready",
        [](Address request) { without_gil([&] { return PAT_Ready(request_of(request)); }); });
  m.def("request_free", [](Address request) {
    PAT_Request handle = request_of(request);
    without_gil([&] { return PAT_Request_free(&handle); });
  });
}

/// Where the bytes of an object with a buffer lie. Throws py::error_already_set.
Address address_of(const py::object& object) {
  Py_buffer view;
  if (PyObject_GetBuffer(object.ptr(), &view, PyBUF_ANY_CONTIGUOUS) != 0)
    throw py::error_already_set();
  const auto address = reinterpret_cast<Address>(view.buf);
  PyBuffer_Release(&view);
  return address;
}

}  // namespace
}  // namespace pat::python

PYBIND11_MODULE(_calls, m) {
  if (import_mpi4py() < 0) throw py::error_already_set();
  m.doc() = "pat.h; use the functions and classes of pat.";
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const pat::Failure& failure) {
      pat::python::raise_error(failure.what(), py::int_(failure.code()));
    }
  });
  pat::python::define_collectives(m);
  pat::python::define_session(m);
  pat::python::define_regions(m);
  pat::python::define_requests(m);
  m.def("address", &pat::python::address_of);
}
