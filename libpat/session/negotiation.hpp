#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "collectives/cost/calibration.hpp"
#include "core/config.hpp"
#include "libpat/agreement/pace.hpp"
#include "libpat/session/control.hpp"
#include "libpat/session/elsewhere.hpp"
#include "libpat/session/regions.hpp"
#include "libpat/session/twins.hpp"

namespace pat::detail {

/// A decision is due this long before the first predicted arrival: time to travel.
inline constexpr std::int64_t decision_margin_ns = 400'000;

/// By how much the clock that forecasts go by may be wrong: an eighth of that.
inline constexpr std::int64_t clock_doubt_ns = decision_margin_ns / 8;

/// How the ranks of a call come to act on one decision: each reports what it foretells to the
/// stream's leader, who waits for nobody, decides and tells all.
class Negotiation {
 public:
  /// Collective over `session`. `early`: data moves before processes arrive.
  /// `daemon_everywhere`: all processes have one, which hears of a recall whatever the program
  /// does. `crowd`: how many processes share a core.
  Negotiation(MPI_Comm session, const Config& config, const Calibration& calibration, bool early,
              bool daemon_everywhere, double crowd, Twins& twins, Regions& regions);

  /// Leases are called back when what they were given for holds no longer.
  bool recalls() const { return recalls_; }

  // ---- this process tells the leader

  /// The forecast of the present phase, after which the stream's next call is expected.
  void report_forecast(Locked&, RegionState& region, Twin& twin, Stream& stream);
  /// The same from the time that usually passes between two calls, of a program without regions.
  void report_gap(Locked&, Twin& twin, Stream& stream, std::int64_t exit_ns);
  /// This process has arrived at `call`.
  void report_arrival(Locked&, Twin& twin, Stream& stream, std::uint32_t call,
                      std::int64_t arrival_ns);
  /// It has arrived at `call` and lacks the decision.
  void ask(Locked&, Twin& twin, Stream& stream, std::uint32_t call, std::int64_t arrival_ns);

  /// A call is over: tells how it went where nothing else will.
  void report_past(Locked&, Twin& twin, Stream& stream);

  /// A phase before a call took `observed_s`. While a lease holds that needs no reports the leader
  /// is told if that is not what it goes by.
  void tell_if_moved(Locked&, Twin& twin, Stream& stream, double observed_s);

  // ---- what is decided

  /// The decision for a stream's first call, which every rank knows without a message.
  Decision first_decision(const Twin& twin, const Stream& stream) const;
  /// At the leader: decides and tells the others.
  void decide(Locked&, Twin& twin, Stream& stream, std::uint32_t call);
  /// Whether the stream's next call is decided and nothing of it is done before this process
  /// arrives: then nobody reports.
  static bool is_settled(const Stream* stream);
  /// Of a call that is decided: what its schedule is built for.
  Problem problem_of(const Twin& twin, const Stream& stream, const Decision& decision,
                     const std::vector<std::size_t>& counts) const;
  /// Problem::link_slowdown as PAT_Init has measured it, the same on all ranks.
  std::vector<double> links_of(const Twin& twin) const;

  // ---- in the background

  /// Takes in what came, and what came before its stream did. Returns whether anything came.
  bool poll(Locked&);
  /// Keeps this process's forecasts on the session's clock: takes up what is known of the drift,
  /// and asks when that is too little.
  void keep_time(Locked&);
  /// Decides at the leader what is due; says in `round` when the next is.
  void decide_what_is_due(Locked&, pace::Round& round);
  /// Nobody can ask this process for a decision that is not made.
  bool leads_far_enough(Locked&) const;
  /// The same of one stream: those who run ahead find their call decided.
  static bool leads_far_enough(const Twin& twin, const Stream& stream);
  /// Some lease is being called back, and the others wait for this process's answer.
  bool looks_out(Locked&) const;
  /// This process leads some stream.
  bool leads(Locked&) const;

  /// See Control::meet() and say_farewell().
  void meet(Locked& locked) { control_.meet(locked); }
  void say_farewell(Locked& locked) { control_.say_farewell(locked); }
  /// Goes on until every process of the session has called it. Collective.
  void drain(Locked& locked) {
    draining_ = true;
    elsewhere_.close(locked);
    control_.drain(locked);
  }
  /// What processes on other machines say of themselves.
  Elsewhere& elsewhere() { return elsewhere_; }
  MPI_Comm communicator() const { return control_.communicator(); }
  std::size_t messages_sent(Locked& locked) const { return control_.messages_sent(locked); }
  std::size_t bytes_sent(Locked& locked) const { return control_.bytes_sent(locked); }

  /// What each forecast is before it is reported; null: itself. See measurement.hpp.
  std::function<Forecast(const Forecast&)> forecast_filter;

 private:
  struct Waiting {  // a message about a stream that this process has not reached yet
    int from;
    Report report;
    enum class Kind : std::uint8_t { report, ask, recall, answer } kind;
  };
  using Kind = Waiting::Kind;

  /// From the start of the phase, or from the last call's end, to the arrival.
  Forecast forecast_of(const Stream& stream) const;
  bool needs_report(const Stream& stream) const;
  Report make_report(const Twin& twin, const Stream& stream, std::uint32_t call) const;
  Report arrival_report(const Twin& twin, const Stream& stream, std::uint32_t call,
                        std::int64_t arrival_ns) const;
  void log(const Twin& twin, const Stream& stream, const Report& report, bool asks) const;
  void send(Locked&, Twin& twin, Stream& stream, const Report& report, bool asks);
  void take_message(Locked&, int from, const Report& report, Kind kind);
  bool apply(Locked&, int from, const Report& report, Kind kind);
  void apply_report(Locked&, Twin& twin, Stream& stream, int from, const Report& report, Kind kind);
  bool climbs(const Twin& twin, const Report& report) const;
  ReportTree tree_of(const Twin& twin, const Stream& stream) const;
  Control::Way way_to(const Twin& twin) const;
  void answer(Locked&, Twin& twin, Stream& stream, int from, std::uint32_t call);
  void hold(Locked&, Twin& twin, Stream& stream, int from, const Report& report);
  void pass_on_what_is_due(Locked&, Twin& twin, Stream& stream, pace::Round& round);
  void call_back(Locked&, Twin& twin, Stream& stream, std::uint32_t call);
  void send_recall(Locked&, Twin& twin, Stream& stream, std::uint32_t lease, std::uint32_t flags);
  static void look_out(Stream& stream, std::uint32_t lease);
  void answer_recall(Locked&, Twin& twin, Stream& stream, int from, const Report& recall);
  void take_answer(Locked&, Twin& twin, Stream& stream, int from, const Report& answer);
  void take_decision(Locked&, const Decision& decision);
  void take_time(Locked&, std::int64_t sent_ns, std::int64_t theirs_ns);
  StreamKind kind_of(const Twin& twin, const Stream& stream) const;
  Judge& judge_of(const Twin& twin, Stream& stream) const;
  std::vector<Calibration::Learnt> learnt_by_others(Locked&, const Twin& twin,
                                                    const Stream& stream) const;
  Decision undecided(const Twin& twin, const Stream& stream, std::uint32_t call) const;

  const Config& config_;
  const Calibration& calibration_;
  const bool early_, daemon_everywhere_, recalls_;
  const double crowd_;
  Twins& twins_;
  Regions& regions_;
  Control control_;
  Elsewhere elsewhere_{control_};
  std::vector<Waiting> waiting_;
  std::vector<Decision> waiting_decisions_;
  bool draining_ = false;
};

}  // namespace pat::detail
