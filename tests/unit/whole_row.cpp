// A row with every field: whole_row.sh compiles it as it is, which must succeed, and without each
// of its fields, which must not.

#include "collectives/operation_row.hpp"

namespace pat::operation_whole {

PAT_OPERATION(whole) {
  return {
      .operation = Operation{},
      .name = "whole",
      .rooted = true,
      .combines = false,
      .send = {At::everywhere, Holds::block},
      .recv = {At::root, Holds::all_blocks},
      .promised = nullptr,
      .bound = nullptr,
      .stand_in = nullptr,
      .fixed_order = "",
      .v_plain = "",
      .v_aware = "",
      .lands_early = true,
      .parts_travel = false,
      .study = {"", ""},
  };
}

}  // namespace pat::operation_whole
