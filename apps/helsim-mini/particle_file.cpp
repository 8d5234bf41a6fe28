#include "apps/helsim-mini/particle_file.hpp"

#include <cstdio>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "apps/helsim-mini/mpi_error.hpp"
#include "core/whole_file.hpp"

namespace helsim {
namespace {

constexpr const char* signature = "helsim-particles 1";

[[noreturn]] void fail(const std::string& path, const std::string& why) {
  throw pat::Error(pat::ErrorKind::io, "cannot use " + path + ": " + why);
}

/// The bytes of a file and whether it could be read, the same on every process.
std::string broadcast_file(MPI_Comm comm, const std::string& path) {
  int rank = 0;
  check_mpi(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  std::string bytes;
  std::int64_t size = -1;
  if (rank == 0) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    if (file && (text << file.rdbuf())) {
      bytes = text.str();
      size = static_cast<std::int64_t>(bytes.size());
    }
  }
  check_mpi(MPI_Bcast(&size, 1, MPI_INT64_T, 0, comm), "MPI_Bcast");
  if (size < 0) fail(path, "it cannot be read, or is empty");
  bytes.resize(static_cast<std::size_t>(size));
  constexpr std::size_t piece = std::size_t{1} << 28;
  for (std::size_t at = 0; at < bytes.size(); at += piece)
    check_mpi(MPI_Bcast(bytes.data() + at, static_cast<int>(std::min(piece, bytes.size() - at)),
                        MPI_BYTE, 0, comm),
              "MPI_Bcast");
  return bytes;
}

nlohmann::json header_of(const std::string& text, const std::string& path) {
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::exception&) {
    fail(path, "its second line is not JSON");
  }
}

}  // namespace

void save_particles(const Simulation& simulation, const std::string& path) {
  std::vector<std::vector<Particle>> all;
  for (const Particles& species : simulation.species())
    all.push_back(gather_particles(simulation.domain(), species));
  if (simulation.domain().rank() != 0) return;
  nlohmann::json header;
  header["cells"] = simulation.setup().grid.cells;
  header["time"] = simulation.time();
  for (const auto& species : all) header["particles"].push_back(species.size());
  pat::WholeFile whole(path);
  std::ofstream file(whole.part(), std::ios::binary);
  file << signature << "\n" << header.dump() << "\n";
  for (const auto& species : all)
    file.write(reinterpret_cast<const char*>(species.data()),
               static_cast<std::streamsize>(species.size() * sizeof(Particle)));
  file.close();
  if (!file) fail(path, "it cannot be written");
  whole.commit();
}

SavedParticles load_particles(MPI_Comm comm, const Case& setup, const std::string& path) {
  const std::string bytes = broadcast_file(comm, path);
  const std::size_t first = bytes.find('\n');
  const std::size_t second = first == std::string::npos ? first : bytes.find('\n', first + 1);
  if (second == std::string::npos || bytes.substr(0, first) != signature)
    fail(path, "it does not begin with '" + std::string(signature) + "'");
  const nlohmann::json header = header_of(bytes.substr(first + 1, second - first - 1), path);
  if (header.value("cells", Int3{}) != setup.grid.cells ||
      header.value("particles", std::vector<std::size_t>{}).size() != setup.species.size())
    fail(path, "its cells or species are not those of the case '" + setup.name + "'");
  SavedParticles saved;
  saved.time = header.value("time", 0.0);
  const Domain domain(comm, setup.grid);
  std::size_t at = second + 1;
  for (std::size_t count : header["particles"].get<std::vector<std::size_t>>()) {
    if (bytes.size() - at < count * sizeof(Particle)) fail(path, "it ends too early");
    saved.species.emplace_back();
    for (std::size_t n = 0; n < count; ++n, at += sizeof(Particle)) {
      Particle particle;
      std::memcpy(&particle, bytes.data() + at, sizeof(Particle));
      if (domain.box().contains(setup.grid.cell_of(particle.position)))
        saved.species.back().add(particle);
    }
  }
  return saved;
}

std::string read_text(MPI_Comm comm, const std::string& path) {
  return broadcast_file(comm, path);
}

}  // namespace helsim
