#include "collectives/cost/simulate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <tuple>

#include "collectives/structure.hpp"
#include "core/errors.hpp"

namespace pat {
namespace {

void validate(const CostModel& model) {
  for (const double value :
       {model.alpha_s, model.beta_s_per_byte, model.gamma_s_per_byte, model.copy_s_per_byte,
        model.incast, model.incast_stall_s, model.shared.message_s, model.shared.s_per_byte})
    if (!std::isfinite(value) || value < 0.0)
      throw Error(ErrorKind::argument,
                  "alpha, beta, gamma, the price of a copy, incast and what is shared must be "
                  "finite and at least 0, one is " +
                      std::to_string(value));
  for (const double slowdown : model.link_slowdown)
    if (!std::isfinite(slowdown) || slowdown < 1.0)
      throw Error(ErrorKind::argument, "a link is slower by a finite factor of at least 1, not " +
                                           std::to_string(slowdown));
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
  changed.shared = model.shared.times(correction);
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

class Simulator::Play {
 public:
  Play(const Simulator& simulator, const ArrivalPattern& pattern, const CostModel& model)
      : simulator_(simulator),
        model_(model),
        ranks_(pattern.offset_s.size()),
        waiting_(simulator.waits_),
        posted_(simulator.steps_.size(), false),
        set_out_early_(model.eager_bytes > 0 ? simulator.steps_.size() : 0, none),
        open_(simulator.steps_.size()) {
    timing_.arrival_s = pattern.offset_s;
    timing_.exit_s = pattern.offset_s;
    events_.reserve(simulator.steps_.size());
    now_ = *std::min_element(timing_.arrival_s.begin(), timing_.arrival_s.end());
    for (int rank = 0; rank < pattern.ranks(); ++rank)
      timing_.op_end_s.emplace_back(simulator.first_step_[rank + 1] - simulator.first_step_[rank],
                                    0.0);
    for (std::uint32_t step = 0; step < simulator.steps_.size(); ++step)
      if (simulator.waits_[step] == 0) begin(step);
  }

  Timing run() {
    while (!events_.empty()) {
      std::pop_heap(events_.begin(), events_.end(), Later{});
      const Event event = events_.back();
      events_.pop_back();
      now_ = event.time_s;
      if (event.order & ports_free)
        use_ports(event);
      else if (!outdated(event))
        end(event);
    }
    if (open_ > 0) throw Error(ErrorKind::internal, "the schedule cannot end, verify says why");
    return std::move(timing_);
  }

 private:
  struct Message {
    std::uint32_t from = none, to = none;  // the steps at its ends
    int from_rank = -1, to_rank = -1;
    double ready_s = 0.0;
    double left_s = 0.0;     // what its bytes still take at full speed, as of updated_s
    double updated_s = 0.0;  // at first the end of its start-up time
    double slowdown = 1.0;
    double end_s = -1.0;     // not started
    double carried_s = 0.0;  // by what all share
    bool stalled = false;
    bool asked = true;  // the receiver has come; false for eager ones until then
  };

  struct Event {
    double time_s;
    std::uint64_t order;    // of those at one time: ends before free ports, then as they came up
    std::uint32_t where;    // the step that ended or the rank whose ports are free; none: both ends
    std::uint32_t message;  // that ended, or none
  };
  static constexpr std::uint64_t ports_free = std::uint64_t{1} << 63;
  struct Later {
    bool operator()(const Event& a, const Event& b) const {
      return a.time_s > b.time_s || (a.time_s == b.time_s && a.order > b.order);
    }
  };

  struct Rank {
    double out_free_s = 0.0, in_free_s = 0.0, cpu_free_s = 0.0;
    std::vector<std::uint32_t> incoming, outgoing;  // messages that could not start yet
    std::uint32_t arriving = none;  // the message that holds the incoming port, if it is held
  };

  void add(double time_s, std::uint64_t kind, std::uint32_t where, std::uint32_t message = none) {
    events_.push_back({time_s, kind | sequence_++, where, message});
    std::push_heap(events_.begin(), events_.end(), Later{});
  }
  void add_end(double time_s, std::uint32_t step, std::uint32_t message = none) {
    add(time_s, 0, step, message);
  }
  void add_ports_free(double time_s, int rank) {
    add(time_s, ports_free, static_cast<std::uint32_t>(rank));
  }
  void add_end_of(std::uint32_t index) {
    const Message& message = messages_[index];
    add_end(message.end_s, message.asked ? none : message.from, index);
    add(message.end_s, ports_free, none, index);
  }

  /// A message that was slowed down after its end had been scheduled has a later end.
  bool outdated(const Event& event) const {
    return event.message != none && messages_[event.message].end_s != event.time_s;
  }

  void begin(std::uint32_t step) {
    const Step& s = simulator_.steps_[step];
    switch (s.kind) {
      case OpKind::join:
        return add_end(std::max(now_, timing_.arrival_s[s.rank]), step);
      case OpKind::copy:
        return copy(step, s);
      case OpKind::reduce:
        return combine(step, s);
      case OpKind::send:
      case OpKind::recv:
        return post(step, s);
    }
  }

  void copy(std::uint32_t step, const Step& s) {
    const double cost_s = static_cast<double>(s.bytes) * model_.copy_s_per_byte;
    if (cost_s == 0.0) return add_end(now_, step);
    double& cpu_free_s = ranks_[s.rank].cpu_free_s;
    cpu_free_s = std::max(now_, cpu_free_s) + cost_s;
    add_end(cpu_free_s, step);
  }

  void combine(std::uint32_t step, const Step& s) {
    Rank& state = ranks_[s.rank];
    double start_s = std::max(now_, state.cpu_free_s);
    if (waits_for_ports()) start_s = std::max({start_s, state.in_free_s, state.out_free_s});
    const double end_s = start_s + static_cast<double>(s.bytes) * model_.gamma_s_per_byte;
    state.cpu_free_s = end_s;
    if (!model_.overlap) {
      state.in_free_s = std::max(state.in_free_s, end_s);
      state.out_free_s = std::max(state.out_free_s, end_s);
      add_ports_free(end_s, s.rank);
    }
    add_end(end_s, step);
  }

  /// What leaves unasked is under way without the processes at its ends.
  bool waits_for_ports() const { return !model_.overlap && model_.eager_bytes == 0; }

  /// One end of a message has come.
  void post(std::uint32_t step, const Step& s) {
    const bool sending = s.kind == OpKind::send;
    const std::uint32_t from = sending ? step : s.partner;
    if (s.partner == none || !posted_[s.partner]) {
      posted_[step] = true;
      if (sending && is_eager(s)) set_out_early_[step] = set_out(step, false);
    } else if (!set_out_early_.empty() && set_out_early_[from] != none) {
      ask_for(set_out_early_[from]);
    } else {
      set_out(from, true);
    }
  }

  bool is_eager(const Step& s) const {
    return model_.eager_bytes > 0 && s.bytes <= model_.eager_bytes && !s.asks;
  }

  std::uint32_t set_out(std::uint32_t from, bool asked) {
    const auto index = static_cast<std::uint32_t>(messages_.size());
    const Step& s = simulator_.steps_[from];
    Message& message = messages_.emplace_back();
    message.from = from;
    message.to = s.partner;
    message.from_rank = s.rank;
    message.to_rank = s.peer;
    message.asked = asked;
    message.ready_s = now_;
    Rank& to = ranks_[s.peer];
    ranks_[s.rank].outgoing.push_back(index);
    to.incoming.push_back(index);
    if (to.in_free_s > now_) slow_down(to);
    add_ports_free(now_, s.peer);
    return index;
  }

  /// The receiver of an eager message has come.
  void ask_for(std::uint32_t index) {
    Message& message = messages_[index];
    message.asked = true;
    if (message.end_s < 0.0) return;  // its end tells both
    if (message.end_s > now_)
      add_end(message.end_s, message.to, index);
    else
      add_end(now_, message.to);
  }

  bool can_start(const Message& message) const {
    return ranks_[message.from_rank].out_free_s <= now_ &&
           ranks_[message.to_rank].in_free_s <= now_;
  }

  /// Who has waited longest goes first, then the lower receiver, then the lower sender.
  bool is_before(std::uint32_t a, std::uint32_t b) const {
    const Message &x = messages_[a], &y = messages_[b];
    return std::tie(x.ready_s, x.to_rank, x.from_rank, a) <
           std::tie(y.ready_s, y.to_rank, y.from_rank, b);
  }

  std::uint32_t first_to_start(const Rank& rank) const {
    std::uint32_t found = none;
    const auto look = [&](double free_s, const std::vector<std::uint32_t>& pending) {
      if (free_s > now_) return;
      for (const std::uint32_t index : pending)
        if (can_start(messages_[index]) && (found == none || is_before(index, found)))
          found = index;
    };
    look(rank.in_free_s, rank.incoming);
    look(rank.out_free_s, rank.outgoing);
    return found;
  }

  void start_transfers(const Rank& rank) {
    for (std::uint32_t index = first_to_start(rank); index != none; index = first_to_start(rank))
      start(index);
  }

  void start(std::uint32_t index) {
    Message& message = messages_[index];
    Rank& to = ranks_[message.to_rank];
    std::erase(ranks_[message.from_rank].outgoing, index);
    std::erase(to.incoming, index);
    to.arriving = index;
    message.updated_s = now_ + model_.alpha_s;
    message.left_s =
        static_cast<double>(simulator_.steps_[message.from].bytes) * model_.beta_s_per_byte;
    message.slowdown = slowdown(to);
    message.carried_s = carry(simulator_.steps_[message.from].bytes);
    if (!to.incoming.empty()) stall(message);
    schedule_end(index);
  }

  /// When what all share has done its part of one more message.
  double carry(std::size_t bytes) {
    if (!model_.shared.any()) return now_;
    shared_free_s_ = std::max(shared_free_s_, now_) + model_.shared.of(static_cast<double>(bytes));
    return shared_free_s_;
  }

  double link_slowdown(int rank) const {
    return model_.link_slowdown.empty() ? 1.0
                                        : model_.link_slowdown[static_cast<std::size_t>(rank)];
  }

  /// The port of the faster end is free again before the message has passed.
  void hold(double& free_s, int rank, const Message& message) {
    const double until_s =
        std::max(message.carried_s,
                 message.updated_s + message.left_s * message.slowdown * link_slowdown(rank));
    free_s = std::max(free_s, until_s);
    if (until_s < message.end_s) add_ports_free(until_s, rank);
  }

  double slowdown(const Rank& to) const {
    return 1.0 +
           std::min(model_.incast * static_cast<double>(to.incoming.size()), model_.incast_most);
  }

  void schedule_end(std::uint32_t index) {
    Message& message = messages_[index];
    const double slower_end =
        std::max(link_slowdown(message.from_rank), link_slowdown(message.to_rank));
    const double end_s = std::max(
        message.carried_s, message.updated_s + message.left_s * message.slowdown * slower_end);
    if (end_s == message.end_s) return;  // slowed down, but has no bytes left
    message.end_s = end_s;
    hold(ranks_[message.from_rank].out_free_s, message.from_rank, message);
    hold(ranks_[message.to_rank].in_free_s, message.to_rank, message);
    add_end_of(index);
  }

  /// One more message waits for the port while another is coming in: the rest of that one's bytes
  /// takes longer.
  void slow_down(const Rank& to) {
    if ((model_.incast == 0.0 && model_.incast_stall_s == 0.0) || to.arriving == none) return;
    Message& message = messages_[to.arriving];
    if (message.end_s <= now_) return;
    const double since_s = std::max(0.0, now_ - message.updated_s);
    message.left_s = std::max(0.0, message.left_s - since_s / message.slowdown);
    message.updated_s = std::max(message.updated_s, now_);
    message.slowdown = slowdown(to);
    stall(message);
    schedule_end(to.arriving);
  }

  void stall(Message& message) const {
    if (!message.stalled) message.updated_s += model_.incast_stall_s;
    message.stalled = true;
  }

  void use_ports(const Event& event) {
    if (event.where != none) return start_transfers(ranks_[event.where]);
    const int from = messages_[event.message].from_rank, to = messages_[event.message].to_rank;
    start_transfers(ranks_[from]);
    start_transfers(ranks_[to]);
  }

  void end(const Event& event) {
    if (event.where != none) return end(event.where);
    const std::uint32_t from = messages_[event.message].from, to = messages_[event.message].to;
    end(from);
    end(to);
  }

  void end(std::uint32_t step) {
    const int rank = simulator_.steps_[step].rank;
    timing_.op_end_s[rank][step - simulator_.first_step_[rank]] = now_;
    timing_.exit_s[rank] = std::max(timing_.exit_s[rank], now_);
    --open_;
    for (std::uint32_t i = simulator_.first_[step]; i < simulator_.first_[step + 1]; ++i)
      if (--waiting_[simulator_.dependents_[i]] == 0) begin(simulator_.dependents_[i]);
  }

  const Simulator& simulator_;
  const CostModel& model_;
  std::vector<Rank> ranks_;
  std::vector<Message> messages_;
  std::vector<std::uint32_t> waiting_;  // by step: for how many others
  std::vector<bool> posted_;
  std::vector<std::uint32_t> set_out_early_;  // by step: the message of an eager send
  std::vector<Event> events_;                 // a heap
  std::uint64_t sequence_ = 0;
  double shared_free_s_ = 0.0;
  std::size_t open_;
  double now_ = 0.0;
  Timing timing_;
};

Simulator::Simulator(const Schedule& schedule) : first_step_{0} {
  if (const Verdict structure = check_structure(schedule); !structure)
    throw Error(ErrorKind::internal, structure.problem);
  for (int rank = 0; rank < schedule.problem.ranks; ++rank) {
    for (const Op& op : schedule.programs[rank].ops)
      steps_.push_back(
          {op.kind, rank, op.peer, none,
           (op.kind == OpKind::send ? op.source : op.target).length * schedule.problem.unit_bytes,
           op.asks});
    first_step_.push_back(static_cast<std::uint32_t>(steps_.size()));
  }
  list_dependents(schedule);
  pair_messages(schedule);
}

void Simulator::list_dependents(const Schedule& schedule) {
  first_.assign(steps_.size() + 1, 0);
  waits_.reserve(steps_.size());
  for (int rank = 0; rank < schedule.problem.ranks; ++rank)
    for (const Op& op : schedule.programs[rank].ops) {
      waits_.push_back(static_cast<std::uint32_t>(op.after.size()));
      for (const OpId before : op.after) ++first_[first_step_[rank] + before + 1];
    }
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  dependents_.resize(first_.back());
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  std::uint32_t step = 0;
  for (int rank = 0; rank < schedule.problem.ranks; ++rank)
    for (const Op& op : schedule.programs[rank].ops) {
      for (const OpId before : op.after) dependents_[next[first_step_[rank] + before]++] = step;
      ++step;
    }
}

void Simulator::pair_messages(const Schedule& schedule) {
  // All sends, by receiver, then by sender, then in program order, which is that of their tags.
  std::vector<std::uint32_t> next(static_cast<std::size_t>(schedule.problem.ranks) + 1, 0);
  for (const Step& step : steps_)
    if (step.kind == OpKind::send) ++next[step.peer + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  const std::vector<std::uint32_t> first(next);
  std::vector<std::uint32_t> sends(first.back());
  for (std::uint32_t step = 0; step < steps_.size(); ++step)
    if (steps_[step].kind == OpKind::send) sends[next[steps_[step].peer]++] = step;
  std::uint32_t here = 0;
  for (int rank = 0; rank < schedule.problem.ranks; ++rank)
    for (const Op& op : schedule.programs[rank].ops) {
      const std::uint32_t step = here++;
      if (op.kind != OpKind::recv) continue;
      const auto end = sends.begin() + first[rank + 1];
      const auto from =
          std::lower_bound(sends.begin() + first[rank], end, op.peer,
                           [&](std::uint32_t send, int peer) { return steps_[send].rank < peer; });
      if (op.tag >= end - from || steps_[from[op.tag]].rank != op.peer) continue;
      steps_[step].partner = from[op.tag];
      steps_[from[op.tag]].partner = step;
    }
}

Timing Simulator::run(const ArrivalPattern& pattern, const CostModel& model) const {
  validate(pattern, ranks());
  validate(model);
  if (!model.link_slowdown.empty() &&
      model.link_slowdown.size() != static_cast<std::size_t>(ranks()))
    throw Error(ErrorKind::argument, "there are " + std::to_string(model.link_slowdown.size()) +
                                         " links of " + std::to_string(ranks()) + " processes");
  return Play(*this, pattern, model).run();
}

Timing simulate(const Schedule& schedule, const ArrivalPattern& pattern, const CostModel& model) {
  return Simulator(schedule).run(pattern, model);
}

}  // namespace pat
