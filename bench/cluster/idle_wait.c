/* Preloaded into the ranks of the emulated cluster: lets a waiting rank sleep.
 *
 * Open MPI polls; with mpi_yield_when_idle it calls sched_yield() whenever its progress engine
 * found nothing to do. On a cluster of 48 nodes on two cores even that costs most of the machine.
 * Here such a yield becomes a blocking poll on the epoll descriptor through which Open MPI watches
 * its sockets
 * (--mca opal_event_include epoll), so the rank wakes when data comes.
 *
 * A wait is told from a test made between pieces of computation by its pace: only yields that
 * follow each other closely, `spins_before_sleep` of them, lead to sleep. The first sleep is at
 * most 1 ms, each further one in vain up to twice as long, at most 10 ms. With several threads in
 * MPI another one may have taken the data already, so the limit is 1 ms there.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { spins_before_sleep = 4, first_sleep_ms = 1, longest_sleep_ms = 10 };
static const int64_t waiting_pace_ns = 50000;

static _Atomic int progress_descriptor = -1;
static _Atomic(const void*) progress_engine; /* where Open MPI's sched_yield() returns to */
static _Atomic uintptr_t first_thread;
static _Atomic int several_threads;

static _Thread_local int64_t last_yield_ns;
static _Thread_local int spins;
static _Thread_local int sleep_ms = first_sleep_ms;

/* Open MPI's progress engine looks at its descriptors without waiting; nothing else that uses
 * libevent in an MPI process does. */
int epoll_wait(int descriptor, struct epoll_event* events, int capacity, int timeout_ms) {
  static int (*_Atomic real)(int, struct epoll_event*, int, int);
  if (!real) *(void**)&real = dlsym(RTLD_NEXT, "epoll_wait");
  if (timeout_ms == 0)
    atomic_store_explicit(&progress_descriptor, descriptor, memory_order_relaxed);
  const int ready = real(descriptor, events, capacity, timeout_ms);
  if (timeout_ms == 0 && ready > 0) {
    spins = 0;
    sleep_ms = first_sleep_ms;
  }
  return ready;
}

static int64_t monotonic_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int is_progress_engine(const void* caller) {
  if (caller == atomic_load_explicit(&progress_engine, memory_order_relaxed)) return 1;
  Dl_info info;
  if (!dladdr(caller, &info) || !info.dli_fname || !strstr(info.dli_fname, "libopen-pal")) return 0;
  atomic_store_explicit(&progress_engine, caller, memory_order_relaxed);
  return 1;
}

static void note_thread(void) {
  if (several_threads) return;
  uintptr_t expected = 0;
  const uintptr_t self = (uintptr_t)&spins;
  if (!atomic_compare_exchange_strong(&first_thread, &expected, self) && expected != self)
    several_threads = 1;
}

int sched_yield(void) {
  const int descriptor = atomic_load_explicit(&progress_descriptor, memory_order_relaxed);
  if (descriptor < 0 || !is_progress_engine(__builtin_return_address(0)))
    return (int)syscall(SYS_sched_yield);
  const int64_t now_ns = monotonic_ns();
  if (now_ns - last_yield_ns > waiting_pace_ns) {
    spins = 0;
    sleep_ms = first_sleep_ms;
  }
  last_yield_ns = now_ns;
  if (++spins <= spins_before_sleep) return (int)syscall(SYS_sched_yield);

  note_thread();
  struct pollfd watched = {.fd = descriptor, .events = POLLIN};
  const int limit_ms = several_threads ? first_sleep_ms : longest_sleep_ms;
  const int ready = poll(&watched, 1, sleep_ms < limit_ms ? sleep_ms : limit_ms);
  sleep_ms = ready != 0 ? first_sleep_ms : sleep_ms < limit_ms ? 2 * sleep_ms : limit_ms;
  last_yield_ns = monotonic_ns();
  return 0;
}
