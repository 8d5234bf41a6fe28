#pragma once

#include <cstddef>
#include <functional>

namespace pat {

/// Most memory that `work` holds at a time by operator new, bytes as the heap rounds them, beside
/// what was held before. Counts the calling thread alone. For programs that link
/// counted_memory.cpp, which replaces the global operators.
std::size_t most_bytes_held(const std::function<void()>& work);

}  // namespace pat
