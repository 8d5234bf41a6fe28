#pragma once

#include <string>
#include <type_traits>
#include <vector>

namespace helsim {

/// A reduction algorithm that pictures can be composited with, whether or not it reorders its
/// operands.
class AnyReduction {
 public:
  /// Throws pat::Error(argument) that lists the names there are.
  explicit AnyReduction(const std::string& name);
  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

/// A reduction algorithm that combines operands in rank order. There is no way to make one from the
/// name of an algorithm that reorders, so a picture that depends on the order cannot get into one.
class OrderedReduction {
 public:
  /// Throws pat::Error(operation) if the algorithm reorders, naming those that do not, and
  /// pat::Error(argument) if there is none of that name.
  explicit OrderedReduction(const std::string& name);
  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

/// What a picture of such pixels may be composited with.
template <class Pixel>
using ReductionFor = std::conditional_t<Pixel::commutative, AnyReduction, OrderedReduction>;

/// The names that AnyReduction takes, or with `ordered` those that OrderedReduction takes.
std::vector<std::string> reduction_names(bool ordered);

}  // namespace helsim
