// pat._models: predictors and schedules for Python. No MPI in it.

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "collectives/algorithm.hpp"
#include "collectives/check/verify.hpp"
#include "collectives/cost/simulate.hpp"
#include "collectives/operation_row.hpp"
#include "core/errors.hpp"
#include "languages/python/failure.hpp"
#include "predictors/predictor.hpp"

namespace py = pybind11;
using namespace pybind11::literals;

namespace {

pat::Operation operation_of(const std::string& name) {
  if (const auto operation = pat::find_operation(name)) return *operation;
  throw pat::Error(pat::ErrorKind::argument, "there is no operation named '" + name +
                                                 "', choose one of " + pat::operation_names());
}

/// (mean, lower, upper), or None while nothing is known.
py::object forecast_of(const pat::Forecast& forecast) {
  if (!forecast.known) return py::none();
  return py::make_tuple(forecast.mean_s, forecast.lower_s, forecast.upper_s);
}

void define_predictors(py::module_& m) {
  m.def("models", [] {
    py::list all;
    for (const pat::PredictorInfo& info : pat::predictors())
      all.append(py::make_tuple(info.name, info.usage, info.idea, info.source));
    return all;
  });
  py::class_<pat::Predictor>(m, "Predictor")
      .def(py::init([](const std::string& model) { return pat::make_predictor(model); }))
      .def("observe",
           [](pat::Predictor& self, double computing_s,
              std::vector<std::pair<std::string, double>> hints) {
             self.observe({.computing_s = computing_s, .hints = std::move(hints)});
           })
      .def("observe_edge", &pat::Predictor::observe_edge)
      .def("observe_hint", [](pat::Predictor& self, const std::string& name,
                              double value) { self.observe_hint(name, value); })
      .def("forecast",
           [](const pat::Predictor& self, int steps) {
             if (steps < 1 || steps > pat::Predictor::max_horizon)
               throw pat::Error(pat::ErrorKind::argument,
                                "steps is " + std::to_string(steps) + ", give 1 to " +
                                    std::to_string(pat::Predictor::max_horizon));
             return forecast_of(self.forecast_ahead(steps));
           })
      .def("reset", &pat::Predictor::reset);
}

/// What `count` elements of `type_bytes` are for this operation: bytes where data only moves.
pat::Problem problem_of(const std::string& operation, int ranks, std::size_t count,
                        std::size_t type_bytes, int root, int segments) {
  pat::Problem problem;
  problem.operation = operation_of(operation);
  problem.ranks = ranks;
  problem.root = root;
  const bool combines = pat::row(problem.operation).combines;
  problem.units = combines ? count : count * type_bytes;
  problem.unit_bytes = combines ? type_bytes : 1;
  problem.segments = segments;
  return problem;
}

pat::ArrivalPattern pattern_of(std::vector<double> arrivals_s) {
  return {std::move(arrivals_s), {}, 0};
}

const char* name_of(pat::OpKind kind) {
  switch (kind) {
    case pat::OpKind::join:
      return "join";
    case pat::OpKind::send:
      return "send";
    case pat::OpKind::recv:
      return "recv";
    case pat::OpKind::copy:
      return "copy";
    case pat::OpKind::reduce:
      return "reduce";
  }
  return "";
}

/// (kind, peer, bytes, round, what must have ended before) of each operation of a rank.
py::list program_of(const pat::Schedule& schedule, int rank) {
  if (rank < 0 || rank >= schedule.problem.ranks)
    throw pat::Error(pat::ErrorKind::argument, "there is no rank " + std::to_string(rank) + " of " +
                                                   std::to_string(schedule.problem.ranks) +
                                                   ", give 0 or more and less");
  py::list out;
  for (const pat::Op& op : schedule.programs[static_cast<std::size_t>(rank)].ops) {
    const bool sends = op.kind == pat::OpKind::send;
    const std::size_t units = (sends ? op.source : op.target).length;
    out.append(py::make_tuple(name_of(op.kind), op.peer, units * schedule.problem.unit_bytes,
                              op.round, std::vector<pat::OpId>(op.after.begin(), op.after.end())));
  }
  return out;
}

void define_schedules(py::module_& m) {
  m.def("operations", [] {
    std::vector<std::string> names;
    for (const pat::OperationRow& row : pat::operation_rows()) names.emplace_back(row.name);
    return names;
  });
  m.def("operation", [](const std::string& name) {  // which ranks have buffers, and what is in them
    const pat::OperationRow& row = pat::row(operation_of(name));
    const auto side = [](const pat::Side& one) {
      static const char* const at[] = {"nowhere", "everywhere", "root", "others", "after_first"};
      static const char* const holds[] = {"block", "all_blocks", "neighbours"};
      return py::make_tuple(at[static_cast<int>(one.at)], holds[static_cast<int>(one.holds)]);
    };
    return py::make_tuple(side(row.send), side(row.recv));
  });
  m.def("algorithms", [](const std::string& operation) {
    py::list all;
    for (const pat::Algorithm& one : pat::algorithms())
      if (one.operation == operation_of(operation))
        all.append(py::make_tuple(one.name, one.idea, one.cost, one.source));
    return all;
  });
  py::class_<pat::Schedule>(m, "Schedule")
      .def(py::init([](const std::string& operation, const std::string& algorithm,
                       std::vector<double> arrivals_s, std::size_t count, std::size_t type_bytes,
                       int root, int segments) {
        const auto ranks = static_cast<int>(arrivals_s.size());
        const pat::Problem problem =
            problem_of(operation, ranks, count, type_bytes, root, segments);
        return pat::build_schedule(pat::get_algorithm(problem.operation, algorithm), problem,
                                   pattern_of(std::move(arrivals_s)));
      }))
      .def("message_count", &pat::Schedule::message_count)
      .def("program", &program_of)
      .def("verify",
           [](const pat::Schedule& self) {
             const pat::Verdict verdict = pat::verify(self);
             return verdict ? std::string() : verdict.problem;
           })
      .def("simulate", [](const pat::Schedule& self, std::vector<double> arrivals_s, double alpha_s,
                          double beta_s_per_byte, double gamma_s_per_byte) {
        const pat::Timing timing = pat::simulate(self, pattern_of(std::move(arrivals_s)),
                                                 {.alpha_s = alpha_s,
                                                  .beta_s_per_byte = beta_s_per_byte,
                                                  .gamma_s_per_byte = gamma_s_per_byte});
        return py::make_tuple(timing.exit_s, timing.run_time_s(), timing.mean_elapsed_s());
      });
  m.attr("DEFAULT_LINK") =
      py::make_tuple(pat::link_defaults::alpha_s, pat::link_defaults::beta_s_per_byte,
                     pat::link_defaults::gamma_s_per_byte);
}

}  // namespace

PYBIND11_MODULE(_models, m) {
  m.doc() = "Predictors and schedules; use pat.predict and pat.schedule.";
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const pat::Error& error) {
      pat::python::raise_error(error.what(), py::none());
    }
  });
  define_predictors(m);
  define_schedules(m);
}
