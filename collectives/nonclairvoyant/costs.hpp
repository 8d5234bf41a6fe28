#pragma once

#include <span>
#include <string>
#include <vector>

namespace pat::nonclairvoyant {

/// What communications and computations cost on processors that differ, in any one unit of time.
struct Platform {
  int processors = 0;
  std::vector<double> communication;  ///< d(i,j), row i after row i - 1; the diagonal is not used
  std::vector<double> computation;    ///< c(i)
  double d(int from, int to) const {
    return communication[static_cast<std::size_t>(from) * static_cast<std::size_t>(processors) +
                         static_cast<std::size_t>(to)];
  }
  double c(int at) const { return computation[static_cast<std::size_t>(at)]; }
};

/// Reads n lines of n numbers, d(i,j) in line i, and, if there is one, a line of n numbers more,
/// c(i) (else all are 0). Blanks, tabs or commas stand between numbers; what follows a # is a
/// remark, a - on the diagonal is taken. Throws Error(argument) that names the line.
Platform parse_platform(const std::string& text);

struct Message {
  int from, to;
};

/// What the operations of one run cost, in the order in which they begin: all methods of a run see
/// the same (Benoit, Canon, Marchal 2013, Section 6). Methods ask once for each operation, when it
/// begins.
struct Costs {
  std::span<const double> communication;     ///< of the k-th that begins; at least n - 1
  std::span<const double> computation;       ///< likewise; all 0 where computing costs nothing
  const Platform* platform = nullptr;        ///< what the two are factors of; none: they are costs
  std::vector<Message>* messages = nullptr;  ///< gets each communication as it begins; none: untold

  double of_communication(int k, int from, int to) const {
    const double cost = communication[static_cast<std::size_t>(k)];
    if (messages != nullptr) messages->push_back({from, to});
    return platform == nullptr ? cost : cost * platform->d(from, to);
  }
  double of_computation(int k, int at) const {
    const double cost = computation[static_cast<std::size_t>(k)];
    return platform == nullptr ? cost : cost * platform->c(at);
  }
};

}  // namespace pat::nonclairvoyant
