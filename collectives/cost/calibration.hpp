#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "collectives/algorithm.hpp"
#include "collectives/cost/simulate.hpp"
#include "collectives/problem.hpp"

namespace pat {

/// What `pat calibrate` measured of a machine. The cost of a message is kept per message size (seed
/// 004, Section 8, concludes that one alpha and beta for all sizes do not do), the run time of
/// whole collectives with equal arrivals per algorithm, number of ranks and size.
struct Calibration {
  /// alpha + n beta is the time of a message of n bytes near `bytes`; combining n bytes takes n
  /// gamma.
  struct Message {
    std::size_t bytes = 0;
    LinkCost cost;
  };
  struct Collective {
    Operation operation = no_operation;
    std::string algorithm;
    int ranks = 0;
    std::size_t block_bytes = 0;  ///< as Problem's block: the whole vector of a reduction
    double flat_s = 0.0;          ///< median run time with equal arrivals, seconds
  };

  /// What a message of that size takes longer when all send to one process at once instead of one
  /// after the other: CostModel::incast_stall_s.
  struct Incast {
    std::size_t bytes = 0;
    double stall_s = 0.0;
  };

  /// What calls of a program have told of one way to do calls of one kind: see learn().
  struct Learnt {
    static constexpr const char* shared = "shared";  ///< no way: see algorithm
    Operation operation = no_operation;
    std::string algorithm;  ///< "mpi": the library; "shared": of what all share, in any way
    int ranks = 0;
    std::size_t block_bytes = 0;
    int window = 0;           ///< Candidate::window
    double correction = 1.0;  ///< Candidate::correction
    double log_sd = 0.0;      ///< standard deviation of its logarithm
    int samples = 0;          ///< calls
    /// Of the library: the algorithm that its price is relative to, MpiPrice::stand_in; empty: not
    /// known.
    std::string stand_in = {};
  };

  std::vector<Message> messages;        ///< by size
  std::size_t eager_bytes = 0;          ///< CostModel::eager_bytes; 0: not measured
  std::vector<Incast> incast;           ///< in any order
  SharedCost shared;                    ///< CostModel::shared; nothing: not measured, or none
  std::vector<RoundLength> rounds;      ///< by size, each once
  std::vector<Collective> collectives;  ///< in any order

  std::vector<Learnt> learnt;  ///< the latest last
  /// Problem::link_slowdown of all processes of the session: of this run alone, no file has it.
  std::vector<double> link_slowdown;
  std::string made_with;  ///< machines and MPI library; empty: not said

  bool empty() const {
    return learnt.empty() && messages.empty() && incast.empty() && rounds.empty() &&
           collectives.empty();
  }

  /// The cost of a message of that size, from the measured size next to it (on a logarithmic
  /// scale); `otherwise` if no message was measured.
  LinkCost link(std::size_t bytes, const LinkCost& otherwise) const;

  /// The stall of messages of that size, from the measured size next to it; 0 if none was.
  double stall_s(std::size_t bytes) const;

  /// What was learnt of calls of just this kind; null: nothing. `algorithm` as Learnt::algorithm.
  const Learnt* learnt_of(const std::string& algorithm, int window, const Problem& problem) const;

  /// Run time with equal arrivals in seconds, interpolated between measured sizes on logarithmic
  /// scales; 0 if nothing was measured with this algorithm on as many ranks within a factor of 2 of
  /// the size.
  double flat_s(const Algorithm& algorithm, const Problem& problem) const;
};

/// The calibration as a JSON document, units in the names.
std::string to_json(const Calibration& calibration);

/// The reverse. Throws Error(config) that says what is wrong and how to make a good file.
Calibration parse_calibration(const std::string& json);

}  // namespace pat
