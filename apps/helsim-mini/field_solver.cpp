#include "apps/helsim-mini/field_solver.hpp"

#include <fftw3.h>

#include <numbers>

namespace helsim {
namespace {

using Complex = std::complex<double>;

fftw_complex* raw(Complex* values) {
  return reinterpret_cast<fftw_complex*>(values);
}

std::vector<Box> all_blocks(const Domain& domain) {
  std::vector<Box> boxes;
  for (int r = 0; r < domain.ranks(); ++r) boxes.push_back(domain.box_of(r));
  return boxes;
}

Box half_spectrum(const Grid& grid) {
  Box box = grid.box();
  box.hi[0] = grid.cells[0] / 2 + 1;
  return box;
}

/// Wave number of mode m of n along an axis.
double wave_number(const Grid& grid, int axis, int m) {
  const int n = grid.cells[axis];
  return 2.0 * std::numbers::pi / grid.length[axis] * (m <= n / 2 ? m : m - n);
}

/// The same for a derivative: the highest mode of an even grid has none that is real.
double derivative_number(const Grid& grid, int axis, int m) {
  return 2 * m == grid.cells[axis] ? 0.0 : wave_number(grid, axis, m);
}

}  // namespace

/// Transforms of one plane (x and y) and of one line (z). Estimated plans without assumptions on
/// alignment, so that every plane on every process is transformed by the same instructions.
struct FieldSolver::Plans {
  fftw_plan plane_forward, plane_backward, line_forward, line_backward;

  Plans(const Grid& grid, const Box& modes) {
    const int nx = grid.cells[0], ny = grid.cells[1], nz = grid.cells[2];
    const unsigned flags = FFTW_ESTIMATE | FFTW_UNALIGNED;
    std::vector<double> nodes(static_cast<std::size_t>(nx) * ny);
    std::vector<Complex> plane(static_cast<std::size_t>(modes.size(0)) * ny);
    plane_forward = fftw_plan_dft_r2c_2d(ny, nx, nodes.data(), raw(plane.data()), flags);
    plane_backward = fftw_plan_dft_c2r_2d(ny, nx, raw(plane.data()), nodes.data(), flags);
    std::vector<Complex> one(static_cast<std::size_t>(nz));
    const auto line = [&](int sign) {
      return fftw_plan_dft_1d(nz, raw(one.data()), raw(one.data()), sign, flags);
    };
    line_forward = line(FFTW_FORWARD);
    line_backward = line(FFTW_BACKWARD);
  }
  /// Transforms every line along z of the slab in place.
  void along_z(fftw_plan plan, const Box& slab, std::vector<Complex>& modes) const {
    const auto length = static_cast<std::size_t>(slab.size(2));
    const std::size_t lines = modes.size() / length;
    std::vector<Complex> line(length);
    for (std::size_t n = 0; n < lines; ++n) {
      for (std::size_t k = 0; k < length; ++k) line[k] = modes[k * lines + n];
      fftw_execute_dft(plan, raw(line.data()), raw(line.data()));
      for (std::size_t k = 0; k < length; ++k) modes[k * lines + n] = line[k];
    }
  }
  ~Plans() {
    for (fftw_plan plan : {plane_forward, plane_backward, line_forward, line_backward})
      fftw_destroy_plan(plan);
  }
};

FieldSolver::FieldSolver(const Domain& domain)
    : domain_(domain),
      modes_(half_spectrum(domain.grid())),
      plane_nodes_(slabs(domain.grid().box(), 2, domain.ranks())),
      plane_modes_(slabs(modes_, 2, domain.ranks())),
      line_modes_(slabs(modes_, 1, domain.ranks())),
      blocks_to_planes_(domain.comm(), all_blocks(domain), plane_nodes_),
      planes_to_lines_(domain.comm(), plane_modes_, line_modes_),
      plans_(std::make_unique<Plans>(domain.grid(), modes_)) {}

FieldSolver::~FieldSolver() = default;

void FieldSolver::to_modes(const std::vector<double>& density) {
  std::vector<double> planes;
  blocks_to_planes_.forward(density, planes);
  const Box& nodes = plane_nodes_[domain_.rank()];
  const Box& modes = plane_modes_[domain_.rank()];
  std::vector<Complex> spectrum(modes.volume());
  for (int k = nodes.lo[2]; k < nodes.hi[2]; ++k)
    fftw_execute_dft_r2c(plans_->plane_forward, &planes[nodes.index(0, 0, k)],
                         raw(&spectrum[modes.index(0, 0, k)]));
  planes_to_lines_.forward(spectrum, potential_);
  plans_->along_z(plans_->line_forward, line_modes_[domain_.rank()], potential_);
}

void FieldSolver::component_to_nodes(int axis, std::vector<double>& nodes) {
  const Grid& grid = domain_.grid();
  const Box& lines = line_modes_[domain_.rank()];
  std::vector<Complex> component(potential_.size());
  for (int k = lines.lo[2]; k < lines.hi[2]; ++k)
    for (int j = lines.lo[1]; j < lines.hi[1]; ++j)
      for (int i = lines.lo[0]; i < lines.hi[0]; ++i) {
        const int mode = axis == 0 ? i : axis == 1 ? j : k;
        const std::size_t n = lines.index(i, j, k);
        component[n] = Complex(0.0, -derivative_number(grid, axis, mode)) * potential_[n];
      }
  plans_->along_z(plans_->line_backward, lines, component);
  std::vector<Complex> spectrum;
  planes_to_lines_.backward(component, spectrum);
  const Box& plane_box = plane_nodes_[domain_.rank()];
  const Box& modes = plane_modes_[domain_.rank()];
  std::vector<double> planes(plane_box.volume());
  for (int k = plane_box.lo[2]; k < plane_box.hi[2]; ++k)
    fftw_execute_dft_c2r(plans_->plane_backward, raw(&spectrum[modes.index(0, 0, k)]),
                         &planes[plane_box.index(0, 0, k)]);
  blocks_to_planes_.backward(planes, nodes);
}

void FieldSolver::solve(const std::vector<double>& charge_density, VectorField& field) {
  const Grid& grid = domain_.grid();
  to_modes(charge_density);
  const Box& lines = line_modes_[domain_.rank()];
  const double count = static_cast<double>(grid.box().volume());
  for (int k = lines.lo[2]; k < lines.hi[2]; ++k)
    for (int j = lines.lo[1]; j < lines.hi[1]; ++j)
      for (int i = lines.lo[0]; i < lines.hi[0]; ++i) {
        const double kx = wave_number(grid, 0, i), ky = wave_number(grid, 1, j);
        const double kz = wave_number(grid, 2, k), k2 = kx * kx + ky * ky + kz * kz;
        Complex& mode = potential_[lines.index(i, j, k)];
        mode = k2 > 0.0 ? mode / (k2 * count) : Complex(0.0, 0.0);
      }
  const Box& box = domain_.box();
  const Box& halo = domain_.node_box();
  std::vector<double> nodes;
  for (int axis = 0; axis < 3; ++axis) {
    component_to_nodes(axis, nodes);
    field[axis].resize(halo.volume());
    for (int k = box.lo[2]; k < box.hi[2]; ++k)
      for (int j = box.lo[1]; j < box.hi[1]; ++j)
        for (int i = box.lo[0]; i < box.hi[0]; ++i)
          field[axis][halo.index(i, j, k)] = nodes[box.index(i, j, k)];
    domain_.fill_halo(field[axis]);
  }
}

}  // namespace helsim
