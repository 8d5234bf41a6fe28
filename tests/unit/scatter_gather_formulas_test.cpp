// The cost formulas of seed 001 (Eqs. 3 to 24) against simulate() under Hockney's model.
//
// N bytes in all, n = N / P in a block. "id 1" is the process that is served first (P/2 in a
// binomial tree that counts from the root), "id 0" the root. The formulas hold as printed, with
// these exceptions, each of which a test below pins down:
//   Eqs. 5, 6 and those built on them (17 to 20) charge three alphas for each leaf. As written in
//     Fig. 9 the go-ahead of a leaf travels while the second piece of the leaf before still
//     arrives, so the printed value is an upper bound: a leaf costs 2 alpha + n beta, the first 3
//     alpha + n beta.
//   Eq. 22 prints (P-1)N/(2P) beta; the late process sends the blocks of P/2 processes, N/2 beta.
//   Eq. 7's "elapsed time" holds for scatter; that of gather is Eq. 8.

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "collectives/algorithm.hpp"
#include "collectives/cost/simulate.hpp"

namespace pat {
namespace {

constexpr double alpha = 25e-6, beta = 8e-9;
constexpr double tolerance = 1e-12;  // seconds; the terms are milliseconds

struct Setting {
  int ranks;
  std::size_t block_bytes;
  double delay_s;
  double P() const { return ranks; }
  double n() const { return static_cast<double>(block_bytes); }
  double N() const { return P() * n(); }
  std::string text() const {
    return "P=" + std::to_string(ranks) + " n=" + std::to_string(block_bytes) +
           " delay=" + std::to_string(delay_s);
  }
};

/// As the paper has it: one leaf at a time, two pieces where the algorithm cuts blocks.
Timing play(Operation operation, const char* algorithm, const Setting& setting,
            const ArrivalPattern& pattern) {
  Problem problem;
  problem.operation = operation;
  problem.ranks = setting.ranks;
  problem.units = setting.block_bytes;
  problem.window = 1;
  problem.segments = 2;
  const Schedule schedule = build_schedule(get_algorithm(operation, algorithm), problem, pattern);
  return simulate(schedule, pattern, {.alpha_s = alpha, .beta_s_per_byte = beta});
}

ArrivalPattern late(int ranks, int rank, double delay_s) {
  ArrivalPattern pattern = ArrivalPattern::flat(ranks);
  pattern.offset_s[rank] = delay_s;
  return pattern;
}

double run_flat(Operation operation, const char* algorithm, const Setting& setting) {
  return play(operation, algorithm, setting, ArrivalPattern::flat(setting.ranks)).run_time_s();
}

double run_late(Operation operation, const char* algorithm, const Setting& setting, int rank) {
  return play(operation, algorithm, setting, late(setting.ranks, rank, setting.delay_s))
      .run_time_s();
}

double elapsed_flat(Operation operation, const char* algorithm, const Setting& setting) {
  return play(operation, algorithm, setting, ArrivalPattern::flat(setting.ranks)).mean_elapsed_s();
}

double r_lin(const Setting& s) {
  return (s.P() - 1) * (alpha + s.n() * beta);
}  // Eq. 3
double e_lin(const Setting& s) {
  return (s.P() + 2) / (2 * s.P()) * r_lin(s);
}  // Eq. 4
double r_ls(const Setting& s) {
  return (s.P() - 1) * (3 * alpha + s.n() * beta);
}  // Eq. 5
double e_ls(const Setting& s) {
  return (s.P() + 2) / (2 * s.P()) * r_ls(s);
}  // Eq. 6
double r_bn(const Setting& s) {  // Eq. 7
  return std::log2(s.P()) * alpha + (s.P() - 1) * s.n() * beta;
}
double e_bn_gather(const Setting& s) {  // Eq. 8
  return (2 * (s.P() - 1) * alpha + std::log2(s.P()) * beta * s.N()) / s.P();
}
/// What Fig. 9 costs: the go-ahead is hidden for all leaves but the first.
double r_ls_as_written(const Setting& s) {
  return alpha + (s.P() - 1) * (2 * alpha + s.n() * beta);
}

/// Block sizes from 5 KB (alpha and n beta of one size) to 175 KB (2 Mi floats over 48 ranks) and
/// delays shorter than one message, shorter than the operation and longer than it.
template <class Check>
void for_each_setting(bool powers_of_two, Check check) {
  for (const int ranks : {2, 3, 4, 8, 16, 48}) {
    if (powers_of_two && (ranks & (ranks - 1)) != 0) continue;
    for (const std::size_t block : {std::size_t{5000}, std::size_t{174762}})
      for (const double share : {0.3, 5.0, 500.0}) {
        const Setting setting{ranks, block, share * (alpha + static_cast<double>(block) * beta)};
        SCOPED_TRACE(setting.text());
        check(setting);
      }
  }
}

constexpr int root = 0, first_leaf = 1;
int first_child(const Setting& s) {
  return s.ranks / 2;
}

TEST(LinearFormulas, FlatRunAndElapsedTime) {
  for_each_setting(false, [](const Setting& s) {
    for (const char* algorithm : {"lin", "slin", "bslin"}) {
      EXPECT_NEAR(run_flat(Operation::scatter, algorithm, s), r_lin(s), tolerance) << algorithm;
      EXPECT_NEAR(elapsed_flat(Operation::scatter, algorithm, s), e_lin(s), tolerance) << algorithm;
    }
    EXPECT_NEAR(run_flat(Operation::gather, "lin", s), r_lin(s), tolerance);
    EXPECT_NEAR(elapsed_flat(Operation::gather, "lin", s), e_lin(s), tolerance);
  });
}

TEST(LinearFormulas, ScatterWithTheFirstLeafLate) {
  for_each_setting(false, [](const Setting& s) {
    const double d = s.delay_s;
    EXPECT_NEAR(run_late(Operation::scatter, "lin", s, first_leaf), d + r_lin(s),
                tolerance);                                           // Eq. 9
    EXPECT_NEAR(run_late(Operation::scatter, "slin", s, first_leaf),  // Eq. 10
                std::max(d + alpha + s.n() * beta, r_lin(s)), tolerance);
    EXPECT_NEAR(run_late(Operation::scatter, "bslin", s, first_leaf),
                std::max(d, r_lin(s)),  // Eq. 11
                tolerance);
  });
}

TEST(LinearFormulas, ScatterWithTheRootLate) {
  for_each_setting(false, [](const Setting& s) {
    for (const char* algorithm : {"lin", "slin", "bslin"})  // Eq. 12
      EXPECT_NEAR(run_late(Operation::scatter, algorithm, s, root), s.delay_s + r_lin(s), tolerance)
          << algorithm;
  });
}

TEST(LinearSynchronisedFormulas, FlatTimesStayUnderThePrintedBound) {
  for_each_setting(false, [](const Setting& s) {
    for (const char* algorithm : {"ls", "sls", "bsls"}) {
      const double run = run_flat(Operation::gather, algorithm, s);
      EXPECT_NEAR(run, r_ls_as_written(s), tolerance) << algorithm;
      EXPECT_LE(run, r_ls(s) + tolerance) << algorithm;  // Eq. 5; equal for a single leaf
      const double elapsed = elapsed_flat(Operation::gather, algorithm, s);
      const double as_written =
          alpha + (s.P() + 2) * (s.P() - 1) * (2 * alpha + s.n() * beta) / (2 * s.P());
      EXPECT_NEAR(elapsed, as_written, tolerance) << algorithm;
      EXPECT_LE(elapsed, e_ls(s) + tolerance) << algorithm;  // Eq. 6
    }
    if (s.ranks == 2) {
      EXPECT_NEAR(run_flat(Operation::gather, "ls", s), r_ls(s), tolerance);
    }
  });
}

TEST(LinearSynchronisedFormulas, OnePieceAndWindowTwoCostOneAlphaForEachLeaf) {
  for_each_setting(false, [](const Setting& s) {
    Problem problem;
    problem.operation = Operation::gather;
    problem.ranks = s.ranks;
    problem.units = s.block_bytes;
    const ArrivalPattern flat = ArrivalPattern::flat(s.ranks);
    for (const char* algorithm : {"ls", "sls", "bsls"}) {
      const Schedule schedule =
          build_schedule(get_algorithm(Operation::gather, algorithm), problem, flat);
      const double run =
          simulate(schedule, flat, {.alpha_s = alpha, .beta_s_per_byte = beta}).run_time_s();
      EXPECT_NEAR(run, alpha + r_lin(s), tolerance) << algorithm;
    }
  });
}

TEST(LinearSynchronisedFormulas, TheFirstLeafLate) {
  for_each_setting(false, [](const Setting& s) {
    const double d = s.delay_s, leaf = 2 * alpha + s.n() * beta;
    const double go_ahead_left = std::max(0.0, alpha - d);
    const double ls = run_late(Operation::gather, "ls", s, first_leaf);
    EXPECT_NEAR(ls, d + go_ahead_left + (s.P() - 1) * leaf, tolerance);
    EXPECT_LE(ls, d + r_ls(s) + tolerance);  // Eq. 17
    for (const char* algorithm : {"sls", "bsls"}) {
      const double run = run_late(Operation::gather, algorithm, s, first_leaf);
      EXPECT_LE(run, std::max(d + 3 * alpha + s.n() * beta, r_ls(s)) + tolerance)
          << algorithm;  // 18
      EXPECT_NEAR(run, std::max(d + leaf, r_ls_as_written(s)), tolerance) << algorithm;
    }
  });
}

TEST(LinearSynchronisedFormulas, TheRootLate) {
  for_each_setting(false, [](const Setting& s) {
    for (const char* algorithm : {"ls", "sls"}) {
      const double run = run_late(Operation::gather, algorithm, s, root);
      EXPECT_NEAR(run, s.delay_s + r_ls_as_written(s), tolerance) << algorithm;
      EXPECT_LE(run, s.delay_s + r_ls(s) + tolerance) << algorithm;  // Eq. 19
    }
    const double background = run_late(Operation::gather, "bsls", s, root);
    EXPECT_NEAR(background, std::max(s.delay_s, r_ls_as_written(s)), tolerance);
    EXPECT_LE(background, std::max(s.delay_s, r_ls(s)) + tolerance);  // Eq. 20
  });
}

TEST(BinomialFormulas, FlatRunAndElapsedTime) {
  for_each_setting(true, [](const Setting& s) {
    for (const char* algorithm : {"bnom", "sbn", "bsbn"}) {
      EXPECT_NEAR(run_flat(Operation::scatter, algorithm, s), r_bn(s), tolerance) << algorithm;
      EXPECT_NEAR(elapsed_flat(Operation::scatter, algorithm, s), r_bn(s), tolerance) << algorithm;
      EXPECT_NEAR(run_flat(Operation::gather, algorithm, s), r_bn(s), tolerance) << algorithm;
      EXPECT_NEAR(elapsed_flat(Operation::gather, algorithm, s), e_bn_gather(s), tolerance)
          << algorithm;
    }
  });
}

TEST(BinomialFormulas, OtherProcessCountsStayUnderTheNextPowerOfTwo) {
  for (const int ranks : {3, 5, 6, 7, 11, 12, 48}) {
    const Setting s{ranks, 20000, 0.0};
    const double at_most = std::ceil(std::log2(s.P())) * alpha + (s.P() - 1) * s.n() * beta;
    for (const Operation operation : {Operation::scatter, Operation::gather})
      for (const char* algorithm : {"bnom", "sbn", "bsbn"})
        EXPECT_LE(run_flat(operation, algorithm, s), at_most + tolerance)
            << name(operation) << " " << algorithm << " " << s.text();
  }
}

TEST(BinomialFormulas, ScatterWithTheFirstChildLate) {
  for_each_setting(true, [](const Setting& s) {
    const double d = s.delay_s;
    EXPECT_NEAR(run_late(Operation::scatter, "bnom", s, first_child(s)), d + r_bn(s),  // Eq. 13
                tolerance);
    EXPECT_NEAR(run_late(Operation::scatter, "sbn", s, first_child(s)),  // Eq. 14
                std::max(d + alpha + s.n() * beta, r_bn(s)), tolerance);
    EXPECT_NEAR(run_late(Operation::scatter, "bsbn", s, first_child(s)),
                std::max(d, r_bn(s)),  // 15
                tolerance);
  });
}

TEST(BinomialFormulas, ScatterWithTheRootLate) {
  for_each_setting(true, [](const Setting& s) {
    for (const char* algorithm : {"bnom", "sbn", "bsbn"})  // Eq. 16
      EXPECT_NEAR(run_late(Operation::scatter, algorithm, s, root), s.delay_s + r_bn(s), tolerance)
          << algorithm;
  });
}

TEST(BinomialFormulas, GatherWithTheFirstChildLate) {
  for_each_setting(true, [](const Setting& s) {
    const double d = s.delay_s;
    for (const char* algorithm : {"bnom", "sbn"})  // Eq. 21
      EXPECT_NEAR(run_late(Operation::gather, algorithm, s, first_child(s)), d + r_bn(s), tolerance)
          << algorithm;
    const double run = run_late(Operation::gather, "bsbn", s, first_child(s));
    EXPECT_NEAR(run, std::max(d + alpha + s.N() / 2 * beta, r_bn(s)), tolerance);
    // Eq. 22 as printed is too small by N beta / (2P) once the delay decides.
    const double printed = std::max(d + alpha + (s.P() - 1) * s.N() / (2 * s.P()) * beta, r_bn(s));
    if (d + alpha + s.N() / 2 * beta > r_bn(s)) {
      EXPECT_GT(run, printed + tolerance);
    } else {
      EXPECT_NEAR(run, printed, tolerance);
    }
  });
}

TEST(BinomialFormulas, GatherWithTheRootLate) {
  for_each_setting(true, [](const Setting& s) {
    for (const char* algorithm : {"bnom", "sbn"})  // Eq. 23
      EXPECT_NEAR(run_late(Operation::gather, algorithm, s, root), s.delay_s + r_bn(s), tolerance)
          << algorithm;
    EXPECT_NEAR(run_late(Operation::gather, "bsbn", s, root), std::max(s.delay_s, r_bn(s)),  // 24
                tolerance);
  });
}

/// Leaves hold no more than their own block, inner processes no more than their subtree, and each
/// byte is copied at most once between scratch and the user's buffers.
TEST(ScatterGather, CopiesNoMoreThanTheTreeRequires) {
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.build == nullptr) continue;
    if (algorithm.operation != Operation::gather && algorithm.operation != Operation::scatter)
      continue;
    for (const int ranks : {2, 7, 16, 33})
      for (const int top : {0, ranks / 2}) {
        Problem problem;
        problem.operation = algorithm.operation;
        problem.ranks = ranks;
        problem.root = top;
        problem.units = 10;
        ArrivalPattern pattern = ArrivalPattern::flat(ranks);
        for (int r = 0; r < ranks; ++r) pattern.offset_s[r] = (r * 7 % ranks) * 1e-3;
        const Schedule schedule = build_schedule(algorithm, problem, pattern);
        for (int rank = 0; rank < ranks; ++rank) {
          const Program& program = schedule.programs[rank];
          std::size_t copied = 0, sent = 0, received = 0;
          for (const Op& op : program.ops) {
            if (op.kind == OpKind::copy) copied += op.target.length;
            if (op.kind == OpKind::send) sent += op.source.length;
            if (op.kind == OpKind::recv) received += op.target.length;
          }
          const bool leaf = rank != top && (sent == 0 || received == 0);
          SCOPED_TRACE(std::string(name(algorithm.operation)) + " " + algorithm.name +
                       " P=" + std::to_string(ranks) + " rank=" + std::to_string(rank));
          if (leaf) {
            EXPECT_EQ(program.scratch_units, 0u);
            EXPECT_EQ(copied, 0u);
          } else if (rank != top) {
            EXPECT_EQ(program.scratch_units, std::max(sent, received));
            EXPECT_EQ(copied, problem.units);
          } else {
            EXPECT_EQ(copied, program.scratch_units + problem.units);
            if (!algorithm.needs_all_counts) {
              EXPECT_EQ(program.scratch_units, 0u);
            }
            if (algorithm.name == "bnom" && top == 0) {
              EXPECT_EQ(program.scratch_units, 0u);
            }
          }
        }
      }
  }
}

}  // namespace
}  // namespace pat
