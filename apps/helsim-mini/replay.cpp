#include "apps/helsim-mini/replay.hpp"

#include <pat/pat.h>

#include <algorithm>
#include <cstring>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>

#include "apps/helsim-mini/compositor.hpp"
#include "apps/helsim-mini/hash.hpp"
#include "apps/helsim-mini/mpi_error.hpp"
#include "collectives/algorithm.hpp"
#include "core/errors.hpp"
#include "core/progress_bar.hpp"
#include "core/statistics.hpp"
#include "core/text.hpp"
#include "measure/collect.hpp"
#include "measure/engine.hpp"
#include "measure/global_clock.hpp"
#include "measure/must.hpp"
#include "measure/phase.hpp"
#include "measure/stop.hpp"

namespace helsim {
namespace {

using pat::measure::Engine;
using pat::measure::Entry;
using pat::measure::Hooks;
using pat::measure::Measured;
using pat::measure::RankTimes;
using pat::measure::Sample;

constexpr const char* no_pattern = "-";
constexpr const char* true_pattern = "true";

/// A picture of random places, the same for everyone who asks for this rank and step: half of the
/// pixels are empty, and depths are few, so that many ties are broken by identity.
void draw(int rank, std::uint64_t step, Image<DepthPixel>& image) {
  std::uint64_t key = scramble((step << 20) + static_cast<std::uint64_t>(rank));
  for (DepthPixel& pixel : image.pixels) {
    pixel = DepthPixel();
    const std::uint64_t bits = scramble(++key);
    if (bits & 1) continue;
    pixel.rgba = {static_cast<std::uint8_t>(bits >> 8), static_cast<std::uint8_t>(bits >> 16),
                  static_cast<std::uint8_t>(bits >> 24), 255};
    pixel.depth = static_cast<float>(bits >> 32 & 63);
    pixel.id = bits >> 8;
  }
}

/// A communicator of its own, so that what is learnt of one row is no news for another.
class OwnCommunicator {
 public:
  explicit OwnCommunicator(MPI_Comm comm) { check_mpi(MPI_Comm_dup(comm, &comm_), "MPI_Comm_dup"); }
  ~OwnCommunicator() { MPI_Comm_free(&comm_); }
  OwnCommunicator(const OwnCommunicator&) = delete;
  OwnCommunicator& operator=(const OwnCommunicator&) = delete;
  MPI_Comm get() const { return comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

/// One thing that is measured: a reduction with the pattern as it is told.
struct Candidate {
  AnyReduction reduction;
  std::string pattern;
  bool balanced;
  OwnCommunicator comm;
  Compositor<DepthPixel> compositor;
  pat::measure::RegionGuard region;

  Candidate(MPI_Comm all, const std::string& name, const std::string& told, bool is_balanced)
      : reduction(name),
        pattern(told),
        balanced(is_balanced),
        comm(all),
        compositor(comm.get()),
        region(comm.get(), name + " " + told) {
    if (pattern == no_pattern) return;
    const char* model = pattern == true_pattern ? "edge" : pattern.c_str();
    pat::measure::must(PAT_Region_predictor(region.get(), model), "PAT_Region_predictor");
  }
};

bool follows_pattern(const std::string& name) {
  if (name == "auto") return true;
  const pat::Algorithm* algorithm = pat::find_algorithm(pat::Operation::reduce, name);
  return algorithm && algorithm->uses_pattern && !algorithm->protocol;
}

bool keeps_order(const std::string& name) {
  const pat::Algorithm* algorithm = pat::find_algorithm(pat::Operation::reduce, name);
  return !algorithm || !algorithm->needs_commutative;
}

/// What is measured of one size. An entry's name is its label; its twin without delays comes after
/// the last entry of the reduction.
pat::measure::Plan entries_of(const ReplayPlan& replay) {
  pat::measure::Plan plan;
  for (const std::string& name : replay.reductions) {
    std::vector<std::string> patterns = {no_pattern};
    if (follows_pattern(name)) {
      patterns = replay.predictors;
      patterns.push_back(true_pattern);
    }
    for (const std::string& pattern : patterns) plan.entries.push_back({name + " " + pattern});
    plan.entries.push_back({name + " " + patterns.back(), true});
  }
  plan.warmup = 2;  // connections are made when they are first needed
  plan.iterations = replay.steps;
  plan.lateness_limit_s = replay.lateness_limit_s;
  return plan;
}

/// One size: its pictures, its candidates and what they took.
class Replay {
 public:
  Replay(MPI_Comm comm, const pat::Trace& trace, const ReplayPlan& plan, std::size_t bytes,
         const pat::measure::GlobalClock& clock)
      : comm_(comm),
        trace_(trace),
        plan_(plan),
        pixels_(bytes / sizeof(DepthPixel)),
        clock_(clock),
        entries_(entries_of(plan)) {
    check_mpi(MPI_Comm_rank(comm, &rank_), "MPI_Comm_rank");
    mean_s_ = std::accumulate(trace.arrival_s.begin(), trace.arrival_s.end(), 0.0) /
              static_cast<double>(trace.arrival_s.size());
    first_s_ = *std::min_element(trace.arrival_s.begin(), trace.arrival_s.end());
    engine_ = std::make_unique<Engine>(entries_, hooks());
  }

  long measurements() const { return Engine::measurements(entries_); }

  /// Returns whether a signal ended it. Collective.
  bool run(const std::function<void(long)>& progress) {
    progress_ = progress;
    own_ = std::make_unique<Image<DepthPixel>>(static_cast<int>(pixels_), 1);
    whole_ = expected_ = *own_;
    for (const Entry& entry : entries_.entries) {
      const std::size_t blank = entry.algorithm.find(' ');
      candidates_[key(entry)] =
          std::make_unique<Candidate>(comm_, entry.algorithm.substr(0, blank),
                                      entry.algorithm.substr(blank + 1), entry.balanced);
    }
    engine_->run();
    candidates_.clear();
    own_.reset();
    whole_ = expected_ = Image<DepthPixel>(0, 0);
    return engine_->stopped();
  }

  /// As far as it is measured; on rank 0. Thread-safe.
  void append_to(std::vector<StudyRow>& rows) const {
    const auto measured = engine_->measured();
    std::vector<StudyRow> of_one;
    for (std::size_t e = 0; e < measured.size(); ++e) {
      if (measured[e].samples.empty() && measured[e].dropped == 0) continue;
      if (!entries_.entries[e].balanced) {
        of_one.push_back(row_of(entries_.entries[e], measured[e]));
        continue;
      }
      const auto balanced_s = times_of(measured[e], &Sample::run_s);
      for (StudyRow& row : of_one) {
        row.balanced_s = pat::mean(balanced_s);
        row.absorption_s = row.balanced_s + row.imbalance_s - row.run_time_s / plan_.steps;
        if (balanced_s.empty() && row.refused.empty()) row.refused = "no balanced step on time";
        rows.push_back(row);
      }
      of_one.clear();
    }
  }

 private:
  static std::string key(const Entry& entry) {
    return entry.algorithm + (entry.balanced ? " balanced" : "");
  }
  static std::vector<double> times_of(const Measured& measured, double Sample::*member) {
    std::vector<double> values;
    for (const Sample& sample : measured.samples) values.push_back(sample.*member);
    return values;
  }

  StudyRow row_of(const Entry& entry, const Measured& measured) const {
    StudyRow row;
    const std::size_t blank = entry.algorithm.find(' ');
    row.bytes = pixels_ * sizeof(DepthPixel);
    row.algorithm = entry.algorithm.substr(0, blank);
    row.keeps_order = keeps_order(row.algorithm);
    row.pattern = entry.algorithm.substr(blank + 1);
    row.dropped = measured.dropped;
    if (measured.samples.empty()) {
      row.refused = "no step in which all woke up on time";
      return row;
    }
    row.run_time_s = pat::mean(times_of(measured, &Sample::run_s)) * plan_.steps;
    row.imbalance_s = pat::mean(times_of(measured, &Sample::imbalance_s));
    return row;
  }

  Hooks hooks() {
    Hooks hooks;
    hooks.prepare = [this](const Entry&, std::uint64_t step) { prepare(step); };
    hooks.synchronise = [this] {
      MPI_Barrier(comm_);
      MPI_Barrier(comm_);
    };
    hooks.compute = [this](const Entry& entry, std::uint64_t step, RankTimes& times) {
      compute(*candidates_.at(key(entry)), step, times);
    };
    hooks.operate = [this](const Entry& entry) {
      const Candidate& candidate = *candidates_.at(key(entry));
      candidate.compositor.compose(*own_, whole_, candidate.reduction);
    };
    hooks.check = [this](const Entry&, std::uint64_t) { return check(); };
    hooks.now_s = [this] { return clock_.now_s(); };
    hooks.collect = [this](RankTimes times, const std::optional<std::string>& wrong) {
      for (double* time_s : {&times.start_s, &times.planned_s, &times.arrival_s, &times.exit_s})
        *time_s /= plan_.dilate;
      return pat::measure::collect(times, wrong, comm_);
    };
    hooks.progress = [this](long done) { progress_(done); };
    return hooks;
  }

  /// This step's pictures and what MPI makes of them, and a root's picture that nobody made.
  void prepare(std::uint64_t step) {
    if (step != drawn_step_) {
      draw(rank_, step, *own_);
      const Compositor<DepthPixel>& any = candidates_.begin()->second->compositor;
      check_mpi(MPI_Reduce(own_->pixels.data(), expected_.pixels.data(), static_cast<int>(pixels_),
                           any.pixel_type(), any.operation(), 0, comm_),
                "MPI_Reduce");
      drawn_step_ = step;
    }
    if (rank_ == 0) std::fill(whole_.pixels.begin(), whole_.pixels.end(), DepthPixel{{}, -1, 0});
  }

  void compute(const Candidate& candidate, std::uint64_t step, RankTimes& times) {
    const auto row = static_cast<int>(step % static_cast<std::uint64_t>(trace_.iterations()));
    pat::measure::Phase phase;
    phase.planned_s = plan_.dilate * (candidate.balanced ? mean_s_ : trace_.arrival(row, rank_));
    phase.region = &candidate.region;
    phase.edges = plan_.edges;
    if (candidate.pattern == true_pattern) phase.told_s = phase.planned_s;
    phase.told_after_s = 0.1 * plan_.dilate * first_s_;  // before anyone arrives
    times.planned_s = phase.planned_s;
    times.start_s = clock_.now_s();
    pat::measure::run_phase(phase, times.start_s, clock_, comm_);
  }

  std::optional<std::string> check() const {
    if (rank_ != 0) return std::nullopt;
    for (std::size_t n = 0; n < pixels_; ++n)
      if (std::memcmp(&whole_.pixels[n], &expected_.pixels[n], sizeof(DepthPixel)) != 0)
        return "rank 0 has another pixel than MPI_Reduce at index " + std::to_string(n) + ".";
    return std::nullopt;
  }

  MPI_Comm comm_;
  const pat::Trace& trace_;
  const ReplayPlan& plan_;
  std::size_t pixels_;
  const pat::measure::GlobalClock& clock_;
  pat::measure::Plan entries_;
  int rank_ = 0;
  double mean_s_ = 0.0, first_s_ = 0.0;  ///< of all render times
  std::unique_ptr<Engine> engine_;
  std::function<void(long)> progress_;
  std::map<std::string, std::unique_ptr<Candidate>> candidates_;
  std::unique_ptr<Image<DepthPixel>> own_;
  Image<DepthPixel> whole_{0, 0}, expected_{0, 0};
  std::uint64_t drawn_step_ = ~std::uint64_t{0};
};

/// The table, printed once by whoever comes first.
class Report {
 public:
  Report(const std::vector<std::unique_ptr<Replay>>& replays, StudyOrigin origin,
         const std::string& format)
      : replays_(replays), origin_(std::move(origin)), format_(format) {}
  void print(bool stopped) {
    std::call_once(printed_, [&] {
      std::vector<StudyRow> rows;
      for (const auto& replay : replays_) replay->append_to(rows);
      if (stopped) origin_.sentence += "; stopped before all steps were done";
      print_study(rows, origin_, format_, std::cout);
      std::cout << std::flush;
    });
  }

 private:
  const std::vector<std::unique_ptr<Replay>>& replays_;
  StudyOrigin origin_;
  const std::string& format_;
  std::once_flag printed_;
};

StudyOrigin origin_of(const ReplayPlan& plan, const pat::Trace& trace) {
  return {"Measured: " + std::to_string(trace.ranks) + " processes that sleep, " +
              std::to_string(plan.steps) +
              " steps, every result equal to MPI_Reduce's; run time of steps that were dropped: "
              "the mean of the others",
          "measurement",
          {{"processes", trace.ranks}, {"steps", plan.steps}, {"dilate", plan.dilate}}};
}

}  // namespace

std::vector<std::string> replay_reductions(const std::string& list) {
  if (list.empty()) return reduction_names(false);
  const auto names = pat::split(list, ',');
  for (const std::string& name : names) AnyReduction{name};
  return names;
}

void check_replay(const ReplayPlan& plan, const pat::Trace& trace, int ranks) {
  const auto refuse = [](const std::string& sentence) {
    throw pat::Error(pat::ErrorKind::argument, sentence);
  };
  if (trace.ranks != ranks)
    refuse("the trace was made by " + std::to_string(trace.ranks) + " processes and this run has " +
           std::to_string(ranks) + ", start it with mpirun -n " + std::to_string(trace.ranks));
  if (trace.ranks < 2 || trace.iterations() < 1)
    refuse("the trace must have at least two processes and one step");
  if (plan.steps < 1) refuse("--steps is 0, the replay needs at least 1");
  for (const double edge : plan.edges)
    if (!(edge > 0.0 && edge < 1.0))
      refuse("--edges must be fractions of the rendering between 0 and 1");
  check_picture_sizes(plan.sizes);
}

void replay_study(MPI_Comm comm, const pat::Trace& trace, const ReplayPlan& plan,
                  const std::string& format) {
  int rank = 0;
  check_mpi(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  const pat::measure::GlobalClock clock(comm);
  std::vector<std::unique_ptr<Replay>> replays;
  long total = 0;
  for (const std::size_t bytes : plan.sizes) {
    replays.push_back(std::make_unique<Replay>(comm, trace, plan, bytes, clock));
    total += replays.back()->measurements();
  }
  Report report(replays, origin_of(plan, trace), format);
  const pat::measure::StopSignals signals([&report, rank] {
    if (rank == 0) report.print(true);
  });
  bool stopped = false;
  {
    pat::ProgressBar bar("helsim-mini", total, pat::progress_style(rank == 0));
    long before = 0;
    for (const auto& replay : replays) {
      if (stopped) break;
      stopped = replay->run([&](long done) { bar.update(before + done); });
      before += replay->measurements();
    }
  }
  if (rank == 0) report.print(stopped);
}

}  // namespace helsim
