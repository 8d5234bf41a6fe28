#include "libpat/session/twin_tally.hpp"

namespace pat::detail {
namespace {

void add_judgement(const Judge& judge, Tally& tally) {
  tally.trials = judge.trial_calls();
  tally.lost_to_trials_s = judge.lost_to_trials_s();
  if (const Selection* chosen = judge.chosen())
    tally.expected = {chosen->expected_s, chosen->mpi_s, chosen->runner_up, chosen->runner_up_s};
}

}  // namespace

std::uint64_t group_of(const Twin& comm) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (int rank = 0; rank < comm.size(); ++rank)
    hash = (hash ^ static_cast<std::uint64_t>(comm.session_rank(rank))) * 0x100000001b3u;
  return hash;
}

TallyKey tally_key(const Twin& comm, const Series& series) {
  const CallSignature& made = series.signature;
  return {std::string(name(made.operation)),
          series.of_any_kind ? TallyKey::any_root : made.root,
          comm.session_rank(series.leader_rank),
          made.block_bytes,
          made.varying,
          series.forced ? series.forced->name : "auto",
          group_of(comm),
          comm.size(),
          !series.left_because.empty()};
}

Tally final_tally(const Twin& comm, const Series& series) {
  Tally tally = series.tally;
  if (comm.rank() != series.leader_rank) {
    tally.reasons = {};
    return tally;
  }
  if (!series.left_because.empty()) {
    tally.reasons.add(series.left_because, tally.calls());
    return tally;
  }
  const auto& stream = static_cast<const Stream&>(series);
  if (stream.judge) add_judgement(*stream.judge, tally);
  if (stream.decided_until > stream.next_call)
    tally.reasons.take_back(stream.decided_until - stream.next_call);
  if (stream.next_call > 0)
    tally.reasons.add(
        stream.forced ? "chosen by the user" : "mpi: the first call goes without a forecast", 1);
  return tally;
}

}  // namespace pat::detail
