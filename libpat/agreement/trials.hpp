#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "collectives/cost/select.hpp"

namespace pat::detail {

/// The calls that a judge makes in order to learn, what they may lose and what they have lost: of a
/// way that may be better, of the library when it was not taken for long, and of several in a row
/// to compare whole steps (Periods). Each kind has a budget of its own.
class Trials {
 public:
  enum class Kind : std::uint8_t { way, library };
  static constexpr std::uint32_t calls_of_a_trial = 2;

  /// How far a stream has come.
  struct Progress {
    double elapsed_s;   ///< since its first decision
    double interval_s;  ///< between two calls; 0: not known
    double call_s;      ///< of which the call takes so much; 0: not known
    double deciding_s;  ///< by how much a decision holds calls up

    double time_in_calls_s() const;
  };
  /// What a trial in `call` may lose.
  Exploration allowed(std::uint32_t call, const Progress& progress) const;
  /// Whether steps may be compared by calls that are expected to lose `loses_s` in all.
  bool may_compare(double loses_s, const Progress& progress) const;
  /// It is done, by `calls`. What one of them really took would say little of all: it stays with
  /// what was expected.
  void compare(std::uint32_t calls, double loses_s);

  /// `calls` from `first` on are done as chosen, which is expected to lose `choice.may_lose_s`
  /// each.
  void begin(Kind kind, std::uint32_t first, std::uint32_t calls, const Selection& choice);
  /// A call of the trial that began with `first` took so long: that is what it has lost.
  void settle(std::uint32_t first, double run_time_s);
  /// The library is due later after a call of its own, and the later the more often that was a
  /// trial in vain.
  void note_library(std::uint32_t call, bool tried);

  /// So far, and the seconds that these are held to have lost against what was known to be best.
  std::uint64_t calls() const { return calls_; }
  double lost_s() const;

 private:
  static constexpr std::uint32_t first_library_wait = 32, longest_library_wait = 1 << 20;

  struct Open {
    Kind kind;
    std::uint32_t first, calls;
    double expected_loss_s, instead_s;
  };

  double lost_s(Kind kind) const { return lost_s_[static_cast<std::size_t>(kind)]; }
  void lose(Kind kind, double loss_s) { lost_s_[static_cast<std::size_t>(kind)] += loss_s; }

  std::array<double, 2> lost_s_{};
  double lost_comparing_s_ = 0.0;
  std::optional<Open> open_;  ///< not yet settled
  std::uint64_t calls_ = 0;
  std::uint32_t library_call_ = 0;  ///< the latest that was decided for the library
  std::uint32_t library_wait_ = first_library_wait;
};

}  // namespace pat::detail
