// What `pat report` shows: JSON reports as they are, traces by what is found in them.

#include "analysis/page.hpp"

#include <nlohmann/json.hpp>
#include <sstream>

#include "analysis/findings.hpp"
#include "analysis/headline.hpp"
#include "analysis/report_shape.hpp"
#include "core/trace.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace pat;
using Json = nlohmann::ordered_json;

namespace {

Json report_of(const std::string& input) {
  if (input.starts_with('{')) return Json::parse(input, nullptr, false);
  std::istringstream text(input);
  return {{"complete", true},
          {"analysis", findings_of(record_of(parse_trace(text, "input"), "last"))}};
}

int scripts_that_end(const std::string& page) {
  constexpr std::string_view end = "</script";
  int found = 0;
  for (std::size_t at = 0; (at = page.find(end, at)) != std::string::npos; at += end.size())
    ++found;
  return found;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::read([&] {
    const Json report = report_of(fuzz::text(data, size));
    // What lacks something, or has it in another form, is refused; nothing else may fail half-way.
    if (report.is_discarded() || !is_report(report) || fault_of(report)) return;
    std::ostringstream out;
    print_headline(report["analysis"], out);
    const std::string page = page_of({{"one", report}, {"two", report}});
    fuzz::require(page.ends_with("</html>\n"));
    fuzz::require(scripts_that_end(page) == 3);  // nothing in a report ends its own
  });
  return 0;
}
