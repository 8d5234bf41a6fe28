#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/helsim-mini/grid.hpp"
#include "apps/helsim-mini/magnetic_field.hpp"

namespace helsim {

/// A denser place: the number of particles per cell rises by `peak` times the plain one, falling
/// off as exp(-r^2 / radius^2).
struct Blob {
  Vec3 centre{};
  double radius = 1.0;
  double peak = 0.0;
};

/// A displacement of the particles by amplitude sin(k x) along k, with k of this mode of the box.
struct Wave {
  Int3 mode{};
  double amplitude = 0.0;
};

/// One species as it is at the start.
struct SpeciesCase {
  std::string name;
  double charge = -1.0;
  double mass = 1.0;
  double density = 1.0;  ///< of a plain cell
  int per_cell = 1;      ///< particles in a plain cell
  bool lattice = false;  ///< evenly spaced along x in each cell (quiet) instead of at random
  Vec3 drift{};
  double thermal_speed = 0.0;  ///< standard deviation of each velocity component
  std::optional<Blob> blob;
  Wave wave;

  /// Density that one particle stands for when it is alone in a cell.
  double weight() const { return density / per_cell; }
};

/// From where and how the pictures are taken.
struct View {
  double azimuth_deg = 30.0;
  double elevation_deg = 20.0;
  double turn_deg_per_step = 0.0;
  double particle_radius = 0.15;  ///< in cells
  int draw_every = 1;             ///< every how many-th particle is drawn
  double speed_scale = 1.0;       ///< speed at the upper end of the colour scale
  double density_low = 1.5;       ///< density at which the volume begins to show
  double density_high = 4.0;      ///< density at the upper end of the colour scale
  double opacity = 1.0;           ///< optical depth of one cell at density_high
};

/// A named case of the input file.
struct Case {
  std::string name;
  Grid grid;
  double time_step = 0.1;
  std::uint64_t seed = 1;
  MagneticField magnetic;
  std::vector<SpeciesCase> species;
  View view;
};

/// Reads the case `name` from JSON text; `source` is what to call it in errors. Throws
/// pat::Error(config) that names the key, or lists the cases there are.
Case read_case(const std::string& json, const std::string& source, const std::string& name);

/// The names of the cases in JSON text. Throws as read_case.
std::vector<std::string> case_names(const std::string& json, const std::string& source);

/// The input file that the program carries with it: apps/helsim-mini/cases.json.
std::string_view built_in_cases();

}  // namespace helsim
