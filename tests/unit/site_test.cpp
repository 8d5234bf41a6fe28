// What a place is called: of code that is loaded and unloaded while the program runs.

#include "libpat/report/site.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

namespace pat::detail {
namespace {

#ifdef PAT_HAS_LIBDW
/// The place of the function in the library, which is there only meanwhile.
std::string place_in(const char* library, const char* function) {
  void* const loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (loaded == nullptr) return dlerror();
  const auto* begin = static_cast<const char*>(dlsym(loaded, function));
  const std::string place = begin != nullptr ? place_of_site(begin + 1) : dlerror();
  dlclose(loaded);
  return place;
}

TEST(Site, IsOfTheLibraryThatIsLoadedNow) {
  for (int i = 0; i < 3; ++i) {  // most likely at one address
    EXPECT_EQ(place_in(LIBRARY_OF_F, "f"), "site_places.c:3 (f)");
    EXPECT_EQ(place_in(LIBRARY_OF_L, "l"), "site_places.c:3 (l)");
  }
}
#endif

TEST(Site, IsFileAndOffsetWithoutDebugInformation) {
  const std::string place = place_of_site(dlsym(RTLD_DEFAULT, "labs"));
  EXPECT_EQ(place.find("libc.so.6+0x"), 0u) << place;
}

TEST(Site, IsNoneWhereNoFileIsLoaded) {
  const int on_the_stack = 0;
  EXPECT_EQ(place_of_site(&on_the_stack), "");
}

}  // namespace
}  // namespace pat::detail
