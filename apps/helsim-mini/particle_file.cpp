#include "apps/helsim-mini/particle_file.hpp"

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "apps/helsim-mini/mpi_error.hpp"
#include "core/whole_file.hpp"

namespace helsim {
namespace {

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
  file << particle_file_signature << "\n" << header.dump() << "\n";
  for (const auto& species : all)
    file.write(reinterpret_cast<const char*>(species.data()),
               static_cast<std::streamsize>(species.size() * sizeof(Particle)));
  file.close();
  if (!file) fail(path, "it cannot be written");
  whole.commit();
}

SavedParticles load_particles(MPI_Comm comm, const Case& setup, const std::string& path) {
  return parse_particles(broadcast_file(comm, path), setup, Domain(comm, setup.grid).box(), path);
}

std::string read_text(MPI_Comm comm, const std::string& path) {
  return broadcast_file(comm, path);
}

}  // namespace helsim
