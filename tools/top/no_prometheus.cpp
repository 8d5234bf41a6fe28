// Where prometheus-cpp was not there when PAT was built.

#include "core/errors.hpp"
#include "tools/top/prometheus.hpp"

namespace pat {

void serve_prometheus(const std::string&, const std::string&) {
  throw Error(ErrorKind::io,
              "this PAT was built without prometheus-cpp, install prometheus-cpp-dev and build it "
              "again");
}

}  // namespace pat
