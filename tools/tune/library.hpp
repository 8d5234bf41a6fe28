#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tools/tune/rules.hpp"

namespace pat::tune {

/// The MPI library that runs: its own algorithms, chosen through MPI's tool interface, and the
/// rules by which it chooses them in other programs. One at a time, between MPI_Init and
/// MPI_Finalize.
class Library {
 public:
  Library();
  virtual ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  /// Every algorithm of the operation, with all that may be set of it and makes sense for a vector
  /// of `bytes`. Throws Error(argument) if the library lets none be chosen.
  virtual std::vector<Way> ways(const std::string& operation, std::size_t bytes) const = 0;
  /// A communicator like `like` for calls that go this way. Collective.
  virtual MPI_Comm communicator(const std::string& operation, const Way& way,
                                MPI_Comm like) const = 0;
  /// The process's next calls of the operation, on the communicator made for this way, go it.
  virtual void choose(const std::string& operation, const Way& way) const = 0;
  /// Whether a rule asks for the operator of a reduction, and holds for MPI's own alone.
  virtual bool rules_ask_for_the_operator() const = 0;

  /// Where rules go if the user says nothing else.
  virtual const char* usual_file() const = 0;
  /// Writes the rules for communicators like `comm`, and no others, to the file and to what else
  /// the library needs beside it. Returns the settings, NAME=VALUE, by which the library follows
  /// them. Throws Error(io).
  virtual std::string write(const std::string& file,
                            std::span<const OperationRules> rules) const = 0;
};

/// Call before MPI_Init: some libraries look only then whether algorithms may be chosen.
void allow_choice();
/// Throws Error(argument) under an MPI library for which no rules can be written. Collective.
std::unique_ptr<Library> find_library(MPI_Comm comm);

std::unique_ptr<Library> open_mpi(MPI_Comm comm);
std::unique_ptr<Library> mpich(MPI_Comm comm);

}  // namespace pat::tune
