// Clairvoyant with a segment tree over the processes, one bit a state.
// Cost: O(R P (N / SIMD) log P); R rounds, P processes, N segments, SIMD bits of a vector register.
//   5 bits of memory for each pair of process and segment.
// Source: seed 000 Listings 3 to 8. Four changes make it exact (docs/clairvoyant.md): the second
//   index of a process is used when it is a round later than the head (the listing compares the
//   remainders, which is wrong for equal ones); a sender keeps its true column beside the tree, as
//   it may still receive; the root is kept outside the tree and is the first candidate sender; what
//   comes into an emptied slot is marked as a copy.

#include <bit>
#include <numeric>

#include "collectives/clairvoyant/column_tree.hpp"
#include "collectives/clairvoyant/generators.hpp"
#include "collectives/clairvoyant/isa.hpp"
#include "collectives/clairvoyant/ready.hpp"

namespace pat::clairvoyant {
namespace {

using Word = std::uint64_t;

class SegmentTree {
 public:
  SegmentTree(const Instance& instance, MessageList& out)
      : in_(instance),
        out_(out),
        ready_(instance),
        words_((instance.segments + 63) / 64),
        index_(instance.ranks),
        leaf_(instance.ranks, 0),
        held_(instance.ranks, instance.segments),
        column_(words_ * instance.ranks, ~Word{0}),
        tree_(std::bit_ceil(2 * static_cast<std::size_t>(instance.ranks)), words_),
        found_(words_) {
    const int rest = in_.segments % 64;
    if (rest != 0)
      for (int p = 0; p < in_.ranks; ++p) column(p)[words_ - 1] = (Word{1} << rest) - 1;
    number_processes();
    ready_.start();
  }

  PAT_INLINE void run() {
    do
      while (!ready_.alone()) {
        play_round();
        ready_.next_group([&](int process) {
          if (held_[process] > 0) return false;
          clear_leaf(process);
          return true;
        });
      }
    while (ready_.skip());
  }

 private:
  Word* column(int process) { return column_.data() + words_ * process; }
  static bool bit(const Word* words, int position) {
    return words[position / 64] >> (position % 64) & 1;
  }

  /// Index by remainder (paper) or by the fixed order of latest_first; ties by rank.
  void number_processes() {
    std::vector<int> order(in_.ranks);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
      return in_.order == Order::paper ? in_.part[a] < in_.part[b] : in_.tick[a] > in_.tick[b];
    });
    for (int i = 0; i < in_.ranks; ++i) index_[order[i]] = i;
    process_ = std::move(order);
  }

  std::size_t leaf_now(int process) const {
    const bool later =
        in_.order == Order::paper && ready_.tick(process) != ready_.tick(ready_.head());
    return tree_.leaves() + index_[process] + (later ? in_.ranks : 0);
  }

  void clear_leaf(int process) {
    if (leaf_[process] == 0) return;
    tree_.clear(leaf_[process]);
    leaf_[process] = 0;
  }

  /// Puts every ready process's column at its leaf and builds the tree over the leaves in use.
  PAT_INLINE void rebuild() {
    std::size_t low = 2 * tree_.leaves(), high = 0;
    for (const int process : ready_.group()) {
      if (process == in_.root) continue;
      const std::size_t leaf = leaf_now(process);
      if (leaf_[process] != leaf) clear_leaf(process);
      leaf_[process] = leaf;
      std::copy_n(column(process), words_, tree_.node(leaf));
      low = std::min(low, leaf);
      high = std::max(high, leaf);
    }
    tree_.update_all(low, high);
  }

  PAT_INLINE void play_round() {
    rebuild();
    const auto& group = ready_.group();
    root_can_send_ = group.front() == in_.root;
    const std::size_t first = out_.messages.size();
    for (const int receiver : group) serve(receiver, receiver == group.front());
    if (out_.messages.size() > first)
      out_.rounds.push_back(ready_.listed(static_cast<std::uint32_t>(first)));
    for (std::size_t m = first; m < out_.messages.size(); ++m) {
      const Message& message = out_.messages[m];
      column(message.receiver())[message.segment() / 64] |= Word{1} << (message.segment() % 64);
    }
  }

  PAT_INLINE void serve(int receiver, bool sink) {
    all_except(receiver);
    if (!sink) {
      const Word* own = column(receiver);
      for (std::size_t w = 0; w < words_; ++w) found_[w] &= own[w];
    }
    for (std::size_t w = 0; w < words_; ++w)
      if (found_[w] != 0) {
        const int segment = static_cast<int>(64 * w) + std::countr_zero(found_[w]);
        return transfer(first_sender(receiver, segment), receiver, segment);
      }
  }

  /// found_ = segments that somebody else can send (Listing 3).
  PAT_INLINE void all_except(int receiver) {
    if (receiver == in_.root) return void(std::copy_n(tree_.node(1), words_, found_.begin()));
    if (root_can_send_)
      std::copy_n(column(in_.root), words_, found_.begin());
    else
      std::fill(found_.begin(), found_.end(), Word{0});
    tree_.add_all_except(leaf_[receiver], found_.data());
  }

  /// The root, or the leftmost leaf with the segment (Listing 4) that is not the receiver's
  /// (Listing 5). There is one.
  PAT_INLINE int first_sender(int receiver, int segment) {
    if (root_can_send_ && receiver != in_.root && bit(column(in_.root), segment)) return in_.root;
    std::size_t leaf = tree_.first(segment);
    if (receiver != in_.root && leaf == leaf_[receiver]) leaf = tree_.next(leaf, segment);
    return owner(leaf);
  }
  int owner(std::size_t leaf) const {
    const std::size_t index = leaf - tree_.leaves();
    return process_[index < process_.size() ? index : index - process_.size()];
  }

  PAT_INLINE void transfer(int sender, int receiver, int segment) {
    const std::size_t w = segment / 64;
    const Word one = Word{1} << (segment % 64);
    const bool copies = (column(receiver)[w] & one) == 0;
    out_.messages.emplace_back(sender, receiver, segment, copies);
    column(sender)[w] &= ~one;
    --held_[sender];
    column(receiver)[w] &= ~one;  // P': neither sent nor combined again in this round
    held_[receiver] += copies;
    if (sender == in_.root)
      root_can_send_ = false;
    else
      tree_.clear(leaf_[sender]);
    if (receiver != in_.root && leaf_[receiver] != 0) {
      tree_.node(leaf_[receiver])[w] &= ~one;
      tree_.update(leaf_[receiver], segment);
    }
  }

  const Instance& in_;
  MessageList& out_;
  Ready ready_;
  std::size_t words_;
  std::vector<std::size_t> index_;
  std::vector<int> process_;       // by index
  std::vector<std::size_t> leaf_;  // node of a ready process's leaf, else 0
  std::vector<int> held_;
  std::vector<Word> column_;  // what each process holds; P' counts as empty within its round
  ColumnTree tree_;           // of it, what can still be sent in this round
  std::vector<Word> found_;
  bool root_can_send_ = false;
};

#if PAT_X86_TARGETS
PAT_TARGET_AVX2 void run_avx2(SegmentTree& tree) {
  tree.run();
}
PAT_TARGET_AVX512 void run_avx512(SegmentTree& tree) {
  tree.run();
}
#endif

}  // namespace

void segment_tree(const Instance& instance, MessageList& out) {
  out.clear();
  SegmentTree tree(instance, out);
#if PAT_X86_TARGETS
  if (chosen_isa() == Isa::avx512) return run_avx512(tree);
  if (chosen_isa() == Isa::avx2) return run_avx2(tree);
#endif
  tree.run();
}

}  // namespace pat::clairvoyant
