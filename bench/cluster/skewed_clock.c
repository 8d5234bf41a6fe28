/* Preloaded into a rank: its monotonic clock is off by SKEW_MS a rank, and runs faster by SKEW_PPM
 * a rank, as the clocks of several machines are. Sleeps on a condition until a time of that clock
 * end when it shows it. For tests. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static const int64_t second = 1000000000;
static int64_t begin_ns, offset_ns;
static double rate;
static int (*library_gettime)(clockid_t,
                              struct timespec*); /* no system call: PAT takes the cheapest clock */

static int64_t ns_of(struct timespec t) {
  return t.tv_sec * second + t.tv_nsec;
}

static int64_t true_ns(clockid_t clock) {
  struct timespec t;
  if (library_gettime == NULL)
    library_gettime = (int (*)(clockid_t, struct timespec*))dlsym(RTLD_NEXT, "clock_gettime");
  library_gettime(clock, &t);
  return ns_of(t);
}

static struct timespec timespec_of(int64_t ns) {
  const struct timespec t = {ns / second, ns % second};
  return t;
}

static double setting(const char* name) {
  const char* text = getenv(name);
  return text != NULL ? atof(text) : 0.0;
}

__attribute__((constructor)) static void begin(void) {
  const double rank = setting("OMPI_COMM_WORLD_RANK");
  begin_ns = true_ns(CLOCK_MONOTONIC);
  offset_ns = (int64_t)(setting("SKEW_MS") * rank * 1e6);
  rate = 1.0 + setting("SKEW_PPM") * rank * 1e-6;
}

int clock_gettime(clockid_t clock, struct timespec* t) {
  const int64_t now = true_ns(clock);
  const int skewed = clock == CLOCK_MONOTONIC && begin_ns != 0;
  *t =
      timespec_of(skewed ? begin_ns + offset_ns + (int64_t)((double)(now - begin_ns) * rate) : now);
  return 0;
}

int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const struct timespec* until) {
  struct timespec shown;
  clock_gettime(clock, &shown);
  const int64_t left = ns_of(*until) - ns_of(shown);
  const struct timespec end = timespec_of(true_ns(CLOCK_REALTIME) + (left > 0 ? left : 0));
  return pthread_cond_timedwait(condition, mutex, &end);
}
