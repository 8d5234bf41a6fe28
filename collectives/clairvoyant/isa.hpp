#pragma once

// Run-time choice of the instruction set: a function is compiled once for each set with a target
// attribute (and everything it calls inlined into it), so that a plain build runs on any processor.

#include <string_view>

namespace pat::clairvoyant {

enum class Isa { generic, avx2, avx512 };

/// The best one of this processor, or the one use_isa() asked for.
Isa chosen_isa();

}  // namespace pat::clairvoyant

#if defined(__x86_64__) && defined(__GNUC__)
#define PAT_X86_TARGETS 1
#define PAT_TARGET_AVX2 [[gnu::target("avx2,bmi,bmi2,lzcnt,popcnt"), gnu::flatten]]
#define PAT_TARGET_AVX512 \
  [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi,bmi2,lzcnt,popcnt"), gnu::flatten]]
#else
#define PAT_X86_TARGETS 0
#endif
