#include "libpat/mpi/topology.hpp"

#include <algorithm>
#include <vector>

#include "libpat/mpi/check.hpp"

namespace pat::detail {
namespace {

int topology_kind(MPI_Comm comm) {
  int inter = 0, kind = MPI_UNDEFINED;
  check(PMPI_Comm_test_inter(comm, &inter));
  if (inter == 0) check(PMPI_Topo_test(comm, &kind));
  return kind;
}

/// Place for an array of at least one, as MPI wants an address.
std::vector<int> places(int count) {
  return std::vector<int>(static_cast<std::size_t>(std::max(count, 1)));
}

struct Grid {
  int dimensions = 0;
  std::vector<int> lengths, periodic;
};

Grid grid_of(MPI_Comm comm) {
  Grid grid;
  check(PMPI_Cartdim_get(comm, &grid.dimensions));
  grid.lengths = grid.periodic = places(grid.dimensions);
  std::vector<int> here = places(grid.dimensions);
  check(
      PMPI_Cart_get(comm, grid.dimensions, grid.lengths.data(), grid.periodic.data(), here.data()));
  return grid;
}

int or_nobody(int rank) {
  return rank == MPI_PROC_NULL ? Neighbours::nobody : rank;
}

Neighbours on_grid(MPI_Comm comm) {
  Neighbours mine;
  mine.crosswise = true;
  int dimensions = 0;
  check(PMPI_Cartdim_get(comm, &dimensions));
  for (int d = 0; d < dimensions; ++d) {
    int before = MPI_PROC_NULL, after = MPI_PROC_NULL;
    check(PMPI_Cart_shift(comm, d, 1, &before, &after));
    mine.to.push_back(or_nobody(before));
    mine.to.push_back(or_nobody(after));
  }
  mine.from = mine.to;
  return mine;
}

Neighbours on_graph(MPI_Comm comm) {
  int rank = 0, count = 0;
  check(PMPI_Comm_rank(comm, &rank));
  check(PMPI_Graph_neighbors_count(comm, rank, &count));
  std::vector<int> all = places(count);
  check(PMPI_Graph_neighbors(comm, rank, count, all.data()));
  all.resize(static_cast<std::size_t>(count));
  return {all, all, false};
}

Neighbours on_distributed_graph(MPI_Comm comm) {
  int in = 0, out = 0, weighted = 0;
  check(PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted));
  Neighbours mine;
  mine.from = places(in);
  mine.to = places(out);
  std::vector<int> in_weights = places(in), out_weights = places(out);
  check(PMPI_Dist_graph_neighbors(comm, in, mine.from.data(),
                                  weighted ? in_weights.data() : MPI_UNWEIGHTED, out,
                                  mine.to.data(), weighted ? out_weights.data() : MPI_UNWEIGHTED));
  mine.from.resize(static_cast<std::size_t>(in));
  mine.to.resize(static_cast<std::size_t>(out));
  for (std::vector<int>* side : {&mine.from, &mine.to})
    for (int& other : *side) other = or_nobody(other);
  return mine;
}

MPI_Comm same_grid(MPI_Comm comm, MPI_Comm bare) {
  const Grid grid = grid_of(comm);
  MPI_Comm made = MPI_COMM_NULL;
  check(
      PMPI_Cart_create(bare, grid.dimensions, grid.lengths.data(), grid.periodic.data(), 0, &made));
  return made;
}

MPI_Comm same_graph(MPI_Comm comm, MPI_Comm bare) {
  int nodes = 0, edges = 0;
  check(PMPI_Graphdims_get(comm, &nodes, &edges));
  std::vector<int> ends = places(nodes), neighbours = places(edges);
  check(PMPI_Graph_get(comm, nodes, edges, ends.data(), neighbours.data()));
  MPI_Comm made = MPI_COMM_NULL;
  check(PMPI_Graph_create(bare, nodes, ends.data(), neighbours.data(), 0, &made));
  return made;
}

MPI_Comm same_distributed_graph(MPI_Comm comm, MPI_Comm bare) {
  Neighbours mine = on_distributed_graph(comm);
  for (std::vector<int>* side : {&mine.from, &mine.to})
    for (int& other : *side)
      if (other == Neighbours::nobody) other = MPI_PROC_NULL;
  const int in = static_cast<int>(mine.from.size()), out = static_cast<int>(mine.to.size());
  mine.from.reserve(1);
  mine.to.reserve(1);
  MPI_Comm made = MPI_COMM_NULL;
  check(PMPI_Dist_graph_create_adjacent(bare, in, mine.from.data(), MPI_UNWEIGHTED, out,
                                        mine.to.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made));
  return made;
}

}  // namespace

std::shared_ptr<const Neighbours> neighbours_in(MPI_Comm comm) {
  switch (topology_kind(comm)) {
    case MPI_CART:
      return std::make_shared<const Neighbours>(on_grid(comm));
    case MPI_GRAPH:
      return std::make_shared<const Neighbours>(on_graph(comm));
    case MPI_DIST_GRAPH:
      return std::make_shared<const Neighbours>(on_distributed_graph(comm));
    default:
      return nullptr;
  }
}

bool has_short_circle(MPI_Comm comm) {
  if (topology_kind(comm) != MPI_CART) return false;
  const Grid grid = grid_of(comm);
  for (int d = 0; d < grid.dimensions; ++d) {
    const auto place = static_cast<std::size_t>(d);
    if (grid.periodic[place] != 0 && grid.lengths[place] <= 2) return true;
  }
  return false;
}

MPI_Comm with_topology_of(MPI_Comm comm, MPI_Comm bare) {
  MPI_Comm made = bare;
  switch (topology_kind(comm)) {
    case MPI_CART:
      made = same_grid(comm, bare);
      break;
    case MPI_GRAPH:
      made = same_graph(comm, bare);
      break;
    case MPI_DIST_GRAPH:
      made = same_distributed_graph(comm, bare);
      break;
    default:
      return bare;
  }
  PMPI_Comm_free(&bare);
  return made;
}

}  // namespace pat::detail
