// What stands for OTF2 where its library was not found.

#include "analysis/viewers/formats.hpp"
#include "analysis/viewers/otf2_import.hpp"
#include "core/errors.hpp"

namespace pat {

namespace viewers {

void check_otf2(const std::string&) {
  throw Error(ErrorKind::config,
              "this PAT was built without OTF2, install libopen-trace-format2-dev and build again");
}

void write_otf2(const Trace&, const ViewOptions&, const std::string&) {
  check_otf2("");
}

}  // namespace viewers

JoinedJournals import_otf2(const std::string&, const std::function<void(long, long)>&) {
  viewers::check_otf2("");
  return {};
}

}  // namespace pat
