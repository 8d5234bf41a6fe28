// Which collective of OTF2 stands for which operation.

#include <gtest/gtest.h>

#include "analysis/viewers/otf2_archive.hpp"
#include "collectives/operation_row.hpp"

namespace pat::viewers {
namespace {

TEST(Otf2, EachOperationIsACollectiveOfItsOwn) {
  for (const Operation operation : all_operations()) {
    if (row(operation).among_neighbours())  // OTF2 has no such collectives
      EXPECT_EQ(pat_operation(otf2_operation(operation)), std::nullopt) << name(operation);
    else
      EXPECT_EQ(pat_operation(otf2_operation(operation)), operation) << name(operation);
  }
}

TEST(Otf2, AnotherCollectiveIsNoOperation) {
  EXPECT_EQ(pat_operation(OTF2_COLLECTIVE_OP_CREATE_HANDLE), std::nullopt);
}

}  // namespace
}  // namespace pat::viewers
