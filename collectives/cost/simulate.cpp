#include "collectives/cost/simulate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <queue>
#include <string>
#include <tuple>
#include <unordered_map>

#include "collectives/structure.hpp"
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
  double left_s = 0.0;     // what its bytes still take at full speed, as of updated_s
  double updated_s = 0.0;  // at first the end of its start-up time
  double slowdown = 1.0;
  bool stalled = false;
  bool asked = true;    // the receiver has come; false for eager ones until then
  double end_s = -1.0;  // not started
};

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

struct Half {  // of a message, whose other end has not come
  End end;
  std::size_t message = none;  // that has set out all the same
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
      if (event.kind == Event::ports_free)
        start_transfers(event.rank);
      else if (!outdated(event))
        end(event.rank, event.id);
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
    std::size_t message;  // that ended, or none
    bool operator>(const Event& other) const {
      return std::tie(time_s, kind, sequence) > std::tie(other.time_s, other.kind, other.sequence);
    }
  };

  struct Rank {
    std::vector<std::uint32_t> waiting;
    std::vector<OpId> dependents;  // those of operation i are first[i] .. first[i + 1]
    std::vector<std::uint32_t> first;
    double out_free_s = 0.0, in_free_s = 0.0, cpu_free_s = 0.0;
    std::vector<std::size_t> pending;  // messages to or from this rank that could not start yet
    int waiting_in = 0;                // of them, the ones to this rank
    std::size_t arriving = none;       // the message that holds the incoming port, if it is held
  };

  const Op& op(const End& end) const { return schedule_.programs[end.rank].ops[end.id]; }

  void set_up(int rank) {
    const Program& program = schedule_.programs[rank];
    Rank& state = ranks_[rank];
    const std::size_t count = program.ops.size();
    timing_.op_end_s.emplace_back(count, 0.0);
    state.waiting.resize(count);
    open_ += count;
    list_dependents(program, state);
    now_ = *std::min_element(timing_.arrival_s.begin(), timing_.arrival_s.end());
    for (OpId id = 0; id < count; ++id)
      if (program.ops[id].after.empty()) begin(rank, id);
  }

  static void list_dependents(const Program& program, Rank& state) {
    const std::size_t count = program.ops.size();
    state.first.assign(count + 1, 0);
    for (OpId id = 0; id < count; ++id) {
      state.waiting[id] = static_cast<std::uint32_t>(program.ops[id].after.size());
      for (const OpId before : program.ops[id].after) ++state.first[before + 1];
    }
    std::partial_sum(state.first.begin(), state.first.end(), state.first.begin());
    state.dependents.resize(state.first.back());
    std::vector<std::uint32_t> next(state.first.begin(), state.first.end() - 1);
    for (OpId id = 0; id < count; ++id)
      for (const OpId before : program.ops[id].after) state.dependents[next[before]++] = id;
  }

  void schedule_event(double time_s, Event::Kind kind, int rank, OpId id,
                      std::size_t message = none) {
    events_.push({time_s, sequence_++, kind, rank, id, message});
  }

  /// A message that was slowed down after its end had been scheduled has a later end.
  bool outdated(const Event& event) const {
    return event.message != none && messages_[event.message].end_s != event.time_s;
  }

  void begin(int rank, OpId id) {
    const Op& o = schedule_.programs[rank].ops[id];
    switch (o.kind) {
      case OpKind::join:
        return schedule_event(std::max(now_, timing_.arrival_s[rank]), Event::ended, rank, id);
      case OpKind::copy:
        return copy(rank, id, o);
      case OpKind::reduce:
        return combine(rank, id, o);
      case OpKind::send:
        return post({rank, id}, rank, o.peer, o.tag, true);
      case OpKind::recv:
        return post({rank, id}, o.peer, rank, o.tag, false);
    }
  }

  void copy(int rank, OpId id, const Op& o) {
    const double cost_s = static_cast<double>(o.target.length * schedule_.problem.unit_bytes) *
                          model_.copy_s_per_byte;
    if (cost_s == 0.0) return schedule_event(now_, Event::ended, rank, id);
    double& cpu_free_s = ranks_[rank].cpu_free_s;
    cpu_free_s = std::max(now_, cpu_free_s) + cost_s;
    schedule_event(cpu_free_s, Event::ended, rank, id);
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
    const auto [found, first] = half_open_.try_emplace(key, Half{end});
    Half& other = found->second;
    if (first) {
      if (sending && is_eager(end)) other.message = set_out(end, {to, 0}, false);
      return;
    }
    if (other.message != none)
      ask_for(other.message, end.id);
    else
      set_out(sending ? end : other.end, sending ? other.end : end, true);
    half_open_.erase(found);
  }

  std::size_t bytes_of(const End& from) const {
    return op(from).source.length * schedule_.problem.unit_bytes;
  }

  bool is_eager(const End& from) const {
    return model_.eager_bytes > 0 && bytes_of(from) <= model_.eager_bytes;
  }

  std::size_t set_out(const End& from, const End& to, bool asked) {
    const std::size_t index = messages_.size();
    Message& message = messages_.emplace_back();
    message.from = from;
    message.to = to;
    message.asked = asked;
    message.ready_s = now_;
    message.bytes = bytes_of(from);
    ranks_[from.rank].pending.push_back(index);
    ranks_[to.rank].pending.push_back(index);
    ++ranks_[to.rank].waiting_in;
    if (ranks_[to.rank].in_free_s > now_) slow_down(ranks_[to.rank]);
    schedule_event(now_, Event::ports_free, to.rank, 0);
    return index;
  }

  /// The receiver of an eager message has come.
  void ask_for(std::size_t index, OpId id) {
    Message& message = messages_[index];
    message.to.id = id;
    message.asked = true;
    if (message.end_s < 0.0) return;  // its end tells both
    if (message.end_s > now_)
      schedule_event(message.end_s, Event::ended, message.to.rank, id, index);
    else
      schedule_event(now_, Event::ended, message.to.rank, id);
  }

  void start_transfers(int rank) {
    candidates_ = ranks_[rank].pending;
    std::sort(candidates_.begin(), candidates_.end(), [&](std::size_t a, std::size_t b) {
      const Message &x = messages_[a], &y = messages_[b];
      return std::tie(x.ready_s, x.to.rank, x.from.rank, a) <
             std::tie(y.ready_s, y.to.rank, y.from.rank, b);
    });
    for (const std::size_t index : candidates_) try_start(index);
  }

  void try_start(std::size_t index) {
    Message& message = messages_[index];
    Rank& from = ranks_[message.from.rank];
    Rank& to = ranks_[message.to.rank];
    if (from.out_free_s > now_ || to.in_free_s > now_) return;
    std::erase(from.pending, index);
    std::erase(to.pending, index);
    --to.waiting_in;
    to.arriving = index;
    message.updated_s = now_ + model_.alpha_s;
    message.left_s = static_cast<double>(message.bytes) * model_.beta_s_per_byte;
    message.slowdown = slowdown(to);
    if (to.waiting_in > 0) stall(message);
    schedule_end(index);
  }

  double slowdown(const Rank& to) const {
    return 1.0 + std::min(model_.incast * to.waiting_in, model_.incast_most);
  }

  void schedule_end(std::size_t index) {
    Message& message = messages_[index];
    const double end_s = message.updated_s + message.left_s * message.slowdown;
    if (end_s == message.end_s) return;  // slowed down, but has no bytes left
    message.end_s = end_s;
    Rank& from = ranks_[message.from.rank];
    Rank& to = ranks_[message.to.rank];
    from.out_free_s = std::max(from.out_free_s, message.end_s);
    to.in_free_s = std::max(to.in_free_s, message.end_s);
    schedule_event(message.end_s, Event::ended, message.from.rank, message.from.id, index);
    if (message.asked)
      schedule_event(message.end_s, Event::ended, message.to.rank, message.to.id, index);
    schedule_event(message.end_s, Event::ports_free, message.from.rank, 0);
    schedule_event(message.end_s, Event::ports_free, message.to.rank, 0);
  }

  /// One more message waits for the port while another is coming in: the rest of that one's bytes
  /// takes longer.
  void slow_down(const Rank& to) {
    if ((model_.incast == 0.0 && model_.incast_stall_s == 0.0) || to.arriving == none) return;
    Message& message = messages_[to.arriving];
    if (message.end_s <= now_) return;
    const double since_s = std::max(0.0, now_ - message.updated_s);
    message.left_s -= since_s / message.slowdown;
    message.updated_s = std::max(message.updated_s, now_);
    message.slowdown = slowdown(to);
    stall(message);
    schedule_end(to.arriving);
  }

  void stall(Message& message) const {
    if (!message.stalled) message.updated_s += model_.incast_stall_s;
    message.stalled = true;
  }

  void end(int rank, OpId id) {
    timing_.op_end_s[rank][id] = now_;
    timing_.exit_s[rank] = std::max(timing_.exit_s[rank], now_);
    --open_;
    Rank& state = ranks_[rank];
    for (std::uint32_t i = state.first[id]; i < state.first[id + 1]; ++i)
      if (--state.waiting[state.dependents[i]] == 0) begin(rank, state.dependents[i]);
  }

  const Schedule& schedule_;
  const CostModel& model_;
  std::vector<Rank> ranks_;
  std::vector<Message> messages_;
  std::vector<std::size_t> candidates_;  // of start_transfers()
  std::unordered_map<std::uint64_t, Half> half_open_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t sequence_ = 0;
  std::size_t open_ = 0;
  double now_ = 0.0;
  Timing timing_;
};

void validate(const CostModel& model) {
  for (const double value : {model.alpha_s, model.beta_s_per_byte, model.gamma_s_per_byte,
                             model.copy_s_per_byte, model.incast, model.incast_stall_s})
    if (!std::isfinite(value) || value < 0.0)
      throw Error(ErrorKind::argument,
                  "alpha, beta, gamma, the price of a copy and incast must be finite and at least "
                  "0, one is " +
                      std::to_string(value));
  if (!(model.incast_most >= 0.0))
    throw Error(ErrorKind::argument, "the most that incast adds must be at least 0, it is " +
                                         std::to_string(model.incast_most));
}

}  // namespace

CostModel corrected(const CostModel& model, double correction) {
  CostModel changed = model;
  changed.alpha_s *= correction;
  changed.beta_s_per_byte *= correction;
  changed.gamma_s_per_byte *= correction;
  changed.copy_s_per_byte *= correction;
  changed.incast_stall_s *= correction;
  return changed;
}

CostModel cost_model(const LinkCost& cost) {
  return {.alpha_s = cost.alpha_s,
          .beta_s_per_byte = cost.beta_s_per_byte,
          .gamma_s_per_byte = cost.gamma_s_per_byte};
}

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
