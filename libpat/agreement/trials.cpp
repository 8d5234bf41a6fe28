#include "libpat/agreement/trials.hpp"

#include <algorithm>
#include <numeric>

namespace pat::detail {
namespace {

/// What trials may lose of the time in calls, since the first decision, those of the library that
/// is due, and comparing steps.
constexpr double exploring_share = 0.01, library_share = 0.0025, comparing_share = 0.01;
/// Trials may lose so many intervals between calls before they have been earned, and those of the
/// library, which the first calls show slower than it is.
constexpr double advance = 0.5, library_advance = 0.25;

}  // namespace

double Trials::Progress::time_in_calls_s() const {
  const bool known = call_s > 0.0 && interval_s > 0.0;
  return elapsed_s * (known ? std::min(1.0, call_s / interval_s) : 1.0);
}

Exploration Trials::allowed(std::uint32_t call, const Progress& progress) const {
  const auto left_s = [&](Kind kind, double share, double ahead) {
    const double earned_s = share * progress.time_in_calls_s() + ahead * progress.interval_s;
    return std::max(0.0, earned_s - lost_s(kind)) / calls_of_a_trial;
  };
  Exploration exploration;
  exploration.may_lose_s = left_s(Kind::way, exploring_share, advance);
  if (call - library_call_ >= library_wait_)
    exploration.mpi_may_lose_s = left_s(Kind::library, library_share, library_advance);
  // The trial is one decision, and what comes after it another.
  exploration.deciding_s = 2.0 * progress.deciding_s / calls_of_a_trial;
  return exploration;
}

bool Trials::may_compare(double loses_s, const Progress& progress) const {
  return lost_comparing_s_ + loses_s <= comparing_share * progress.time_in_calls_s();
}

void Trials::compare(std::uint32_t calls, double loses_s) {
  calls_ += calls;
  lost_comparing_s_ += loses_s;
}

void Trials::begin(Kind kind, std::uint32_t first, std::uint32_t calls, const Selection& choice) {
  open_ = {kind, first, calls, choice.may_lose_s, choice.instead_s};
  calls_ += calls;
  lose(kind, calls * choice.may_lose_s);
}

void Trials::settle(std::uint32_t first, double run_time_s) {
  if (!open_ || open_->first != first) return;
  const double loss_s = std::max(0.0, run_time_s - open_->instead_s);
  lose(open_->kind, open_->calls * (loss_s - open_->expected_loss_s));
  open_.reset();
}

void Trials::note_library(std::uint32_t call, bool tried) {
  library_wait_ = tried ? std::min(4 * library_wait_, longest_library_wait) : first_library_wait;
  library_call_ = call;
}

double Trials::lost_s() const {
  return std::accumulate(lost_s_.begin(), lost_s_.end(), lost_comparing_s_);
}

}  // namespace pat::detail
