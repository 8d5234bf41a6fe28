#include "apps/helsim-mini/case.hpp"

#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>

#include "core/errors.hpp"
#include "core/text.hpp"

namespace helsim {
namespace {

using nlohmann::json;

[[noreturn]] void refuse(const std::string& sentence) {
  throw pat::Error(pat::ErrorKind::config, sentence);
}

/// One JSON object, read key by key; knows its path for errors and which keys it was asked for.
class Object {
 public:
  Object(const json& value, std::string path) : value_(value), path_(std::move(path)) {
    if (!value.is_object()) refuse("'" + path_ + "' must be an object in braces");
  }

  double number(const std::string& key, double fallback) { return number(key, &fallback); }
  double number(const std::string& key) { return number(key, nullptr); }
  double positive(const std::string& key, const double* fallback = nullptr) {
    const double value = number(key, fallback);
    if (!(value > 0.0)) refuse(at(key) + " must be above 0");
    return value;
  }
  int whole(const std::string& key, int fallback, int low, int high) {
    const json* value = find(key);
    if (!value) return fallback;
    return whole_value(*value, at(key), low, high);
  }
  std::string text(const std::string& key, const std::string& fallback) {
    const json* value = find(key);
    if (!value) return fallback;
    if (!value->is_string()) refuse(at(key) + " must be a text in quotes");
    return value->get<std::string>();
  }
  Vec3 vector(const std::string& key, const Vec3& fallback) {
    const json* value = find(key);
    if (!value) return fallback;
    Vec3 out;
    for (int a = 0; a < 3; ++a) out[a] = number_value(element(*value, key, a), at(key));
    return out;
  }
  Int3 whole_vector(const std::string& key, int low, int high) {
    const json* value = find(key);
    if (!value) refuse(at(key) + " is missing");
    Int3 out;
    for (int a = 0; a < 3; ++a) out[a] = whole_value(element(*value, key, a), at(key), low, high);
    return out;
  }
  const json* find(const std::string& key) {
    asked_.insert(key);
    const auto found = value_.find(key);
    return found == value_.end() ? nullptr : &*found;
  }
  std::string path(const std::string& key) const { return path_ + "." + key; }
  std::string at(const std::string& key) const {
    return std::string(1, '\'').append(path(key)) + '\'';
  }

  /// Refuses keys that nobody asked for: a misspelt key must not pass in silence.
  void no_other_keys() const {
    for (const auto& [key, ignored] : value_.items()) {
      if (asked_.contains(key)) continue;
      refuse("unknown key " + at(key) + ", known here: " + pat::join(asked_, ", "));
    }
  }

 private:
  double number(const std::string& key, const double* fallback) {
    const json* value = find(key);
    if (value) return number_value(*value, at(key));
    if (!fallback) refuse(at(key) + " is missing");
    return *fallback;
  }
  static double number_value(const json& value, const std::string& where) {
    if (!value.is_number() || !std::isfinite(value.get<double>()))
      refuse(where + " must hold numbers");
    return value.get<double>();
  }
  static int whole_value(const json& value, const std::string& where, int low, int high) {
    const double number = value.is_number() ? value.get<double>() : low - 1.0;
    if (number != std::floor(number) || number < low || number > high)
      refuse(where + " must be whole, from " + std::to_string(low) + " to " + std::to_string(high));
    return static_cast<int>(number);
  }
  const json& element(const json& value, const std::string& key, int a) const {
    if (!value.is_array() || value.size() != 3)
      refuse(at(key) + " must be three numbers [x, y, z]");
    return value[static_cast<std::size_t>(a)];
  }

  const json& value_;
  std::string path_;
  std::set<std::string> asked_;
};

Blob read_blob(const json& value, const std::string& path) {
  Object object(value, path);
  Blob blob;
  blob.centre = object.vector("centre", blob.centre);
  blob.radius = object.positive("radius");
  blob.peak = object.positive("peak");
  object.no_other_keys();
  return blob;
}

Wave read_wave(const json& value, const std::string& path) {
  Object object(value, path);
  Wave wave;
  wave.mode = object.whole_vector("mode", -1024, 1024);
  wave.amplitude = object.number("amplitude");
  object.no_other_keys();
  if (wave.mode == Int3{0, 0, 0}) refuse("'" + path + ".mode' must not be [0, 0, 0]");
  return wave;
}

SpeciesCase read_species(const json& value, const std::string& path) {
  Object object(value, path);
  SpeciesCase species;
  species.name = object.text("name", "");
  species.charge = object.number("charge", species.charge);
  species.mass = object.positive("mass", &species.mass);
  species.density = object.positive("density", &species.density);
  species.per_cell = object.whole("per_cell", species.per_cell, 1, 4096);
  species.drift = object.vector("drift", species.drift);
  species.thermal_speed = object.number("thermal_speed", 0.0);
  if (species.thermal_speed < 0.0) refuse(object.at("thermal_speed") + " must not be negative");
  const std::string loading = object.text("loading", "random");
  if (loading != "random" && loading != "lattice")
    refuse(object.at("loading") + " is '" + loading + "', write lattice or random");
  species.lattice = loading == "lattice";
  if (const json* blob = object.find("blob")) species.blob = read_blob(*blob, object.path("blob"));
  if (const json* wave = object.find("wave")) species.wave = read_wave(*wave, object.path("wave"));
  object.no_other_keys();
  return species;
}

MagneticField read_magnetic(const json& value, const std::string& path) {
  Object object(value, path);
  MagneticField field;
  field.uniform = object.vector("uniform", field.uniform);
  field.moment = object.vector("moment", field.moment);
  field.centre = object.vector("centre", field.centre);
  field.core = object.positive("core", &field.core);
  object.no_other_keys();
  return field;
}

View read_view(const json& value, const std::string& path) {
  Object object(value, path);
  View view;
  view.azimuth_deg = object.number("azimuth_deg", view.azimuth_deg);
  view.elevation_deg = object.number("elevation_deg", view.elevation_deg);
  view.turn_deg_per_step = object.number("turn_deg_per_step", view.turn_deg_per_step);
  view.particle_radius = object.positive("particle_radius", &view.particle_radius);
  view.draw_every = object.whole("draw_every", view.draw_every, 1, 1 << 20);
  view.speed_scale = object.positive("speed_scale", &view.speed_scale);
  view.density_low = object.number("density_low", view.density_low);
  view.density_high = object.number("density_high", view.density_high);
  view.opacity = object.positive("opacity", &view.opacity);
  object.no_other_keys();
  if (view.density_high <= view.density_low)
    refuse(object.at("density_high") + " must be above density_low");
  return view;
}

json parse(const std::string& text, const std::string& source) {
  try {
    json file = json::parse(text, nullptr, true, true);
    if (!file.is_object()) refuse(source + " must hold an object with one key for each case");
    return file;
  } catch (const json::exception& error) {
    refuse(source + " is not JSON: " + error.what());
  }
}

std::string list(const json& file) {
  return pat::join(file.items(), ", ", [](const auto& item) { return item.key(); });
}

/// A misprint must not fill the memory before anyone sees it.
void check_extent(const Case& read, const std::string& cells_key) {
  constexpr double most_cells = 1 << 28, most_particles = 1LL << 32;
  double cells = 1.0, per_cell = 0.0;
  for (const int count : read.grid.cells) cells *= count;
  for (const SpeciesCase& species : read.species) per_cell += species.per_cell;
  if (cells > most_cells)
    refuse(cells_key + " make " + std::to_string(static_cast<long long>(cells)) +
           " cells, give at most " + std::to_string(1 << 28));
  if (cells * per_cell > most_particles)
    refuse(cells_key + " and 'per_cell' make more than " + std::to_string(1LL << 32) +
           " particles, give smaller numbers");
}

}  // namespace

Case read_case(const std::string& text, const std::string& source, const std::string& name) {
  const json file = parse(text, source);
  const auto found = file.find(name);
  if (found == file.end())
    refuse("there is no case '" + name + "' in " + source + ", it has: " + list(file));
  Object object(*found, name);
  Case result;
  result.name = name;
  result.grid.cells = object.whole_vector("cells", 2, 4096);
  result.grid.length = object.vector("length", {0.0, 0.0, 0.0});
  for (double length : result.grid.length)
    if (!(length > 0.0)) refuse(object.at("length") + " must be three numbers above 0");
  result.time_step = object.positive("time_step", &result.time_step);
  result.seed = static_cast<std::uint64_t>(object.whole("seed", 1, 0, 1 << 30));
  if (const json* magnetic = object.find("magnetic_field"))
    result.magnetic = read_magnetic(*magnetic, object.path("magnetic_field"));
  if (const json* view = object.find("view")) result.view = read_view(*view, object.path("view"));
  const json* species = object.find("species");
  if (!species || !species->is_array() || species->empty())
    refuse(object.at("species") + " must be a list of at least one species");
  for (std::size_t s = 0; s < species->size(); ++s)
    result.species.push_back(
        read_species((*species)[s], object.path("species[" + std::to_string(s) + "]")));
  object.no_other_keys();
  check_extent(result, object.at("cells"));
  return result;
}

std::vector<std::string> case_names(const std::string& text, const std::string& source) {
  std::vector<std::string> names;
  const json file = parse(text, source);
  for (const auto& [name, ignored] : file.items()) names.push_back(name);
  return names;
}

}  // namespace helsim
