// MPICH reads the control variables of its algorithms in each call. Its rules are whole tables, so
// those that are built in, which the library holds as text, are written with the rules in them.

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <utility>

#include "core/errors.hpp"
#include "core/whole_file.hpp"
#include "tools/tune/constants.hpp"
#include "tools/tune/control_variable.hpp"
#include "tools/tune/library.hpp"
#include "tools/tune/mpich_rules.hpp"

namespace pat::tune {
namespace {

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

/// The variables that decide how an operation is done.
struct MpichSwitch {
  ControlVariable algorithm;  ///< 0: by the table
  ControlVariable device;     ///< whether the device is asked first
  int device_before = 1;

  explicit MpichSwitch(const std::string& operation)
      : algorithm("MPIR_CVAR_" + upper(ruled(operation).mpi_name) + "_INTRA_ALGORITHM"),
        device("MPIR_CVAR_" + upper(ruled(operation).mpi_name) + "_DEVICE_COLLECTIVE") {
    if (device.exists()) device_before = device.read();
  }
};

class Mpich final : public Library {
 public:
  explicit Mpich(MPI_Comm comm) : tables_(mpich_tables(constants_with("{\"collective="))) {
    const ControlVariable fallback("MPIR_CVAR_COLLECTIVE_FALLBACK");
    const int error = fallback.exists() ? mpich_value(fallback.description(), "error") : -1;
    if (tables_.algorithms.empty() || error < 0)
      throw Error(
          ErrorKind::argument,
          "this MPICH does not show by which table it chooses its algorithms, and a file of "
          "rules replaces all of it; MPICH 4.0 does");
    fallback.write(error);  // an algorithm that cannot be used is to fail, not to be another one
    for (const char* beginning : {"algorithm=", "composition="})
      for (std::string& leaf : constants_with(beginning)) leaves_.push_back(std::move(leaf));
    MPI_Comm_size(comm, &scope_.ranks);
    scope_.has_nodes = shares_a_node(comm);
  }

  std::vector<Way> ways(const std::string& operation, std::size_t) const override {
    const MpichSwitch& way_switch = switch_for(operation);
    std::vector<Way> all;
    if (way_switch.algorithm.exists() && way_switch.device.exists())
      all = mpich_ways(operation, {way_switch.algorithm.description(), leaves_});
    if (all.empty())
      throw Error(ErrorKind::argument, "this MPICH has no choice of algorithms for '" + operation +
                                           "', leave it out of --op");
    return all;
  }

  MPI_Comm communicator(const std::string&, const Way&, MPI_Comm like) const override {
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Comm_dup(like, &made);
    MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
    return made;
  }

  void choose(const std::string& operation, const Way& way) const override {
    const MpichSwitch& way_switch = switch_for(operation);
    way_switch.algorithm.write(way.algorithm);
    way_switch.device.write(way.is_default() ? way_switch.device_before : 0);
  }

  bool rules_ask_for_the_operator() const override { return true; }
  const char* usual_file() const override { return "pat-rules.json"; }

  std::string write(const std::string& file, std::span<const OperationRules> rules) const override {
    const MpichTables tables = mpich_rules(tables_, rules, scope_, leaves_);
    const std::string place = std::filesystem::absolute(file).string(), device = ".ch4";
    write_whole_file(file, tables.algorithms);
    std::string settings = "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=" + place;
    if (tables.device.empty()) return settings;
    write_whole_file(file + device, tables.device);
    return settings + " MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE=" + place + device;
  }

 private:
  const MpichSwitch& switch_for(const std::string& operation) const {
    const auto found = switches_.find(operation);
    return found != switches_.end()
               ? found->second
               : switches_.emplace(operation, MpichSwitch(operation)).first->second;
  }

  static bool shares_a_node(MPI_Comm comm) {
    MPI_Comm node = MPI_COMM_NULL;
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    int here = 1, most = 1;
    MPI_Comm_size(node, &here);
    MPI_Comm_free(&node);
    MPI_Allreduce(&here, &most, 1, MPI_INT, MPI_MAX, comm);
    return most > 1;
  }

  MpichTables tables_;
  std::vector<std::string> leaves_;
  MpichScope scope_;
  mutable std::map<std::string, MpichSwitch> switches_;
};

}  // namespace

std::unique_ptr<Library> mpich(MPI_Comm comm) {
  return std::make_unique<Mpich>(comm);
}

}  // namespace pat::tune
