// Reads pairs of numbers, one pair a line, and prints the ratio of the medians of the first and the
// second with its 95 % bootstrap interval, and the quartiles of the ratios of the pairs.
//
//   paired_ratio NAME < pairs

#include <cstdio>
#include <iostream>
#include <vector>

#include "core/inference.hpp"
#include "core/statistics.hpp"

int main(int argc, char** argv) {
  std::vector<double> first, second, ratios;
  for (double a = 0.0, b = 0.0; std::cin >> a >> b;) {
    first.push_back(a);
    second.push_back(b);
    ratios.push_back(a / b);
  }
  if (argc != 2 || first.size() < 2) {
    std::fprintf(stderr, "usage: paired_ratio NAME < FILE, lines of two numbers, two at least\n");
    return 2;
  }
  const pat::Interval interval = pat::bootstrap_median_ratio(first, second, 1);
  std::printf("%s: %.3f (%.3f to %.3f), ratios of %zu pairs: quartiles %.3f to %.3f\n", argv[1],
              pat::median(first) / pat::median(second), interval.lower, interval.upper,
              first.size(), pat::quantile(ratios, 0.25), pat::quantile(ratios, 0.75));
}
