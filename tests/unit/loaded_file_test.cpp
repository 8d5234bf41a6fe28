#include "libpat/report/loaded_file.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace pat::detail {
namespace {

/// Of the program, of the C library and of one that is loaded while the program runs.
std::vector<const void*> places(void* loaded) {
  return {reinterpret_cast<const void*>(&places), dlsym(RTLD_DEFAULT, "qsort"),
          dlsym(loaded, "PAPI_library_init")};
}

TEST(LoadedFile, IsTheOneThatDladdrNames) {
  void* const papi = dlopen("libpapi.so", RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(papi, nullptr) << dlerror();
  for (const void* place : places(papi)) {
    ASSERT_NE(place, nullptr);
    Dl_info expected{};
    ASSERT_NE(dladdr(place, &expected), 0);
    const LoadedFile file = file_loaded_at(place);
    EXPECT_EQ(file.path, expected.dli_fname);
    EXPECT_EQ(file.base, reinterpret_cast<std::uintptr_t>(expected.dli_fbase)) << file.path;
  }
  dlclose(papi);
}

TEST(LoadedFile, IsNamedWithoutItsFolder) {
  EXPECT_EQ(file_loaded_at(reinterpret_cast<const void*>(&places)).name(), "loaded_file_test");
}

TEST(LoadedFile, IsNoneWhereNothingIsLoaded) {
  const auto on_the_heap = std::make_unique<int>(0);
  const int on_the_stack = 0;
  EXPECT_EQ(file_loaded_at(on_the_heap.get()).path, "");
  EXPECT_EQ(file_loaded_at(&on_the_stack).path, "");
  EXPECT_EQ(file_loaded_at(nullptr).name(), "");
}

}  // namespace
}  // namespace pat::detail
