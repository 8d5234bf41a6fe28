#pragma once

/// What the program holds by operator new, bytes as the heap rounds them. For tests of one thread.
extern long held_bytes;
