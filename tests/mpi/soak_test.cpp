// Randomised soak: every operation in every form (plain, v-forms, non-blocking, persistent, with
// MPI_Count where MPI has it) with every registered algorithm in turn, any root, size, type and
// operator, on communicators that come and go, from one thread or several, with delays, wrong
// forecasts and control messages out of order. Every byte is checked.
//
// SOAK_CALLS: how many collectives (3000); SOAK_SEED: the seed (1). The same seed draws the
// same calls on the same number of processes and threads; which of them meet is up to the machine.

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "core/clock.hpp"
#include "tests/mpi/broken_predictors.hpp"
#include "tests/mpi/random_call.hpp"
#include "tests/mpi/registered.hpp"

namespace pat {
namespace {

using test::Kind;
using test::Materials;
using test::RandomCall;
using test::rank;
using test::size;

long from_environment(const char* name, long fallback) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::atol(text) : fallback;
}

/// Calls of PAT may not fail here; the others would wait for this process.
void must(int code, const char* what) {
  if (code == MPI_SUCCESS) return;
  std::fprintf(stderr, "soak: rank %d: %s: %s\n", rank(), what, PAT_Error_string());
  MPI_Abort(MPI_COMM_WORLD, 3);
}

// ---------------------------------------------------------------- what is counted

/// How many of all calls are done, told now and then.
class Progress {
 public:
  explicit Progress(long all) : all_(all) {}
  void one_more() {
    const long done = ++done_;
    const std::int64_t now = now_ns();
    if (rank() != 0 || now < next_ns_) return;
    const bool terminal = isatty(2) != 0;
    next_ns_ = now + (terminal ? 1 : 30) * second_ns;
    const double so_far_s = static_cast<double>(now - begin_ns_) / second_ns;
    const double left_s = so_far_s * static_cast<double>(all_ - done) / static_cast<double>(done);
    std::fprintf(stderr,
                 terminal ? "\rsoak: %ld of %ld collectives, %.0f s left   "
                          : "soak: %ld of %ld collectives, %.0f s left\n",
                 done, all_, left_s);
  }
  long done() const { return done_; }

 private:
  static constexpr std::int64_t second_ns = 1'000'000'000;
  const long all_;
  const std::int64_t begin_ns_ = now_ns();
  std::atomic<std::int64_t> next_ns_{begin_ns_ + 5 * second_ns};
  std::atomic<long> done_{0};
};

std::atomic<long> wrong_bytes{0};

void check(const RandomCall& call) {
  const std::size_t wrong = call.wrong_bytes();
  if (wrong == 0) return;
  if (wrong_bytes == 0)
    std::fprintf(stderr, "soak: rank %d: %zu wrong bytes: %s\n", rank(), wrong,
                 call.kind().describe().c_str());
  wrong_bytes += static_cast<long>(wrong);
}

// ---------------------------------------------------------------- one thread

/// A communicator with what is called on it: few kinds, many times, so that PAT foretells them.
/// Null where this process is not in it.
class Place {
 public:
  Place(MPI_Comm comm, std::mt19937& same, const Materials& materials)
      : comm_(comm), materials_(materials) {
    const std::size_t first = same();
    const auto draw = [&](std::size_t k, Kind::Form form) {
      const auto& rows = operation_rows();  // in turn, so that none is missed
      return Kind::draw(same, form, rows[(first + k) % rows.size()].operation);
    };
    for (std::size_t k = 0; k < 12; ++k)
      kinds_.push_back(draw(k, k % 3 == 0 ? Kind::Form::nonblocking : Kind::Form::plain));
    std::vector<Kind> kept;
    for (std::size_t k = 12; k < 15; ++k) kept.push_back(draw(k, Kind::Form::persistent));
    if (!here()) return;
    test::let_plain_calls_go_on(comm_, materials_);
    on_.emplace(comm_, materials_);
    for (const Kind& kind : kept) {
      auto& one = persistent_.emplace_back();
      one.call = std::make_unique<RandomCall>(kind, *on_, materials_);
      must(one.call->init(&one.request), "init");
    }
  }
  ~Place() {
    for (Persistent& one : persistent_) must(PAT_Request_free(&one.request), "free");
    on_.reset();
    if (here() && comm_ != MPI_COMM_WORLD) MPI_Comm_free(&comm_);
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  struct Persistent {
    std::unique_ptr<RandomCall> call;
    PAT_Request request = PAT_REQUEST_NULL;
    int parts = 0;
  };

  bool here() const { return comm_ != MPI_COMM_NULL; }
  std::size_t ways() const { return kinds_.size() + 3; }
  /// Null: way `way` is a persistent one.
  std::unique_ptr<RandomCall> make(std::size_t way) const {
    if (way >= kinds_.size()) return nullptr;
    return std::make_unique<RandomCall>(kinds_[way], *on_, materials_);
  }
  Persistent& persistent(std::size_t way) { return persistent_[way - kinds_.size()]; }

 private:
  MPI_Comm comm_;
  const Materials& materials_;
  std::optional<test::Communicators> on_;
  std::vector<Kind> kinds_;
  std::vector<Persistent> persistent_;
};

/// The calls of one thread, on communicators of its own. Made and ended by the main thread.
class Lane {
 public:
  Lane(int number, unsigned seed, const Materials& materials)
      : same_(seed), own_(seed * 1000 + static_cast<unsigned>(rank())) {
    const int me = rank(), last = size() - 1;
    MPI_Comm all = MPI_COMM_WORLD, half, but_first, but_last;
    if (number > 0) MPI_Comm_dup(MPI_COMM_WORLD, &all);
    MPI_Comm_split(MPI_COMM_WORLD, me % 2, -me, &half);
    MPI_Comm_split(MPI_COMM_WORLD, me > 0 ? 0 : MPI_UNDEFINED, me, &but_first);
    MPI_Comm_split(MPI_COMM_WORLD, me < last ? 0 : MPI_UNDEFINED, -me, &but_last);
    for (const MPI_Comm comm : {all, half, but_first, but_last})
      places_.push_back(std::make_unique<Place>(comm, same_, materials));
    must(PAT_Region_create(all, ("lane " + std::to_string(number)).c_str(), &region_), "region");
  }
  ~Lane() { must(PAT_Region_free(&region_), "region"); }
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  /// Makes so many calls and waits for all of them. `played` counts them by operation.
  void run(long calls, Progress& progress) {
    for (long i = 0; i < calls; ++i) {
      Place& place = *places_[same_() % places_.size()];
      const std::size_t way = same_() % place.ways();
      const auto salt = static_cast<std::uint32_t>(same_());
      if (place.here()) {
        const bool computes = own_() % 8 == 0;
        if (computes) compute();
        make_one(place, way, salt);
      }
      while (open_.size() > 8 || (!open_.empty() && own_() % 3 == 0)) end_one();
      progress.one_more();
    }
    while (!open_.empty()) end_some();
  }

  std::map<Operation, long> played;

 private:
  struct Open {
    std::unique_ptr<RandomCall> own;  ///< of a non-blocking call
    RandomCall* call = nullptr;
    PAT_Request request = PAT_REQUEST_NULL;
  };

  void compute() {
    must(PAT_Region_start(region_), "start of a phase");
    if (own_() % 8 == 0) test::sleep_ms(static_cast<double>(own_() % 20) / 10.0);
    if (own_() % 2 == 0) must(PAT_Region_edge(region_, 0.5), "edge");
    if (own_() % 8 == 0) test::sleep_ms(static_cast<double>(own_() % 20) / 10.0);
    must(PAT_Region_end(region_), "end of a phase");
  }

  void make_one(Place& place, std::size_t way, std::uint32_t salt) {
    auto call = place.make(way);
    if (!call) return start_persistent(place.persistent(way), salt);
    ++played[call->kind().operation];
    call->prepare(salt);
    call->fill();
    if (call->kind().form == Kind::Form::plain) {
      must(call->plain(), call->kind().describe().c_str());
      return check(*call);
    }
    PAT_Request request = PAT_REQUEST_NULL;
    must(call->start(&request), call->kind().describe().c_str());
    RandomCall* const started = call.get();
    open_.push_back({std::move(call), started, request});
  }

  /// What it gives is handed over at once or after some time, whole or in part.
  void start_persistent(Place::Persistent& one, std::uint32_t salt) {
    for (std::size_t i = 0; i < open_.size(); ++i)
      if (open_[i].call == one.call.get()) {
        end(i);
        break;
      }
    ++played[one.call->kind().operation];
    if (own_() % 4 == 0)
      must(PAT_Request_parts(one.request, one.parts = 1 + static_cast<int>(own_() % 3)), "parts");
    one.call->prepare(salt);
    must(PAT_Start(one.request), "start");
    if (own_() % 16 == 0) compute();
    one.call->fill();
    if (one.parts > 0 && own_() % 2 == 0)
      must(PAT_Pready(one.request, static_cast<int>(own_() % static_cast<unsigned>(one.parts))),
           "part");
    must(PAT_Ready(one.request), "ready");
    open_.push_back({nullptr, one.call.get(), one.request});
  }

  // -- ends, in an order of this process's own

  void end(std::size_t i) {
    Open one = std::move(open_[i]);
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(i));
    if (own_() % 4 == 0)
      for (int over = 0; over == 0;) must(PAT_Testall(1, &one.request, &over), "test");
    else
      must(PAT_Wait(one.request), "wait");
    check(*one.call);
  }
  void end_one() { end(own_() % open_.size()); }

  /// All of them, or whichever is over first.
  void end_some() {
    std::shuffle(open_.begin(), open_.end(), own_);
    std::vector<PAT_Request> requests;
    for (const Open& one : open_) requests.push_back(one.request);
    const auto count = static_cast<int>(requests.size());
    if (own_() % 2 == 0) {
      int index = -1;
      must(PAT_Waitany(count, requests.data(), &index), "wait for any");
      check(*open_[static_cast<std::size_t>(index)].call);
      open_.erase(open_.begin() + index);
      return;
    }
    must(PAT_Waitall(count, requests.data()), "wait for all");
    for (const Open& one : open_) check(*one.call);
    open_.clear();
  }

  std::mt19937 same_, own_;  ///< draws that all processes share, and this one's own
  std::vector<std::unique_ptr<Place>> places_;
  PAT_Region region_ = PAT_REGION_DEFAULT;
  std::vector<Open> open_;
};

// ---------------------------------------------------------------- the whole

bool has_threads() {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  return level == MPI_THREAD_MULTIPLE;
}

/// A session with settings and a predictor of its own.
void begin_session(long number, std::mt19937& same) {
  static constexpr const char* promised[] = {"0", "0", "1", "any-order"};
  const std::string config = "disturb=0.2;lease_max=" + std::to_string(1 << (same() % 7)) +
                             ";min_bytes=" + (same() % 2 == 0 ? "1" : "4k") +
                             ";segments=" + (same() % 4 == 0 ? "3" : "0") +
                             ";reproducible=" + promised[same() % std::size(promised)];
  must(PAT_Init_comm(MPI_COMM_WORLD, config.c_str()), config.c_str());
  const auto broken = static_cast<std::size_t>(number) % (std::size(test::broken_predictors) + 1);
  if (broken > 0) test::break_predictor(test::broken_predictors[broken - 1].second);
}

/// Calls by operation and algorithm.
using Played = std::map<std::string, long>;

/// Every operation's algorithms in turn; calls from one thread or three.
void run_epoch(long number, long calls, std::mt19937& same, const Materials& materials,
               Progress& progress, Played& played) {
  std::map<Operation, std::string> chosen;
  for (const OperationRow& one : operation_rows()) {
    const auto names = test::registered(one.operation);
    chosen[one.operation] = names[static_cast<std::size_t>(number) % names.size()];
    must(PAT_UseAlgName(std::string(one.name).c_str(), chosen[one.operation].c_str()), "algorithm");
  }
  const long lanes = has_threads() && same() % 2 == 0 ? std::min(3L, calls) : 1;
  std::vector<std::unique_ptr<Lane>> all;
  for (int l = 0; l < lanes; ++l)
    all.push_back(std::make_unique<Lane>(l, static_cast<unsigned>(same()), materials));
  std::vector<std::thread> others;
  for (std::size_t l = 1; l < all.size(); ++l)
    others.emplace_back([&, l] { all[l]->run(calls / lanes, progress); });
  all[0]->run(calls - (lanes - 1) * (calls / lanes), progress);
  for (std::thread& other : others) other.join();
  for (const auto& lane : all)
    for (const auto& [operation, times] : lane->played)
      played[std::string(name(operation)) + " " + chosen[operation]] += times;
}

void expect_all(Played& played) {
  for (const OperationRow& one : operation_rows())
    for (const std::string& algorithm : test::registered(one.operation))
      EXPECT_GT(played[std::string(one.name) + " " + algorithm], 0)
          << std::string(one.name) << " was never called with " << algorithm;
}

TEST(Soak, EveryResultIsRight) {
  const long calls = from_environment("SOAK_CALLS", 3000);
  const long seed = from_environment("SOAK_SEED", 1);
  if (rank() == 0) std::printf("soak: %ld collectives, seed %ld\n", calls, seed);
  const long epoch = std::clamp(calls / 24, 1L, 400L);
  const Materials materials;
  std::mt19937 same(static_cast<unsigned>(seed));  // the same choices on all ranks
  Progress progress(calls);
  Played played;
  constexpr long epochs_a_session = 4;
  for (long e = 0; progress.done() < calls; ++e) {
    if (e % epochs_a_session == 0) begin_session(seed + e / epochs_a_session, same);
    run_epoch(seed + e, std::min(epoch, calls - progress.done()), same, materials, progress,
              played);
    if ((e + 1) % epochs_a_session == 0 || progress.done() >= calls) {
      ASSERT_EQ(PAT_Finalize(), MPI_SUCCESS) << PAT_Error_string();
    }
  }
  if (calls >= 3000) expect_all(played);
  long all_wrong = wrong_bytes;
  MPI_Allreduce(MPI_IN_PLACE, &all_wrong, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_EQ(all_wrong, 0) << "wrong bytes";
  if (rank() == 0)
    std::printf("soak: %ld collectives, %ld wrong bytes\n", progress.done(), all_wrong);
}

}  // namespace
}  // namespace pat
