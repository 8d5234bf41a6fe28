#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace pat::detail {

/// What a program's steps take, from the end of one call of a stream to the end of the next, by
/// whether PAT does its calls or the library. No call tells what a way costs outside of it:
/// processes that are held together or drift apart compute at other speeds, and what PAT does
/// beside a program takes time of it. So now and then some calls in a row go the other way than
/// usual, and where steps are shorter then than before and after, that becomes the usual way. No
/// MPI here.
class Periods {
 public:
  /// So many calls go the other way, in two decisions; of a longer one, what its middle call took
  /// is all that the leader hears.
  static constexpr std::uint32_t calls_of_a_comparison = 16,
                                 calls_of_a_half = calls_of_a_comparison / 2;
  /// After so many calls a comparison is due; where nothing changes by it, the next one after four
  /// times as many, but not more than that.
  static constexpr std::uint32_t first_wait = 128, longest_wait = 2048;

  /// From `call` on calls are the library's, or PAT's. To be told in order, after what is known of
  /// the calls before.
  void go(std::uint32_t call, bool library);
  /// A call was over at the mean of its processes' exits, seconds on a clock that goes on.
  void over(std::uint32_t call, double at_s);

  /// Enough is known of what steps usually take, and a comparison is due before `call`.
  bool is_due(std::uint32_t call) const;
  /// It begins with `call`.
  void compare(std::uint32_t call);
  /// Of the half of a comparison that `call` is in, how many calls are left; 0: in none.
  std::uint32_t compared_calls_left(std::uint32_t call) const;
  /// The call is to be the library's: steps were shorter so, or that is what is compared.
  bool wants_library(std::uint32_t call) const;

  /// The comparison made last said so.
  bool library_is_better() const { return library_is_better_; }
  /// What a step takes with PAT's calls and with the library's, as compared last; 0: not yet.
  double pat_s() const { return pat_s_; }
  double library_s() const { return library_s_; }

 private:
  /// Steps in a row: what they take is the time between two calls' ends.
  class Span {
   public:
    void note(std::uint32_t call, double at_s);
    /// Calls before this one do not count.
    void begin(std::uint32_t call);
    void go_on_from_here() { begin_ = latest_; }
    std::uint32_t steps() const { return begin_ ? latest_.call - begin_->call : 0; }
    double step_s() const { return (latest_.at_s - begin_->at_s) / steps(); }

   private:
    struct End {
      std::uint32_t call;
      double at_s;
    };
    std::uint32_t from_ = 0;
    std::optional<End> begin_;
    End latest_{};
  };

  /// Calls that go the other way, from `from` on, until they are judged: some processes tell of the
  /// last of them when calls go the usual way again.
  struct Comparison {
    std::uint32_t from;
    Span span;
    bool spoilt = false;  ///< some went the usual way
    std::size_t blocks_since = 0;
    bool has(std::uint32_t call) const { return call - from < calls_of_a_comparison; }
  };

  void close_block();
  void judge();
  bool is_shorter(double compared_s) const;

  /// Blocks of the usual way: of so many the mean steps are kept, so many are needed, and so many
  /// must follow a comparison.
  static constexpr std::size_t most_blocks = 8, least_blocks = 5, blocks_afterwards = 2;

  /// The first calls of another way are still under the influence of those before. A block has as
  /// many calls as are measured of a comparison, or steps that are long by turns would be as many
  /// in all blocks and more or fewer in that.
  static constexpr std::uint32_t settling_calls = 4, calls_of_a_block = calls_of_a_half;

  bool goes_to_library_ = true;
  Span span_;
  bool usual_is_library_ = true;  ///< in these blocks:
  std::vector<double> blocks_;    ///< what a step took
  double block_calls_ = 0.0;      ///< of how many a block is, a mean of the latest

  std::optional<Comparison> comparison_;
  std::uint32_t last_compared_ = 0, wait_ = first_wait;
  bool library_is_better_ = false;
  double pat_s_ = 0.0, library_s_ = 0.0;
};

}  // namespace pat::detail
