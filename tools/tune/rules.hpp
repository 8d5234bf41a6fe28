#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace pat::tune {

/// How the MPI library may do a call. Algorithm 0 is its own decision.
struct Way {
  int algorithm = 0;
  int segment_bytes = 0;  ///< 0: whole messages
  int fanout = 0;         ///< of chains
  std::string name = {};  ///< the library's word for the algorithm

  bool is_default() const { return algorithm == 0; }
  bool operator==(const Way&) const = default;
};

/// "chain, segments of 8 KiB".
std::string text_of(const Way& way);

/// An operation that the rules of MPI libraries know.
struct Ruled {
  const char* operation;  ///< PAT's name
  const char* mpi_name;   ///< as in MPI_Reduce_scatter_block, small
  /// Whether each process finds the rule by counts that MPI lets it leave out (a root's in place, a
  /// receiver's of what is sent): rules that differ by size could then split the processes.
  bool size_may_differ;
};
/// Throws Error(argument) that lists them for another operation.
const Ruled& ruled(const std::string& operation);

/// What is to be done with calls of one size (of the whole vector).
struct Choice {
  std::size_t bytes;
  Way way;
};
/// From so many bytes on, until the next step.
struct Step {
  std::size_t from_bytes;
  Way way;
  bool operator==(const Step&) const = default;
};

/// The steps that the choices make, the first from 0 on. A choice holds for sizes up to a factor of
/// the square root of 2 away, or to the middle between it and another choice if that is nearer, and
/// between two sizes with the same choice; everywhere else stands the default.
std::vector<Step> steps_of(std::vector<Choice> choices);
/// One step: the choice if all are the same, else the default.
std::vector<Step> one_step_of(std::span<const Choice> choices);

struct OperationRules {
  std::string operation;
  std::vector<Step> steps;
  /// Whether nothing is decided here.
  bool leaves_all() const;
};

}  // namespace pat::tune
