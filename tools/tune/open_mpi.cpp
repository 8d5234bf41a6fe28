// Open MPI's component `tuned` has a control variable for each operation, whose value holds for
// communicators that are made afterwards.

#include <filesystem>

#include "core/errors.hpp"
#include "core/whole_file.hpp"
#include "tools/tune/control_variable.hpp"
#include "tools/tune/library.hpp"
#include "tools/tune/open_mpi_rules.hpp"

namespace pat::tune {
namespace {

constexpr int segments[] = {0, 8 << 10, 64 << 10};

ControlVariable tuned(const std::string& operation, const std::string& ending) {
  return ControlVariable("coll_tuned_" + std::string(ruled(operation).mpi_name) + "_algorithm" +
                         ending);
}

class OpenMpi final : public Library {
 public:
  explicit OpenMpi(MPI_Comm comm) { MPI_Comm_size(comm, &ranks_); }

  std::vector<Way> ways(const std::string& operation, std::size_t bytes) const override {
    const ControlVariable algorithm = tuned(operation, "");
    if (!algorithm.exists())
      throw Error(ErrorKind::argument, "this Open MPI has no choice of algorithms for '" +
                                           operation +
                                           "' (its component tuned is missing), leave it out of "
                                           "--op");
    const ControlVariable segment = tuned(operation, "_segmentsize"),
                          fanout = tuned(operation, "_chain_fanout");
    std::vector<Way> all;
    for (Way way : algorithm.values()) {
      if (way.is_default()) continue;
      if (fanout.exists()) way.fanout = fanout.read();
      for (const int segment_bytes : segments) {
        if (segment_bytes > 0 &&
            (!segment.exists() || bytes < 2 * static_cast<std::size_t>(segment_bytes)))
          continue;
        way.segment_bytes = segment_bytes;
        all.push_back(way);
      }
    }
    return all;
  }

  MPI_Comm communicator(const std::string& operation, const Way& way,
                        MPI_Comm like) const override {
    const ControlVariable algorithm = tuned(operation, ""),
                          segment = tuned(operation, "_segmentsize");
    const int segment_before = segment.exists() ? segment.read() : 0;
    algorithm.write(way.algorithm);
    if (segment.exists()) segment.write(way.segment_bytes);
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Comm_dup(like, &made);
    MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
    algorithm.write(0);
    if (segment.exists()) segment.write(segment_before);
    return made;
  }

  void choose(const std::string&, const Way&) const override {}  // the communicator decides
  bool rules_ask_for_the_operator() const override { return false; }
  const char* usual_file() const override { return "pat-rules.conf"; }

  std::string write(const std::string& file, std::span<const OperationRules> rules) const override {
    const std::string remark = "Made by pat tune for communicators of " + std::to_string(ranks_) +
                               " processes; others and all other calls are the library's.";
    write_whole_file(file, open_mpi_rules(rules, ranks_, remark));
    return "OMPI_MCA_coll_tuned_use_dynamic_rules=1 OMPI_MCA_coll_tuned_dynamic_rules_filename=" +
           std::filesystem::absolute(file).string();
  }

 private:
  int ranks_ = 1;
};

}  // namespace

std::unique_ptr<Library> open_mpi(MPI_Comm comm) {
  return std::make_unique<OpenMpi>(comm);
}

}  // namespace pat::tune
