#include "apps/fft/reference.hpp"

#include <fftw3.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace pat::fft {

struct Reference::Plan {
  explicit Plan(std::size_t size)
      : samples(size),
        spectrum(size / 2 + 1),
        handle(fftwf_plan_dft_r2c_1d(static_cast<int>(size), samples.data(),
                                     reinterpret_cast<fftwf_complex*>(spectrum.data()),
                                     FFTW_ESTIMATE)) {}
  ~Plan() { fftwf_destroy_plan(handle); }

  std::vector<float> samples;
  std::vector<Complex> spectrum;
  fftwf_plan handle;
};

Reference::Reference(std::size_t size) : plan_(std::make_unique<Plan>(size)) {}
Reference::~Reference() = default;

double Reference::relative_error(std::span<const float> block, std::span<const Complex> spectrum) {
  std::copy(block.begin(), block.end(), plan_->samples.begin());
  fftwf_execute(plan_->handle);
  double difference = 0.0;
  double magnitude = 0.0;
  for (std::size_t k = 0; k < plan_->spectrum.size(); ++k) {
    const double apart = std::abs(spectrum[k] - plan_->spectrum[k]);
    if (std::isnan(apart)) return std::numeric_limits<double>::infinity();
    difference = std::max(difference, apart);
    magnitude = std::max<double>(magnitude, std::abs(plan_->spectrum[k]));
  }
  return magnitude > 0.0 ? difference / magnitude : difference;
}

}  // namespace pat::fft
