#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "tools/tune/rules.hpp"

namespace pat::tune {

/// A control variable of MPI's tool interface that is an int. It needs a Library.
class ControlVariable {
 public:
  explicit ControlVariable(std::string name);

  bool exists() const { return exists_; }
  int read() const;
  /// Throws Error(argument) if the library does not let it be written.
  void write(int value) const;
  /// Numbers and names of the values that it may have, as far as the library lists them.
  std::vector<Way> values() const;
  /// What the library says about it, without the ends of lines.
  std::string description() const;

 private:
  std::string name_;
  int index_ = 0;
  bool exists_ = false;
};

}  // namespace pat::tune
