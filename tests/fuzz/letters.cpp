// Letters of dynamic algorithms on the wire, and what one process makes of them.

#include "libpat/execution/letters.hpp"

#include "collectives/algorithm.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace pat;

namespace {

/// One process of a call: it gets letters in any order, and its transfers end in that in which they
/// began.
class Process {
 public:
  Process(const Algorithm& algorithm, const Problem& problem, int rank)
      : ranks_(problem.ranks), rank_(rank), protocol_(algorithm.protocol(problem, rank)) {}

  bool done() const { return protocol_->done(); }
  void take(int from, const Note& note) { protocol_->take(from, note); }
  void act() {
    Actions actions;
    protocol_->act(now_s_ += 1e-3, actions);
    for (const Actions::Letter& letter : actions.letters) require_other(letter.to);
    append(actions.sends, sends_);
    append(actions.receives, receives_);
  }
  void end_send() {
    if (sends_.empty()) return;
    protocol_->sent(sends_.front());
    sends_.erase(sends_.begin());
  }
  void end_receive() {
    if (receives_.empty()) return;
    protocol_->received(receives_.front());
    receives_.erase(receives_.begin());
  }

 private:
  void require_other(int rank) const { fuzz::require(rank >= 0 && rank < ranks_ && rank != rank_); }
  void append(const std::vector<Actions::Transfer>& begun, std::vector<int>& pieces) const {
    for (const Actions::Transfer& transfer : begun) {
      require_other(transfer.peer);
      fuzz::require(transfer.piece >= 0 && transfer.piece < protocol_->pieces());
      pieces.push_back(transfer.piece);
    }
  }

  int ranks_, rank_;
  std::unique_ptr<Protocol> protocol_;
  double now_s_ = 0.0;
  std::vector<int> sends_, receives_;  // pieces
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Bytes bytes(data, size);
  Problem problem;
  problem.units = 1024;
  constexpr std::pair<Operation, const char*> chosen[] = {
      {Operation::reduce, "local-redirect"}, {Operation::reduce, "local-redirect-seg"},
      {Operation::reduce, "tree-dyn"},       {Operation::reduce, "non-commut-tree-dyn"},
      {Operation::bcast, "arrival-b"},       {Operation::bcast, "arrival-nb"}};
  const auto [operation, name] = chosen[bytes.upto(5)];
  problem.operation = operation;
  problem.ranks = 2 + bytes.upto(7);
  problem.root = bytes.upto(problem.ranks - 1);
  problem.segments = 1 + bytes.upto(4);
  const int rank = bytes.upto(problem.ranks - 1);
  Process process(get_algorithm(operation, name), problem, rank);
  detail::Letters letters;
  constexpr detail::CallKey call{0, 0};
  process.act();
  while (!bytes.empty() && !process.done()) {
    fuzz::read([&] {
      switch (bytes.upto(3)) {
        case 0: {
          const int from = (rank + 1 + bytes.upto(problem.ranks - 2)) % problem.ranks;
          const std::string message = bytes.string(16);
          letters.put(from, fuzz::as_bytes(message), message.size());
          break;
        }
        case 1:
          process.end_send();
          break;
        case 2:
          process.end_receive();
          break;
        default:
          letters.close({bytes.number<std::uint8_t>() % 64u, bytes.number<std::uint32_t>()});
      }
      for (const auto& [from, note] : letters.take(call)) process.take(from, note);
      process.act();
    });
  }
  return 0;
}
