#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace pat {

/// The last `capacity` values, oldest first. Bounded memory, constant time.
class Window {
 public:
  explicit Window(std::size_t capacity) : values_(capacity) {}
  void push(double value) {
    values_[next_] = value;
    next_ = (next_ + 1) % values_.size();
    size_ = std::min(size_ + 1, values_.size());
  }
  void clear() { next_ = size_ = 0; }
  std::size_t size() const { return size_; }
  bool full() const { return size_ == values_.size(); }
  std::size_t capacity() const { return values_.size(); }
  /// Value `age` steps back: 0 is the newest.
  double back(std::size_t age) const {
    return values_[(next_ + values_.size() - 1 - age) % values_.size()];
  }
  double oldest() const { return back(size_ - 1); }
  std::vector<double> to_vector() const {
    std::vector<double> copy(size_);
    for (std::size_t i = 0; i < size_; ++i) copy[i] = back(size_ - 1 - i);
    return copy;
  }

 private:
  std::vector<double> values_;
  std::size_t next_ = 0, size_ = 0;
};

/// The last `capacity` values, kept in order of size too, so that a quantile costs nothing.
class SortedWindow {
 public:
  explicit SortedWindow(std::size_t capacity) : window_(capacity) { sorted_.reserve(capacity); }
  void push(double value) {
    if (window_.full())
      sorted_.erase(std::lower_bound(sorted_.begin(), sorted_.end(), window_.oldest()));
    sorted_.insert(std::upper_bound(sorted_.begin(), sorted_.end(), value), value);
    window_.push(value);
  }
  void clear() {
    window_.clear();
    sorted_.clear();
  }
  std::size_t size() const { return sorted_.size(); }
  double largest() const { return sorted_.back(); }
  /// Value at a fractional position between 0 and size() - 1, interpolated.
  double at(double position) const {
    const double last = static_cast<double>(sorted_.size() - 1);
    const double clamped = std::clamp(position, 0.0, last);
    const auto below = static_cast<std::size_t>(clamped);
    const std::size_t above = std::min(below + 1, sorted_.size() - 1);
    return sorted_[below] +
           (clamped - static_cast<double>(below)) * (sorted_[above] - sorted_[below]);
  }
  double median() const { return at(0.5 * static_cast<double>(sorted_.size() - 1)); }

 private:
  Window window_;
  std::vector<double> sorted_;
};

}  // namespace pat
