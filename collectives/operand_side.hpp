#pragma once

namespace pat {

/// On which side of the receiver's own partial result the received operand belongs.
enum class OperandSide {
  either,  ///< the operation commutes: whatever saves a copy
  right,   ///< own (op) received: it comes from higher ranks
  left     ///< received (op) own: it comes from lower ranks
};

}  // namespace pat
