#pragma once

#include <cstddef>
#include <cstdint>

#include "collectives/operation.hpp"

namespace pat::detail {

/// How a call is made.
enum class Form : std::uint8_t {
  plain,       ///< ready and finished in one call of the program
  persistent,  ///< open, ready and finished, again and again
  nonblocking  ///< ready in one call, tested or waited for later
};

/// What all ranks know to be equal in a call: what a stream is made of, and what a computing phase
/// is expected to end in. Only what MPI makes equal on all ranks may enter.
struct CallSignature {
  Operation operation = no_operation;
  int root = 0;                 ///< 0 where there is none
  std::size_t block_bytes = 0;  ///< 0 for the v-forms, whose counts not all may know
  std::size_t unit_bytes =
      1;  ///< 1 where data only moves, the datatype's size where it is combined
  bool commutative = true;
  bool own_operator = false;  ///< values are combined by a function of the program's
  bool fixed_order = false;   ///< who comes first must not change the bits of the result
  bool varying = false;       ///< a v-form
  Form form = Form::plain;
  bool operator==(const CallSignature&) const = default;
};

}  // namespace pat::detail
