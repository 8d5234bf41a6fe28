#include "collectives/nonclairvoyant/markov.hpp"

#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/errors.hpp"

namespace pat::nonclairvoyant {
namespace {

/// Where a chain goes, and how often in a unit of time.
template <class State>
using Steps = std::vector<std::pair<State, double>>;

/// Mean and second moment of the time to the end, state by state. A chain here never comes back to
/// a state, so that a look at each state after its followers is enough.
template <class State, class StepsOf>
class FirstSteps {
 public:
  explicit FirstSteps(StepsOf steps_of) : steps_of_(std::move(steps_of)) {}

  Expectation from(const State& start) {
    const Times times = times_of(start);
    return {times.mean, times.square - times.mean * times.mean};
  }

 private:
  struct Times {
    double mean = 0.0, square = 0.0;
  };

  /// T = S + T', where the stay S is exponential with the sum of the rates, and T' that from where
  /// the first step leads.
  Times times_of(const State& state) {
    if (const auto known = known_.find(state); known != known_.end()) return known->second;
    const Steps<State> steps = steps_of_(state);
    double rate = 0.0;
    for (const auto& step : steps) rate += step.second;
    Times times;
    if (!steps.empty()) {
      Times then;
      for (const auto& [next, its_rate] : steps) {
        const Times rest = times_of(next);
        then.mean += its_rate / rate * rest.mean;
        then.square += its_rate / rate * rest.square;
      }
      times.mean = 1.0 / rate + then.mean;
      times.square = 2.0 / (rate * rate) + 2.0 / rate * then.mean + then.square;
    }
    return known_[state] = times;
  }

  StepsOf steps_of_;
  std::map<State, Times> known_;
};

template <class State, class StepsOf>
Expectation solve(const State& start, StepsOf steps_of) {
  return FirstSteps<State, StepsOf>(std::move(steps_of)).from(start);
}

/// Communications and computations under way, processors in the slot.
using Counts = std::tuple<int, int, int>;

/// One more processor is idle.
Counts with_idle(int communications, int computations, int slot) {
  return slot == 0 ? Counts{communications, computations, 1}
                   : Counts{communications + 1, computations, 0};
}

/// Values from left to right: idle, on its way to the neighbour with which it is one from then on,
/// being combined.
constexpr char idle = 'i', sent = 's', combined = 'c';

/// The value at `place` is idle from now on: it goes to its left neighbour if that is idle, else to
/// the right one, as in neighbours.cpp.
std::string with_idle(std::string values, std::size_t place) {
  values[place] = idle;
  if (place > 0 && values[place - 1] == idle)
    values.replace(place - 1, 2, 1, sent);
  else if (place + 1 < values.size() && values[place + 1] == idle)
    values.replace(place, 2, 1, sent);
  return values;
}

}  // namespace

Expectation tree_dyn_chain(int processors, double d, double c) {
  const auto steps_of = [&](const Counts& counts) {
    const auto [communications, computations, slot] = counts;
    Steps<Counts> steps;
    if (communications > 0)
      steps.push_back({c > 0.0 ? Counts{communications - 1, computations + 1, slot}
                               : with_idle(communications - 1, 0, slot),
                       communications / d});
    if (computations > 0)
      steps.push_back({with_idle(communications, computations - 1, slot), computations / c});
    return steps;
  };
  return solve(Counts{processors / 2, 0, processors % 2}, steps_of);
}

Expectation non_commut_chain(int processors, double d, double c) {
  if (processors > most_in_non_commut_chain)
    throw Error(ErrorKind::argument, "the chain of " + std::to_string(processors) +
                                         " processors is too large, give at most " +
                                         std::to_string(most_in_non_commut_chain));
  const auto steps_of = [&](const std::string& values) {
    Steps<std::string> steps;
    for (std::size_t place = 0; place < values.size(); ++place) {
      if (values[place] == sent) {
        std::string next = values;
        next[place] = combined;
        steps.push_back({c > 0.0 ? next : with_idle(values, place), 1.0 / d});
      } else if (values[place] == combined) {
        steps.push_back({with_idle(values, place), 1.0 / c});
      }
    }
    return steps;
  };
  return solve(std::string(static_cast<std::size_t>(processors / 2), sent) +
                   std::string(static_cast<std::size_t>(processors % 2), idle),
               steps_of);
}

}  // namespace pat::nonclairvoyant
