// Whether a program's MPI library fits, where PAT was built with MPI's ABI: same_mpi.cpp is
// compiled as there, and MPI libraries are invented.

#include "libpat/preload/same_mpi.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <string_view>

#include "libpat/preload/behind.hpp"
#include "libpat/preload/say.hpp"

namespace {

struct Library {
  const char* name;
  bool knows_the_abi;
  int major;
} library;
std::string said;

int library_version(char* text, int* length) {
  std::strcpy(text, library.name);
  *length = static_cast<int>(std::strlen(text));
  return 0;
}

int abi_version(int* major, int* minor) {
  *major = library.major;
  *minor = 0;
  return 0;
}

}  // namespace

namespace pat::detail {

void* next_function(const char* name) {
  if (name == std::string_view("PMPI_Get_library_version"))
    return reinterpret_cast<void*>(&library_version);
  const bool is_known = name == std::string_view("PMPI_Abi_get_version") && library.knows_the_abi;
  return is_known ? reinterpret_cast<void*>(&abi_version) : nullptr;
}

void say(const std::string& sentence) {
  said = sentence;
}

namespace {

bool fits(const Library& running) {
  library = running;
  said.clear();
  return !is_other_mpi();
}

TEST(SameMpi, AnyLibraryWithTheAbiFits) {
  EXPECT_TRUE(fits({"Open MPI v6.0.0, package: x", true, 1}));
  EXPECT_TRUE(fits({"MPICH Version: 5.0.0", true, 1}));
  EXPECT_EQ(said, "");
}

TEST(SameMpi, OthersDoNotAndItIsSaid) {
  EXPECT_FALSE(fits({"Open MPI v6.0.0, package: x", true, -1}));  // by its own interface
  EXPECT_EQ(said,
            "PAT is off: its library was built with MPI's ABI and this program runs with Open MPI "
            "v6.0.0, build PAT with that");
  EXPECT_FALSE(fits({"MPICH Version: 4.0.2", false, 1}));
  EXPECT_FALSE(fits({"MPICH Version: 9.0.0", true, 2}));
  EXPECT_NE(said.find("runs with MPICH, build"), std::string::npos) << said;
}

}  // namespace
}  // namespace pat::detail
