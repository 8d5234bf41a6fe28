#pragma once

#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include "collectives/cost/simulate.hpp"
#include "collectives/operation.hpp"

namespace pat::simulated {

struct Network {
  std::string name;
  int ranks;
  CostModel truth;
  double delay_s = 10e-3;    ///< about what a vector of 1 MiB takes on a link
  bool shared_known = true;  ///< PAT_Init has measured what all share
};

struct Cell {
  Network network;
  Operation operation;
  std::size_t bytes;  ///< in all
  std::string pattern;
  double delay_s;
  double edge;  ///< 0: none

  std::string label() const { return line(9); }
  /// What the hidden factors are drawn from: not to change with the looks of the table.
  std::string key() const { return line(7); }
  /// Of cells of other sizes, whose factors are mostly the same: in place of the size's part.
  std::string key_of_all_sizes() const {
    Cell any = *this;
    any.bytes = 0;
    return any.line(7);
  }
  bool changes() const { return pattern == "change"; }
  /// Equal arrivals for half of the calls.
  bool changes_once() const { return pattern == "then-unif"; }

 private:
  std::string line(int operation_width) const;
};

/// Computing times of one call.
std::vector<double> computing_s(const Cell& cell, int call, int calls, std::mt19937_64& random);

/// The networks of these names. Throws Error(argument) for one that is none.
std::vector<Network> networks_of(const std::vector<std::string>& names);

/// What the cells of a table are made of.
struct Choice {
  std::vector<Network> networks;
  std::vector<Operation> operations;
  std::vector<std::size_t> sizes;
  std::vector<double> edges;
  bool leases = false;  ///< only what they matter for
};

std::vector<Cell> cells(const Choice& choice);
/// Cells of a program that makes calls of several sizes in turn.
std::vector<std::vector<Cell>> cells_of_several_sizes(const Choice& choice);

}  // namespace pat::simulated
