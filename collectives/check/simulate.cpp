#include "collectives/check/simulate.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <queue>
#include <string>
#include <tuple>
#include <unordered_map>

#include "collectives/check/structure.hpp"
#include "core/errors.hpp"

namespace pat {
namespace {

struct End {  // one end of a message
  int rank = -1;
  OpId id = 0;
};

struct Message {
  End from, to;
  double ready_s = 0.0;
  std::size_t bytes = 0;
};

class Simulation {
 public:
  Simulation(const Schedule& schedule, const ArrivalPattern& pattern, const CostModel& model)
      : schedule_(schedule), model_(model), ranks_(schedule.problem.ranks) {
    timing_.arrival_s = pattern.offset_s;
    timing_.exit_s = pattern.offset_s;
    for (int rank = 0; rank < schedule.problem.ranks; ++rank) set_up(rank);
  }

  Timing run() {
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      now_ = event.time_s;
      if (event.kind == Event::ended)
        end(event.rank, event.id);
      else
        start_transfers(event.rank);
    }
    if (open_ > 0) throw Error(ErrorKind::internal, "the schedule cannot end, verify says why");
    return std::move(timing_);
  }

 private:
  struct Event {
    enum Kind { ended, ports_free };
    double time_s;
    std::uint64_t sequence;
    Kind kind;
    int rank;
    OpId id;
    bool operator>(const Event& other) const {
      return std::tie(time_s, kind, sequence) > std::tie(other.time_s, other.kind, other.sequence);
    }
  };

  struct Rank {
    std::vector<std::uint32_t> waiting;
    std::vector<std::vector<OpId>> dependents;
    double out_free_s = 0.0, in_free_s = 0.0, cpu_free_s = 0.0;
    std::vector<std::size_t> pending;  // messages to or from this rank that could not start yet
    int waiting_in = 0;                // of them, the ones to this rank
  };

  const Op& op(const End& end) const { return schedule_.programs[end.rank].ops[end.id]; }

  void set_up(int rank) {
    const Program& program = schedule_.programs[rank];
    Rank& state = ranks_[rank];
    const std::size_t count = program.ops.size();
    timing_.op_end_s.emplace_back(count, 0.0);
    state.waiting.resize(count);
    state.dependents.resize(count);
    open_ += count;
    for (OpId id = 0; id < count; ++id) {
      state.waiting[id] = static_cast<std::uint32_t>(program.ops[id].after.size());
      for (const OpId before : program.ops[id].after) state.dependents[before].push_back(id);
    }
    now_ = *std::min_element(timing_.arrival_s.begin(), timing_.arrival_s.end());
    for (OpId id = 0; id < count; ++id)
      if (program.ops[id].after.empty()) begin(rank, id);
  }

  void schedule_event(double time_s, Event::Kind kind, int rank, OpId id) {
    events_.push({time_s, sequence_++, kind, rank, id});
  }

  void begin(int rank, OpId id) {
    const Op& o = schedule_.programs[rank].ops[id];
    switch (o.kind) {
      case OpKind::join:
        return schedule_event(std::max(now_, timing_.arrival_s[rank]), Event::ended, rank, id);
      case OpKind::copy:
        return schedule_event(now_, Event::ended, rank, id);
      case OpKind::reduce:
        return combine(rank, id, o);
      case OpKind::send:
        return post({rank, id}, rank, o.peer, o.tag, true);
      case OpKind::recv:
        return post({rank, id}, o.peer, rank, o.tag, false);
    }
  }

  void combine(int rank, OpId id, const Op& o) {
    Rank& state = ranks_[rank];
    const double cost_s = static_cast<double>(o.target.length * schedule_.problem.unit_bytes) *
                          model_.gamma_s_per_byte;
    double start_s = std::max(now_, state.cpu_free_s);
    if (!model_.overlap) start_s = std::max({start_s, state.in_free_s, state.out_free_s});
    const double end_s = start_s + cost_s;
    state.cpu_free_s = end_s;
    if (!model_.overlap) {
      state.in_free_s = state.out_free_s = end_s;
      schedule_event(end_s, Event::ports_free, rank, 0);
    }
    schedule_event(end_s, Event::ended, rank, id);
  }

  void post(End end, int from, int to, std::uint32_t tag, bool sending) {
    const std::uint64_t key =
        (static_cast<std::uint64_t>(from) << 44) | (static_cast<std::uint64_t>(to) << 24) | tag;
    const auto [found, first] = half_open_.try_emplace(key, end);
    if (first) return;
    Message message;
    message.from = sending ? end : found->second;
    message.to = sending ? found->second : end;
    message.ready_s = now_;
    message.bytes = op(message.from).source.length * schedule_.problem.unit_bytes;
    half_open_.erase(found);
    const std::size_t index = messages_.size();
    messages_.push_back(message);
    ranks_[from].pending.push_back(index);
    ranks_[to].pending.push_back(index);
    ++ranks_[to].waiting_in;
    schedule_event(now_, Event::ports_free, to, 0);
  }

  void start_transfers(int rank) {
    Rank& state = ranks_[rank];
    std::vector<std::size_t> candidates = state.pending;
    std::sort(candidates.begin(), candidates.end(), [&](std::size_t a, std::size_t b) {
      const Message &x = messages_[a], &y = messages_[b];
      return std::tie(x.ready_s, x.to.rank, x.from.rank, a) <
             std::tie(y.ready_s, y.to.rank, y.from.rank, b);
    });
    for (const std::size_t index : candidates) try_start(index);
  }

  void try_start(std::size_t index) {
    const Message& message = messages_[index];
    Rank& from = ranks_[message.from.rank];
    Rank& to = ranks_[message.to.rank];
    if (from.out_free_s > now_ || to.in_free_s > now_) return;
    std::erase(from.pending, index);
    std::erase(to.pending, index);
    --to.waiting_in;
    const double bytes_s = static_cast<double>(message.bytes) * model_.beta_s_per_byte;
    const double end_s = now_ + model_.alpha_s + bytes_s * (1.0 + model_.incast * to.waiting_in);
    from.out_free_s = end_s;
    to.in_free_s = end_s;
    schedule_event(end_s, Event::ended, message.from.rank, message.from.id);
    schedule_event(end_s, Event::ended, message.to.rank, message.to.id);
    schedule_event(end_s, Event::ports_free, message.from.rank, 0);
    schedule_event(end_s, Event::ports_free, message.to.rank, 0);
  }

  void end(int rank, OpId id) {
    timing_.op_end_s[rank][id] = now_;
    timing_.exit_s[rank] = std::max(timing_.exit_s[rank], now_);
    --open_;
    for (const OpId next : ranks_[rank].dependents[id])
      if (--ranks_[rank].waiting[next] == 0) begin(rank, next);
  }

  const Schedule& schedule_;
  const CostModel& model_;
  std::vector<Rank> ranks_;
  std::vector<Message> messages_;
  std::unordered_map<std::uint64_t, End> half_open_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t sequence_ = 0;
  std::size_t open_ = 0;
  double now_ = 0.0;
  Timing timing_;
};

void validate(const CostModel& model) {
  for (const double value :
       {model.alpha_s, model.beta_s_per_byte, model.gamma_s_per_byte, model.incast})
    if (!std::isfinite(value) || value < 0.0)
      throw Error(ErrorKind::argument,
                  "alpha, beta, gamma and incast must be finite and at least 0, one is " +
                      std::to_string(value));
}

}  // namespace

double Timing::run_time_s() const {
  return *std::max_element(exit_s.begin(), exit_s.end()) -
         *std::min_element(arrival_s.begin(), arrival_s.end());
}

double Timing::mean_elapsed_s() const {
  const double sum = std::accumulate(exit_s.begin(), exit_s.end(), 0.0) -
                     std::accumulate(arrival_s.begin(), arrival_s.end(), 0.0);
  return sum / static_cast<double>(exit_s.size());
}

Timing simulate(const Schedule& schedule, const ArrivalPattern& pattern, const CostModel& model) {
  validate(pattern, schedule.problem.ranks);
  validate(model);
  if (const Verdict structure = check_structure(schedule); !structure)
    throw Error(ErrorKind::internal, structure.problem);
  return Simulation(schedule, pattern, model).run();
}

}  // namespace pat
