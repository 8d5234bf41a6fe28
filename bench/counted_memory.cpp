#include "bench/counted_memory.hpp"

#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace {

thread_local long held = 0, most_held = 0;

void* counted(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  held += static_cast<long>(malloc_usable_size(memory));
  most_held = std::max(most_held, held);
  return memory;
}

void uncounted(void* memory) noexcept {
  if (memory != nullptr) held -= static_cast<long>(malloc_usable_size(memory));
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t size) {
  return counted(std::malloc(std::max<std::size_t>(size, 1)));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto step = static_cast<std::size_t>(alignment);
  return counted(std::aligned_alloc(step, std::max(step, (size + step - 1) / step * step)));
}
void operator delete(void* memory) noexcept {
  uncounted(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  uncounted(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  uncounted(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  uncounted(memory);
}

namespace pat {

std::size_t most_bytes_held(const std::function<void()>& work) {
  const long before = held;
  most_held = held;
  work();
  return static_cast<std::size_t>(std::max(0l, most_held - before));
}

}  // namespace pat
