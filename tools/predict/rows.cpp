#include "tools/predict/rows.hpp"

#include <utility>

#include "core/progress_bar.hpp"
#include "core/trace.hpp"
#include "tools/study/replay.hpp"

namespace pat::predict {
namespace {

class Study {
 public:
  Study(const Options& options, const std::vector<Subject>& subjects)
      : options_(options),
        subjects_(subjects),
        bar_("pat predict",
             step_units * 2 *
                 static_cast<long>(subjects.size() * options.models.size() *
                                   options.exchanges.size()),
             progress_style(!options.quiet)) {}

  std::vector<Row> run() {
    for (const Subject& subject : subjects_) {
      const Trace& trace = subject.trace;
      if (!options_.forecasts.empty()) {
        add(subject, "forecasts", "1", study::replay_of(trace, read_trace(options_.forecasts)));
        continue;
      }
      for (const std::string& model : options_.models) {
        for (const std::string& exchange : options_.exchanges) {
          study::ReplayOptions replay = options_.replay;
          replay.model = model;
          replay.exchange_every = exchange_of(exchange);
          add(subject, model, exchange, study::replay(trace, replay, next_step()));
        }
      }
    }
    return std::move(rows_);
  }

 private:
  static constexpr long step_units = 1000;

  /// Moves the bar through the next replay or simulation.
  study::Progress next_step() {
    return [this, base = step_units * steps_++](std::size_t done, std::size_t total) {
      bar_.update(base + step_units * static_cast<long>(done) / static_cast<long>(total));
    };
  }

  void add(const Subject& subject, const std::string& model, const std::string& exchange,
           const study::Replay& replay) {
    const Trace& trace = subject.trace;
    Row row;
    row.subject = &subject;
    row.model = model;
    row.exchange = exchange;
    row.accuracy = accuracy(trace, replay, options_.skip);
    row.sent = replay.exchanges;
    if (!options_.no_gain)
      row.gain = study::gain(trace, replay, options_.skip, subject.gain, next_step());
    rows_.push_back(row);
    if (!options_.per_rank) return;
    for (int rank = 0; rank < trace.ranks; ++rank) {
      Row single = row;
      single.rank = rank;
      single.accuracy = accuracy_of_rank(trace, replay, options_.skip, rank);
      rows_.push_back(single);
    }
  }

  const Options& options_;
  const std::vector<Subject>& subjects_;
  ProgressBar bar_;
  long steps_ = 0;
  std::vector<Row> rows_;
};

}  // namespace

std::vector<Row> rows_of(const Options& options, const std::vector<Subject>& subjects) {
  return Study(options, subjects).run();
}

}  // namespace pat::predict
