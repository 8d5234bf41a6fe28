// The parts of the agreement protocol that need no MPI: leader, decisions on the wire.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <map>

#include "collectives/cost/calibration.hpp"
#include "collectives/operation_row.hpp"
#include "core/errors.hpp"
#include "libpat/agreement/choice.hpp"
#include "libpat/agreement/clock_question.hpp"
#include "libpat/agreement/decision.hpp"
#include "libpat/agreement/kept_program.hpp"
#include "libpat/agreement/leader.hpp"
#include "libpat/agreement/reasons.hpp"
#include "libpat/agreement/recall.hpp"
#include "libpat/agreement/report_tree.hpp"

namespace pat::detail {
namespace {

Report report(std::uint32_t call, double arrival_ms, double forecast_ms = -1.0,
              std::uint32_t flags = 0) {
  Report r;
  r.call = call;
  r.arrival_ns = static_cast<std::int64_t>(arrival_ms * 1e6);
  r.forecast_s = static_cast<float>(forecast_ms * 1e-3);
  r.flags = flags;
  return r;
}

TEST(Leader, UsesWhatWasReported) {
  Leader leader(3, 64);
  leader.take(0, report(5, 1010));
  leader.take(1, report(5, 1000));
  leader.take(2, report(5, 1030));
  const ArrivalPattern pattern = leader.pattern(5);
  EXPECT_NEAR(pattern.offset_s[0], 0.010, 1e-9);
  EXPECT_NEAR(pattern.offset_s[1], 0.000, 1e-9);
  EXPECT_NEAR(pattern.offset_s[2], 0.030, 1e-9);
  EXPECT_EQ(leader.first_arrival_ns(5), 1'000'000'000);
  EXPECT_FALSE(leader.first_arrival_ns(6).has_value());
  EXPECT_EQ(leader.computing_s(), 0.0) << "nobody has told";
}

TEST(Leader, KnowsHowLongIsComputedBeforeACall) {
  Leader leader(3, 64);
  leader.take(0, report(5, 1010, 30.0));
  leader.take(1, report(5, 1000, 20.0));
  leader.take(2, report(5, 1030, 50.0));
  EXPECT_NEAR(leader.computing_s(), 0.030, 1e-6);
}

TEST(Leader, FillsGapsFromHistory) {
  Leader leader(3, 64);
  leader.take(2, report(4, 500, 40));   // of the call before: computes 40 ms
  leader.take(0, report(5, 1010, 10));  // began at 1000
  leader.take(1, report(5, 1020, 20));  // began at 1000
  const ArrivalPattern pattern = leader.pattern(5);
  EXPECT_NEAR(pattern.offset_s[1], 0.010, 1e-6);
  EXPECT_NEAR(pattern.offset_s[2], 0.030, 1e-6) << "began at 1000 like the others, takes 40 ms";
}

TEST(Leader, KnowsNothingAndSaysSo) {
  Leader leader(2, 64);
  const ArrivalPattern pattern = leader.pattern(1);
  EXPECT_EQ(pattern.offset_s, (std::vector<double>{0.0, 0.0}));
  EXPECT_TRUE(std::isinf(pattern.half_width_s[0]));
}

TEST(Leader, MendsWhatIsNoTime) {
  Leader leader(3, 64);
  Report broken = report(1, 10);
  broken.forecast_s = NAN;
  broken.half_width_s = NAN;
  leader.take(0, broken);
  leader.take(1, report(1, -5));
  leader.take(2, report(1, 20, INFINITY));
  for (const double offset_s : leader.pattern(1).offset_s) {
    EXPECT_TRUE(std::isfinite(offset_s));
    EXPECT_GE(offset_s, 0.0);
  }
}

TEST(Leader, IgnoresOldReportsAndKeepsArrivals) {
  Leader leader(1, 64);
  leader.take(0, report(3, 100, -1, Report::arrived));
  leader.take(0, report(2, 700));
  leader.take(0, report(3, 900));
  EXPECT_EQ(leader.first_arrival_ns(3), 100'000'000);
  EXPECT_TRUE(leader.complete(3));
  EXPECT_FALSE(leader.complete(4));
}

Decision decision_at(std::vector<double> offsets_s) {
  Decision decision;
  set_pattern(decision, ArrivalPattern{std::move(offsets_s), {}, 0});
  return decision;
}

TEST(Lease, GrowsWhileThePatternIsStableUpToItsLimit) {
  Leader leader(2, 8);
  for (const std::uint32_t expected : {1u, 2u, 4u, 8u, 8u})
    EXPECT_EQ(leader.lease(decision_at({0.0, 0.010}), true), expected);
  EXPECT_EQ(leader.lease(decision_at({0.0, 0.0101}), true), 8u) << "a move of 1 % is no change";
  EXPECT_EQ(leader.lease(decision_at({0.010, 0.0}), true), 1u) << "the order has turned";
  EXPECT_EQ(leader.lease(decision_at({0.0, 0.020}), false), 2u) << "an algorithm that ignores it";
  for (const std::uint32_t expected : {4u, 4u, 4u})
    EXPECT_EQ(leader.lease(decision_at({0.0, 0.0}), false, false), expected) << "arrivals unknown";
  EXPECT_EQ(leader.lease(decision_at({0.0, 0.0}), false), 8u) << "known again";
}

TEST(Lease, IsNotEndedByAnArrivalAtTheBorderOfATick) {
  Leader leader(2, 8);
  const auto coarse = [](double offset_s) {
    Decision decision;
    set_pattern(decision, ArrivalPattern{{0.0, offset_s}, {}, 0}, 0.0078125);
    return decision;
  };
  EXPECT_EQ(leader.lease(coarse(0.0156), true), 1u);
  EXPECT_EQ(leader.lease(coarse(0.0157), true), 2u) << "one tick more";
  EXPECT_EQ(leader.lease(coarse(0.0350), true), 1u);
}

TEST(Decision, SaysHowCloselyTheForecastIsRead) {
  const ArrivalPattern forecast{{0.010, 0.013, 0.042, 0.0}, {}, 0};
  for (const double tick_s : {0.0078125, 0.001, 0.3}) {
    Decision decision;
    set_pattern(decision, forecast, tick_s);
    EXPECT_EQ(decision.tick_s, tick_s);
    EXPECT_EQ(decision.pattern().offset_s, in_ticks(forecast, tick_s).offset_s);
  }
  Decision blind;
  set_pattern(blind, forecast, std::numeric_limits<double>::infinity());
  EXPECT_EQ(blind.pattern().offset_s, std::vector<double>(4, 0.0));
}

/// What a stream that the user has given to clairvoyant makes of 8 processes of which one is late
/// by 30 rounds.
Selection forced(double half_width_in_rounds, bool spread) {
  Problem problem;
  problem.operation = Operation::reduce;
  problem.ranks = 8;
  problem.units = 1 << 16;
  problem.unit_bytes = 8;
  Config config;
  config.segments = 16;
  const double round_s = problem.cost.round_s((1 << 19) / 16.0);
  ArrivalPattern forecast = ArrivalPattern::flat(8);
  for (std::size_t r = 0; r < 8; ++r)
    forecast.offset_s[r] = (spread ? 4.0 * static_cast<double>(r) : r == 5 ? 30.0 : 0.0) * round_s;
  forecast.half_width_s.assign(8, half_width_in_rounds * round_s);
  std::optional<Prices> prices;
  return choose(problem, forecast, config, {}, &get_algorithm(Operation::reduce, "clairvoyant"),
                true, prices);
}

TEST(Choice, PricesGathersWithTheMeasuredIncastAndOthersWithWhatLeavesUnasked) {
  Problem problem;
  problem.ranks = 16;
  problem.units = 100000;
  Calibration calibration;
  calibration.incast = {{1000, 1e-6}, {80000, 2e-3}};
  calibration.eager_bytes = 60000;
  EXPECT_EQ(parse_calibration(to_json(calibration)).eager_bytes, 60000u);
  EXPECT_EQ(calibration.stall_s(900), 1e-6);
  EXPECT_EQ(parse_calibration(to_json(calibration)).stall_s(100000), 2e-3);
  ArrivalPattern late = ArrivalPattern::flat(16);
  late.offset_s[0] = 0.05;
  for (const Operation operation : {Operation::gather, Operation::scatter, Operation::reduce}) {
    problem.operation = operation;
    std::optional<Prices> with, without;
    choose(problem, late, {}, calibration, nullptr, true, with);
    choose(problem, late, {}, {}, nullptr, true, without);
    EXPECT_EQ(with->model.incast_stall_s, operation == Operation::gather ? 2e-3 : 0.0);
    EXPECT_EQ(without->model.incast_stall_s, 0.0);
    EXPECT_EQ(with->model.eager_bytes, operation == Operation::gather ? 0u : 60000u);
  }
}

TEST(Choice, OfTheUserIsKeptButAPoorForecastIsReadCoarsely) {
  for (const bool spread : {false, true}) {
    EXPECT_EQ(forced(1, spread).tick_s, 0.0);
    EXPECT_TRUE(std::isinf(forced(40, spread).tick_s)) << forced(40, spread).reason;
    EXPECT_EQ(forced(40, spread).algorithm->name, "clairvoyant");
  }
  EXPECT_TRUE(std::isinf(forced(8, true).tick_s));
  EXPECT_GT(forced(8, false).tick_s, 0.0);
  EXPECT_TRUE(std::isfinite(forced(8, false).tick_s)) << forced(8, false).reason;
}

TEST(Choice, LeavesEveryReproducibleCallThatCombinesToTheLibrary) {
  Config config;
  for (const OperationRow& one : operation_rows()) {
    Problem problem;
    problem.operation = one.operation;
    problem.ranks = 8;
    problem.units = 1 << 16;
    problem.fixed_order = one.combines;
    std::optional<Prices> prices;
    const Selection selection =
        choose(problem, ArrivalPattern::flat(8), config, {}, nullptr, true, prices);
    EXPECT_EQ(selection.reason.starts_with("reproducible"), one.combines)
        << std::string(one.name) << ": " << selection.reason;
  }
}

TEST(Choice, OfTheUserMakesWayForTheOperationsFixedOrder) {
  const std::map<std::string, std::string> fixed = {{"reduce", "bnom"},
                                                    {"allreduce", "rabenseifner"},
                                                    {"reduce-scatter", "pairwise"},
                                                    {"scan", "recursive-doubling"},
                                                    {"exscan", "recursive-doubling"}};
  for (const Algorithm& algorithm : algorithms()) {
    const std::string operation(name(algorithm.operation));
    SCOPED_TRACE(operation + " " + algorithm.name);
    CallSignature call{.operation = algorithm.operation};
    EXPECT_EQ(fit_for(call, algorithm).name, algorithm.name);
    const bool moves =
        !fixed.contains(operation) || (!algorithm.uses_pattern && algorithm.build != nullptr);
    call.fixed_order = fixed.contains(operation);
    EXPECT_EQ(fit_for(call, algorithm).name, moves ? algorithm.name : fixed.at(operation));
    call.fixed_order = false;
    call.commutative = false;
    const std::string ordered = algorithm.needs_commutative ? fixed.at(operation) : algorithm.name;
    EXPECT_EQ(fit_for(call, algorithm).name, ordered);
    call.varying = row(algorithm.operation).combines;
    EXPECT_EQ(fit_for(call, algorithm).name, ordered);
  }
}

TEST(Choice, OfATreeOrABackgroundMakesWayForAStarInAVForm) {
  const std::map<std::string, std::map<std::string, std::string>> stars = {
      {"gather",
       {{"bnom", "lin"}, {"knomial", "lin"}, {"sbn", "sls"}, {"bsbn", "sls"}, {"bsls", "sls"}}},
      {"scatter",
       {{"bnom", "lin"},
        {"knomial", "lin"},
        {"sbn", "slin"},
        {"bsbn", "slin"},
        {"bslin", "slin"}}}};
  for (const Algorithm& algorithm : algorithms()) {
    const auto operation = stars.find(std::string(name(algorithm.operation)));
    if (operation == stars.end()) continue;
    const auto star = operation->second.find(algorithm.name);
    const std::string want = star == operation->second.end() ? algorithm.name : star->second;
    EXPECT_EQ(for_varying_counts(algorithm).name, want) << operation->first << algorithm.name;
    const CallSignature call{.operation = algorithm.operation, .varying = true};
    EXPECT_EQ(fit_for(call, algorithm).name, want);
  }
  const Algorithm tree{.operation = Operation::gather,
                       .name = "a tree of tomorrow",
                       .idea = "",
                       .cost = "",
                       .source = "",
                       .uses_pattern = true,
                       .needs_all_counts = true};
  EXPECT_EQ(for_varying_counts(tree).name, "sls");
}

TEST(LinkDefaults, AreTheSameForSettingsBuildersAndModels) {
  const Config config;
  const LinkCost cost;
  const CostModel model;
  EXPECT_EQ((LinkCost{config.alpha_s, config.beta_s_per_byte, config.gamma_s_per_byte}), cost);
  EXPECT_EQ((LinkCost{model.alpha_s, model.beta_s_per_byte, model.gamma_s_per_byte}), cost);
}

Decision clairvoyant_decision(std::vector<double> rounds, double round_s) {
  for (double& offset : rounds) offset *= round_s;
  Decision decision = decision_at(std::move(rounds));
  decision.choose(get_algorithm(Operation::reduce, "clairvoyant"));
  decision.segments = 4;
  decision.variant = 1;  // latest first: whole ticks
  return decision;
}

TEST(KeptProgram, IsBuiltAnewOnlyWhenTheScheduleChanges) {
  Problem problem;
  problem.operation = Operation::reduce;
  problem.ranks = 4;
  problem.units = 1 << 16;
  problem.segments = 4;
  problem.variant = 1;
  problem.only_rank = 2;
  const double round_s = problem.cost.round_s((1 << 16) / 4.0);
  const auto decision = [&](std::vector<double> rounds) {
    return clairvoyant_decision(std::move(rounds), round_s);
  };
  KeptProgram kept;
  const Decision first = decision({0.0, 1.5, 4.4, 2.5});
  EXPECT_EQ(kept.find(first, nullptr), nullptr);
  const auto program = kept.get(problem, first, nullptr);
  EXPECT_EQ(kept.find(first, nullptr), program);
  const Decision moved = decision({0.0, 1.7, 4.2, 2.4});  // the same whole rounds
  EXPECT_EQ(kept.find(moved, nullptr), nullptr);
  EXPECT_EQ(kept.get(problem, moved, nullptr), program);
  EXPECT_EQ(kept.find(moved, nullptr), program);
  EXPECT_EQ(kept.built(), 1u);
  EXPECT_NE(kept.get(problem, decision({0.0, 1.5, 9.4, 2.5}), nullptr), program);
  EXPECT_EQ(kept.built(), 2u);
  Decision cut = first;
  cut.segments = 5;
  EXPECT_EQ(kept.find(cut, nullptr), nullptr);
}

TEST(KeptProgram, FollowsFreshForecastsOfALiveDecision) {
  Problem problem;
  problem.ranks = 3;
  problem.units = 1000;
  problem.only_rank = 0;
  Decision decision = decision_at({0.0, 0.010, 0.020});
  decision.choose(get_algorithm(Operation::gather, "sls"));
  decision.live = true;
  ArrivalPattern fresh{{0.0, 0.020, 0.010}, {}, 0};
  KeptProgram root;
  const auto program = root.get(problem, decision, &fresh);
  EXPECT_EQ(root.find(decision, &fresh), program);
  fresh.offset_s[1] = 0.005;
  EXPECT_EQ(root.find(decision, &fresh), nullptr);
  KeptProgram leaf;  // has no other arrivals than the decision's
  problem.only_rank = 1;
  EXPECT_NE(leaf.get(problem, decision, nullptr), nullptr);
  EXPECT_NE(leaf.find(decision, nullptr), nullptr);
}

TEST(Decision, TravelsInOnePieceOrInMany) {
  for (const int ranks : {1, 2, 33, 2000, 5000}) {
    Decision sent;
    sent.communicator = 7;
    sent.stream = 3;
    sent.first = 41;
    sent.count = 64;
    sent.live = true;
    sent.cost = {1e-6, 2e-9, 3e-10, 65024};
    sent.tolerated_s = 2e-3;
    sent.worth_s = 3e-6;
    std::vector<double> offsets_s;
    for (int r = 0; r < ranks; ++r) offsets_s.push_back(1e-4 * ((r * 37) % 101));
    set_pattern(sent, ArrivalPattern{offsets_s, {}, 0});
    const auto messages = encode(sent, 4096);
    DecisionReader reader;
    Decision got;
    for (std::size_t i = 0; i < messages.size(); ++i) {
      EXPECT_LE(messages[i].size(), 4096u);
      EXPECT_EQ(reader.read(messages[i].data(), messages[i].size(), got), i + 1 == messages.size());
    }
    EXPECT_EQ(got.ticks, sent.ticks);
    EXPECT_EQ(got.pattern().offset_s, sent.pattern().offset_s) << "to the last bit";
    EXPECT_EQ(got.first, 41u);
    EXPECT_EQ(got.cost, sent.cost);
    EXPECT_EQ(got.tolerated_s, 2e-3);
    EXPECT_EQ(got.worth_s, 3e-6);
    EXPECT_TRUE(got.covers(41) && got.covers(104) && !got.covers(105) && !got.covers(40));
    EXPECT_TRUE(got.live);
    for (int r = 0; r < ranks; ++r)
      EXPECT_NEAR(got.pattern().offset_s[static_cast<std::size_t>(r)],
                  offsets_s[static_cast<std::size_t>(r)], 2 * got.tick_s);
  }
}

TEST(Decision, RefusesMalformedMessages) {
  Decision sent;
  set_pattern(sent, ArrivalPattern::flat(4));
  auto message = encode(sent, 4096).front();
  DecisionReader reader;
  Decision got;
  EXPECT_THROW(reader.read(message.data(), 10, got), Error);
  EXPECT_THROW(reader.read(message.data(), message.size() - 1, got), Error);
}

/// A decision's message with one of its numbers changed.
template <class Number>
std::vector<std::byte> changed(std::vector<std::byte> message, std::size_t at, Number value) {
  std::memcpy(message.data() + at, &value, sizeof value);
  return message;
}

TEST(Decision, RefusesNumbersThatLeadOutOfItself) {
  constexpr std::size_t count = 12, tick_s = 32, worth_s = 48, alpha_s = 56, begin = 92;
  Decision sent;
  sent.count = 1;
  set_pattern(sent, ArrivalPattern::flat(4));
  const auto message = encode(sent, 4096).front();
  const auto refused = [](const std::vector<std::byte>& bytes) {
    DecisionReader reader;
    Decision got;
    EXPECT_THROW(reader.read(bytes.data(), bytes.size(), got), Error);
  };
  // With what is in the message these make 0 and 3 in 32 bits.
  refused(changed(message, begin, std::uint32_t(0) - 4));
  refused(changed(message, begin, std::uint32_t(0) - 1));
  refused(changed(message, count, std::uint32_t(0)));
  refused(changed(message, tick_s, std::numeric_limits<double>::quiet_NaN()));
  refused(changed(message, tick_s, 1e306));  // 65535 of them are no number
  refused(changed(message, worth_s, -1.0));
  refused(changed(message, alpha_s, -1.0));
}

TEST(Decision, RefusesPartsThatDoNotFollowEachOther) {
  Decision sent;
  sent.count = 1;
  set_pattern(sent, ArrivalPattern::flat(5000));
  const auto messages = encode(sent, 4096);
  ASSERT_EQ(messages.size(), 3u);
  DecisionReader reader;
  Decision got;
  const auto read = [&](std::size_t i) {
    return reader.read(messages[i].data(), messages[i].size(), got);
  };
  EXPECT_THROW(read(1), Error) << "the first is missing";
  EXPECT_FALSE(read(0));
  EXPECT_THROW(read(2), Error) << "the second is missing";
  EXPECT_FALSE(read(0));
  EXPECT_FALSE(read(1));
  EXPECT_TRUE(read(2));
  EXPECT_EQ(got.ticks.size(), 5000u);
}

TEST(Report, IsReadFromWholeMessagesOnly) {
  const Report sent = report(5, 1000);
  const auto* bytes = reinterpret_cast<const std::byte*>(&sent);
  EXPECT_EQ(read_report(bytes, sizeof sent).call, 5u);
  EXPECT_THROW(read_report(bytes, 0), Error);
  EXPECT_THROW(read_report(bytes, sizeof sent - 1), Error);
}

TEST(Report, ForwardedOnesAreOfRanksThatThereAre) {
  const std::vector<ForwardedReport> sent{{0, 0, report(5, 1000)}, {2, 0, report(6, 2000)}};
  const auto* bytes = reinterpret_cast<const std::byte*>(sent.data());
  const std::size_t both = 2 * sizeof(ForwardedReport);
  const auto got = read_reports(bytes, both, 3);
  ASSERT_EQ(got.size(), 2u);
  EXPECT_EQ(got[1].from, 2);
  EXPECT_EQ(got[1].report.call, 6u);
  EXPECT_THROW(read_reports(bytes, both, 2), Error) << "there is no rank 2";
  EXPECT_THROW(read_reports(bytes, both - 1, 3), Error);
  EXPECT_THROW(read_reports(bytes, 0, 3), Error);
  const ForwardedReport nobody{-1, 0, report(5, 1000)};
  EXPECT_THROW(read_reports(reinterpret_cast<const std::byte*>(&nobody), sizeof nobody, 3), Error);
}

TEST(ClockQuestion, IsReadFromWholeMessagesOnly) {
  const ClockQuestion sent{7, 8};
  const auto* bytes = reinterpret_cast<const std::byte*>(&sent);
  EXPECT_EQ(read_clock_question(bytes, sizeof sent).theirs_ns, 8);
  EXPECT_THROW(read_clock_question(bytes, sizeof sent - 1), Error);
  EXPECT_THROW(read_clock_question(bytes, 0), Error);
}

TEST(Recall, EndsTheLeaseWhereTheFurthestIs) {
  Recall recall(3, 10, 74);
  EXPECT_FALSE(recall.looks_out(1, 10));
  EXPECT_FALSE(recall.looks_out(1, 10)) << "it does already";
  EXPECT_FALSE(recall.looks_out(0, 9)) << "of another lease";
  EXPECT_FALSE(recall.looks_out(0, 10));
  EXPECT_FALSE(recall.all_look_out());
  EXPECT_TRUE(recall.looks_out(2, 10));
  EXPECT_TRUE(recall.all_look_out());
  EXPECT_FALSE(recall.looks_out(2, 10)) << "the second round has begun";
  EXPECT_FALSE(recall.answer(1, 10, 15));
  EXPECT_FALSE(recall.answer(1, 10, 60)) << "it has answered";
  EXPECT_FALSE(recall.answer(0, 9, 60)) << "of another lease";
  EXPECT_FALSE(recall.answer(7, 10, 60)) << "no rank";
  EXPECT_FALSE(recall.answer(2, 10, 75)) << "beyond the lease";
  EXPECT_FALSE(recall.answer(2, 10, 21));
  EXPECT_TRUE(recall.answer(0, 10, 12));
  EXPECT_EQ(recall.from(), 21u);
}

TEST(Told, IsLeftBeyondItsIntervalAndWhatIsTolerated) {
  const Told told{0.010, 0.002};
  EXPECT_FALSE(told.is_left_by(0.0139, 0.001)) << "within twice the half width";
  EXPECT_TRUE(told.is_left_by(0.0141, 0.001));
  EXPECT_TRUE(told.is_left_by(0.0059, 0.001));
  EXPECT_FALSE(told.is_left_by(0.0141, 0.005)) << "tolerated";
  EXPECT_FALSE(told.is_left_by(5.0, 0.0)) << "nothing depends on it";
  EXPECT_FALSE(Told{}.is_left_by(5.0, 0.001)) << "nothing was told";
}

TEST(Reasons, ThatDifferInNumbersAreOneAndTheLatestStandsForThem) {
  Reasons reasons;
  EXPECT_TRUE(reasons.by_calls().empty());
  reasons.take_back(1);
  reasons.add("mpi: the arrival of rank 3 is not known", 1);
  reasons.add("bsls with window 2: 81.3 ms against 1.2 s of mpi; gain -3 %", 4);
  reasons.add("mpi: the arrival of rank 12 is not known", 1);
  reasons.add("bsls with window 2: 410 us against 1e+03 s of mpi; gain 12 %", 64);
  reasons.add("sls: 410 us against 2 ms of mpi; gain 12 %", 64);
  reasons.take_back(60);
  const auto list = reasons.by_calls();
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[0].calls, 68u);
  EXPECT_EQ(list[0].latest, "bsls with window 2: 410 us against 1e+03 s of mpi; gain 12 %");
  EXPECT_EQ(list[1].calls, 4u);
  EXPECT_EQ(list[2].calls, 2u);
  EXPECT_EQ(list[2].latest, "mpi: the arrival of rank 12 is not known");
}

TEST(Costs, OfLargeMessagesAreNotTakenFromShortOnes) {
  Calibration calibration;  // of a busy machine: the longer message was the faster one
  calibration.messages = {{8, {80e-6, 0.0, 1e-10}}, {4096, {80e-6, 0.0, 1e-10}}};
  const auto cost_of_gather = [&](const Config& config, std::size_t bytes) {
    Problem problem;
    problem.operation = Operation::gather;
    problem.ranks = 8;
    problem.units = bytes;
    return link_cost(config, calibration, problem);
  };
  const double usual = Config{}.beta_s_per_byte;
  EXPECT_EQ(cost_of_gather({}, 4 << 20).beta_s_per_byte, usual);
  EXPECT_EQ(cost_of_gather({}, 4 << 20).alpha_s, 80e-6);
  EXPECT_EQ(cost_of_gather({}, 100).beta_s_per_byte, 0.0) << "as measured";
  EXPECT_EQ(usual_cost({}, calibration).beta_s_per_byte, usual);
  Config of_the_user;
  of_the_user.calibration = "costs.json";
  EXPECT_EQ(cost_of_gather(of_the_user, 4 << 20).beta_s_per_byte, 0.0);
  calibration.messages.push_back({65536, {80e-6, 1e-10, 1e-10}});
  EXPECT_EQ(cost_of_gather({}, 4 << 20).beta_s_per_byte, 1e-10);
}

/// A link that lets a bucket of bytes through at once, as virtual machines have them.
TEST(Costs, OfManyShortMessagesAreThoseThatTheLinkHasInTheLongRun) {
  Calibration calibration;
  calibration.messages = {
      {8, {22e-6, 0.0, 1e-10}}, {4096, {22e-6, 2e-11, 1e-10}}, {65536, {22e-6, 37e-9, 1e-10}}};
  const auto beta = [&](Operation operation, std::size_t bytes) {
    Problem problem;
    problem.operation = operation;
    problem.ranks = 16;
    problem.units = bytes;
    return link_cost({}, calibration, problem).beta_s_per_byte;
  };
  EXPECT_EQ(beta(Operation::reduce, 1 << 20), 37e-9) << "in segments of 4 KiB";
  EXPECT_EQ(beta(Operation::allgather, 8192), 37e-9) << "15 of them come in";
  EXPECT_EQ(beta(Operation::allgather, 64), 2e-11);
  EXPECT_EQ(beta(Operation::bcast, 4096), 2e-11) << "it is alone";
}

}  // namespace
}  // namespace pat::detail
