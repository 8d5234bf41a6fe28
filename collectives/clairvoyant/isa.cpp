#include "collectives/clairvoyant/isa.hpp"

#include <algorithm>
#include <string>

#include "collectives/clairvoyant/generators.hpp"
#include "core/errors.hpp"

namespace pat::clairvoyant {
namespace {

Isa best() {
#if PAT_X86_TARGETS
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("bmi2"))
    return Isa::avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")) return Isa::avx2;
#endif
  return Isa::generic;
}

Isa& chosen() {
  static Isa isa = best();
  return isa;
}

}  // namespace

Isa chosen_isa() {
  return chosen();
}

std::vector<std::string_view> isas() {
  std::vector<std::string_view> names;
  if (best() == Isa::avx512) names.push_back("avx512");
  if (best() != Isa::generic) names.push_back("avx2");
  names.push_back("generic");
  return names;
}

void use_isa(std::string_view isa) {
  const auto names = isas();
  if (std::find(names.begin(), names.end(), isa) == names.end())
    throw Error(ErrorKind::argument,
                "this processor has no instruction set '" + std::string(isa) + "'");
  chosen() = isa == "avx512" ? Isa::avx512 : isa == "avx2" ? Isa::avx2 : Isa::generic;
}

}  // namespace pat::clairvoyant
