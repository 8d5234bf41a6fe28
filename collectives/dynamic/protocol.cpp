#include "collectives/dynamic/protocol.hpp"

#include <string>

#include "core/errors.hpp"

namespace pat {

void Protocol::refuse_letter(int from, const Note& note) {
  throw Error(ErrorKind::internal, "rank " + std::to_string(from) + " wrote a letter of kind " +
                                       std::to_string(note.kind) + " for piece " +
                                       std::to_string(note.piece) + " with " +
                                       std::to_string(note.value) + ", which fits nothing here");
}

}  // namespace pat
