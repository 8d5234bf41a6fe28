#pragma once

#include <atomic>

/// What the program holds by operator new, bytes as the heap rounds them.
extern std::atomic<long> held_bytes;
