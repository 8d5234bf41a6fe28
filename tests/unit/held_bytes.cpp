#include "tests/unit/held_bytes.hpp"

#include <malloc.h>
#include <cstdlib>
#include <new>

std::atomic<long> held_bytes = 0;

void* operator new(std::size_t size) {
  void* memory = std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  held_bytes += static_cast<long>(malloc_usable_size(memory));
  return memory;
}
void operator delete(void* memory) noexcept {
  held_bytes -= static_cast<long>(malloc_usable_size(memory));
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  operator delete(memory);
}
