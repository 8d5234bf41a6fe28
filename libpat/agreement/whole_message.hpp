#pragma once

#include <cstddef>
#include <cstring>
#include <string>

#include "core/errors.hpp"

namespace pat::detail {

/// The message that bytes off the wire hold. Throws Error(internal), with what it should be, if
/// there are fewer or more.
template <class Message>
Message whole_message(const std::byte* message, std::size_t bytes, const char* what) {
  Message whole;
  if (bytes != sizeof whole)
    throw Error(ErrorKind::internal, std::string(what) + " of " + std::to_string(bytes) +
                                         " bytes came, it has " + std::to_string(sizeof whole) +
                                         ", run the same PAT everywhere");
  std::memcpy(&whole, message, sizeof whole);
  return whole;
}

}  // namespace pat::detail
