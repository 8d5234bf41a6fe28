// What `pat simulate` reads: lists of numbers, and files of costs, on which all methods are run.

#include "collectives/nonclairvoyant/method.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tools/simulate/number_list.hpp"

using namespace pat;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = fuzz::text(data, size);
  fuzz::read([&] {
    for (const double number : simulation::parse_numbers(text, "list"))
      fuzz::require(number >= 0.0);
  });
  fuzz::read([&] {
    for (const int number : simulation::parse_whole_numbers(text, "list", 1, 100))
      fuzz::require(number >= 1 && number <= 100);
  });
  fuzz::read([&] {
    const nonclairvoyant::Platform platform = nonclairvoyant::parse_platform(text);
    const std::vector<double> ones(static_cast<std::size_t>(platform.processors), 1.0);
    for (const nonclairvoyant::MethodInfo& info : nonclairvoyant::methods()) {
      std::vector<nonclairvoyant::Message> messages;
      info.make(platform.processors)->run({ones, ones, &platform, &messages});
      fuzz::require(messages.size() + 1 == ones.size());
    }
  });
  return 0;
}
