// PAT_REPRODUCIBLE=any-order, without MPI: every reduction that is registered, on 2 to 32
// processes, under many arrival patterns, with its operations done in an order drawn anew each
// time, ends with the bits of the sum in rank order. ORDER_FREE_PATTERNS: how many patterns a
// number of processes (default 6).

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "collectives/algorithm.hpp"
#include "collectives/operation_row.hpp"
#include "core/binned_sum.hpp"

namespace pat {
namespace {

using Bytes = std::vector<std::byte>;

/// Runs a schedule on accumulators: of the operations that may begin, any one is the next.
template <class T>
class NumericRun {
 public:
  NumericRun(const Schedule& schedule, const std::vector<Bytes>& sent, std::mt19937_64& random)
      : schedule_(schedule), random_(random) {
    for (int rank = 0; rank < schedule.problem.ranks; ++rank)
      ranks_.push_back(begin(rank, sent[static_cast<std::size_t>(rank)]));
  }

  /// What each rank has received.
  std::vector<Bytes> run() {
    while (!ready_.empty()) {
      std::swap(ready_[random_() % ready_.size()], ready_.back());
      const Place next = ready_.back();
      ready_.pop_back();
      step(next);
    }
    std::vector<Bytes> received;
    for (Rank& rank : ranks_) received.push_back(std::move(rank.buffers[1]));
    return received;
  }

 private:
  struct Place {
    int rank = 0;
    OpId id = 0;
  };
  struct Rank {
    Bytes buffers[3];
    std::vector<std::size_t> waiting;
    std::vector<std::vector<OpId>> dependents;
  };
  using Channel = std::tuple<int, int, std::uint32_t>;

  Rank begin(int rank, const Bytes& sent) {
    const Program& program = schedule_.programs[static_cast<std::size_t>(rank)];
    Rank state{{sent, Bytes(recv_units(schedule_.problem, rank) * BinnedSum<T>::bytes),
                Bytes(program.scratch_units * BinnedSum<T>::bytes)},
               {},
               std::vector<std::vector<OpId>>(program.ops.size())};
    for (OpId id = 0; id < program.ops.size(); ++id) {
      state.waiting.push_back(program.ops[id].after.size());
      for (const OpId before : program.ops[id].after) state.dependents[before].push_back(id);
      if (program.ops[id].after.empty()) ready_.push_back({rank, id});
    }
    return state;
  }

  const Op& op(Place at) const {
    return schedule_.programs[static_cast<std::size_t>(at.rank)].ops[at.id];
  }
  std::byte* at(int rank, const Slice& slice) {
    Bytes& buffer =
        ranks_[static_cast<std::size_t>(rank)].buffers[static_cast<std::size_t>(slice.buffer)];
    return buffer.data() + slice.offset * BinnedSum<T>::bytes;
  }
  void copy(const std::byte* from, std::byte* to, std::size_t units) {
    if (units > 0) std::memmove(to, from, units * BinnedSum<T>::bytes);
  }

  void step(Place here) {
    const Op& o = op(here);
    if (o.kind == OpKind::send || o.kind == OpKind::recv) return meet(here, o);
    if (o.kind == OpKind::copy)
      copy(at(here.rank, o.source), at(here.rank, o.target), o.source.length);
    if (o.kind == OpKind::reduce && o.source.length > 0)
      BinnedSum<T>::add(at(here.rank, o.source), at(here.rank, o.target), o.source.length);
    finish(here);
  }

  void meet(Place here, const Op& o) {
    const bool sends = o.kind == OpKind::send;
    const Channel channel =
        sends ? Channel{here.rank, o.peer, o.tag} : Channel{o.peer, here.rank, o.tag};
    const auto [other, first] = waiting_.try_emplace(channel, here);
    if (first) return;
    const Place from = sends ? here : other->second, to = sends ? other->second : here;
    waiting_.erase(other);
    copy(at(from.rank, op(from).source), at(to.rank, op(to).target), op(from).source.length);
    finish(from);
    finish(to);
  }

  void finish(Place done) {
    Rank& rank = ranks_[static_cast<std::size_t>(done.rank)];
    for (const OpId next : rank.dependents[done.id])
      if (--rank.waiting[next] == 0) ready_.push_back({done.rank, next});
  }

  const Schedule& schedule_;
  std::mt19937_64& random_;
  std::vector<Rank> ranks_;
  std::vector<Place> ready_;
  std::map<Channel, Place> waiting_;
};

/// Numbers of many magnitudes and both signs, some of which cancel.
template <class T>
std::vector<T> numbers(std::size_t count, int rank, std::mt19937_64& random) {
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double mantissa = static_cast<double>(random() >> 11) * 0x1p-52 - 1.0;
    values[i] = static_cast<T>(std::ldexp(mantissa, static_cast<int>(random() % 61) - 30));
    if (i % 5 == 0) values[i] = static_cast<T>(rank % 2 == 0 ? 1e8 : -1e8);
  }
  return values;
}

/// Ranks are late in most ways there are: none, one, all by chance, in steps, with ties.
ArrivalPattern pattern_of(int kind, int ranks, std::mt19937_64& random) {
  ArrivalPattern pattern = ArrivalPattern::flat(ranks);
  std::uniform_real_distribution<double> uniform(0.0, 0.02);
  const int late = static_cast<int>(random() % static_cast<unsigned>(ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    double& offset_s = pattern.offset_s[static_cast<std::size_t>(rank)];
    if (kind % 5 == 1) offset_s = rank == late ? 0.01 : 0.0;
    if (kind % 5 >= 2) offset_s = uniform(random);
    if (kind % 5 == 4) offset_s = 0.001 * std::floor(1000 * offset_s / 5);
  }
  return pattern;
}

int patterns_to_try() {
  const char* asked = std::getenv("ORDER_FREE_PATTERNS");
  return asked != nullptr ? std::atoi(asked) : 6;
}

class OrderFreeSchedules : public testing::TestWithParam<const Algorithm*> {
 protected:
  template <class T>
  void expect_same_bits(int ranks, int kind) {
    const Algorithm& algorithm = *GetParam();
    std::mt19937_64 random(static_cast<std::uint64_t>(1000 * ranks + kind));
    Problem problem;
    problem.operation = algorithm.operation;
    problem.ranks = ranks;
    problem.root = static_cast<int>(random() % static_cast<unsigned>(ranks));
    if (!row(problem.operation).rooted) problem.root = 0;
    problem.units = 1 + random() % 40;
    problem.unit_bytes = BinnedSum<T>::bytes;
    const ArrivalPattern pattern = pattern_of(kind, ranks, random);
    const std::size_t numbers_sent = send_units(problem, 0);
    std::vector<Bytes> sent;
    std::vector<std::vector<T>> wanted;  // the sums up to each rank
    Bytes sums;
    for (int rank = 0; rank < ranks; ++rank) {
      Bytes one(numbers_sent * BinnedSum<T>::bytes);
      BinnedSum<T>::deposit(numbers<T>(numbers_sent, rank, random), one.data());
      if (rank == 0)
        sums = one;
      else
        BinnedSum<T>::add(one.data(), sums.data(), numbers_sent);
      sent.push_back(std::move(one));
      wanted.emplace_back(numbers_sent);
      BinnedSum<T>::round(sums.data(), wanted.back());
    }
    const Schedule schedule = build_schedule(algorithm, problem, pattern);
    const std::vector<Bytes> received = NumericRun<T>(schedule, sent, random).run();
    int ends = 0, receivers = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      receivers += has_buffer(row(problem.operation).recv->at, rank, problem.root);
      std::vector<T> found(recv_units(problem, rank));
      if (found.empty()) continue;
      BinnedSum<T>::round(received[static_cast<std::size_t>(rank)].data(), found);
      const Promised promised = row(problem.operation).promised(problem, rank, 0);
      const std::vector<T>& sum = wanted[static_cast<std::size_t>(promised.last - 1)];
      ASSERT_EQ(std::memcmp(found.data(), &sum[promised.unit], found.size() * sizeof(T)), 0)
          << algorithm.name << " P=" << ranks << " pattern " << kind << " of " << sizeof(T);
      ++ends;
    }
    ASSERT_EQ(ends, receivers);
  }
};

TEST_P(OrderFreeSchedules, HaveTheBitsOfTheSumInRankOrder) {
  for (int ranks = 2; ranks <= 32; ++ranks)
    for (int kind = 0; kind < patterns_to_try(); ++kind) {
      kind % 2 == 0 ? expect_same_bits<double>(ranks, kind) : expect_same_bits<float>(ranks, kind);
      if (HasFatalFailure()) return;
    }
}

std::vector<const Algorithm*> combining() {
  std::vector<const Algorithm*> list;
  for (const Algorithm& algorithm : algorithms())
    if (row(algorithm.operation).combines && algorithm.build != nullptr) list.push_back(&algorithm);
  return list;
}

INSTANTIATE_TEST_SUITE_P(Registered, OrderFreeSchedules, testing::ValuesIn(combining()),
                         [](const auto& test) {
                           std::string text =
                               std::string(name(test.param->operation)) + "_" + test.param->name;
                           std::ranges::replace(text, '-', '_');
                           return text;
                         });

}  // namespace
}  // namespace pat
