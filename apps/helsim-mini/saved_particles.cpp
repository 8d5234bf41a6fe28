#include "apps/helsim-mini/saved_particles.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>

#include "core/errors.hpp"

namespace helsim {
namespace {

/// The second line of the file.
struct Header {
  std::vector<std::size_t> cells;
  double time = 0.0;
  std::vector<std::size_t> particles;
};

[[noreturn]] void fail(const std::string& path, const std::string& why) {
  throw pat::Error(pat::ErrorKind::io, "cannot use " + path + ": " + why);
}

std::vector<std::size_t> whole_numbers(const nlohmann::json& line, const char* key,
                                       const std::string& path) {
  for (const auto& number : line.at(key))
    if (!number.is_number_unsigned())
      fail(path, std::string("its ") + key + " are no whole numbers");
  return line.at(key).get<std::vector<std::size_t>>();
}

Header header_of(const std::string& text, const std::string& path) {
  try {
    const nlohmann::json line = nlohmann::json::parse(text);
    return {whole_numbers(line, "cells", path), line.at("time").get<double>(),
            whole_numbers(line, "particles", path)};
  } catch (const nlohmann::json::exception&) {
    fail(path, "its second line is not the JSON that belongs there");
  }
}

bool is_usable(const Particle& particle, const Grid& grid) {
  for (int a = 0; a < 3; ++a)
    if (!(particle.position[a] >= 0.0 && particle.position[a] <= grid.length[a]) ||
        !std::isfinite(particle.velocity[a]))
      return false;
  return true;
}

}  // namespace

SavedParticles parse_particles(const std::string& bytes, const Case& setup, const Box& box,
                               const std::string& path) {
  const std::size_t first = bytes.find('\n');
  const std::size_t second = first == std::string::npos ? first : bytes.find('\n', first + 1);
  if (second == std::string::npos || bytes.substr(0, first) != particle_file_signature)
    fail(path, "it does not begin with '" + std::string(particle_file_signature) + "'");
  const Header header = header_of(bytes.substr(first + 1, second - first - 1), path);
  if (!std::ranges::equal(header.cells, setup.grid.cells, std::ranges::equal_to(), {},
                          [](int cells) { return static_cast<std::size_t>(cells); }) ||
      header.particles.size() != setup.species.size())
    fail(path, "its cells or species are not those of the case '" + setup.name + "'");
  SavedParticles saved;
  saved.time = header.time;
  std::size_t at = second + 1;
  for (const std::size_t count : header.particles) {
    if ((bytes.size() - at) / sizeof(Particle) < count) fail(path, "it ends too early");
    saved.species.emplace_back();
    for (std::size_t n = 0; n < count; ++n, at += sizeof(Particle)) {
      Particle particle;
      std::memcpy(&particle, bytes.data() + at, sizeof(Particle));
      if (!is_usable(particle, setup.grid))
        fail(path, "it holds a particle outside the box, or one of no speed that could be meant");
      if (box.contains(setup.grid.cell_of(particle.position))) saved.species.back().add(particle);
    }
  }
  return saved;
}

}  // namespace helsim
