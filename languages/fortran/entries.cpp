// Behind module pat: what Fortran hands over by descriptors and handles, as C has it.

#include <ISO_Fortran_binding.h>
#include <mpi.h>
#include <pat/pat.h>
#include <pat/refuse.h>

#include <initializer_list>
#include <vector>

extern "C" {
// In pat.F90: tells pat_fortran_constants where MPI_IN_PLACE and MPI_BOTTOM of both modules lie.
void pat_fortran_tell_constants();
void pat_fortran_constants(CFI_cdesc_t* in_place, CFI_cdesc_t* bottom);
}

namespace {

/// The addresses that stand for MPI_IN_PLACE and MPI_BOTTOM in Fortran: of mpi_f08, and of mpi.
struct Constants {
  const void* in_place[2];
  const void* bottom[2];
  int known = 0;
};

Constants& constants() {
  static Constants all;
  return all;
}

/// The address as C has it.
void* address(const CFI_cdesc_t* buffer) {
  static const bool told = (pat_fortran_tell_constants(), true);
  static_cast<void>(told);
  for (int i = 0; i < constants().known; ++i) {
    if (buffer->base_addr == constants().in_place[i]) return MPI_IN_PLACE;
    if (buffer->base_addr == constants().bottom[i]) return MPI_BOTTOM;
  }
  return buffer->base_addr;
}

/// The processes of the communicator, or of its other group.
int processes(MPI_Fint communicator) {
  const MPI_Comm comm = MPI_Comm_f2c(communicator);
  int inter = 0, ranks = 0;
  if (comm == MPI_COMM_NULL) return 0;
  MPI_Comm_test_inter(comm, &inter);
  inter != 0 ? MPI_Comm_remote_size(comm, &ranks) : MPI_Comm_size(comm, &ranks);
  return ranks;
}

/// The neighbours from which this process receives, and to which it sends; none without a topology.
struct Degrees {
  int in = 0, out = 0;
};
Degrees degrees(MPI_Fint communicator) {
  const MPI_Comm comm = MPI_Comm_f2c(communicator);
  Degrees all;
  if (comm == MPI_COMM_NULL) return all;
  int inter = 0, topology = MPI_UNDEFINED, rank = 0, weighted = 0;
  MPI_Comm_test_inter(comm, &inter);
  if (inter == 0) MPI_Topo_test(comm, &topology);
  if (topology == MPI_CART) {
    MPI_Cartdim_get(comm, &all.in);
    all.out = all.in *= 2;
  } else if (topology == MPI_GRAPH) {
    MPI_Comm_rank(comm, &rank);
    MPI_Graph_neighbors_count(comm, rank, &all.in);
    all.out = all.in;
  } else if (topology == MPI_DIST_GRAPH) {
    MPI_Dist_graph_neighbors_count(comm, &all.in, &all.out, &weighted);
  }
  return all;
}
int senders(MPI_Fint communicator) {
  return degrees(communicator).in;
}
int receivers(MPI_Fint communicator) {
  return degrees(communicator).out;
}

/// So many of them. PAT keeps what a request needs.
std::vector<MPI_Datatype> datatypes(const MPI_Fint* handles, int count) {
  std::vector<MPI_Datatype> types;
  for (int block = 0; block < count; ++block) types.push_back(MPI_Type_f2c(handles[block]));
  return types;
}

bool has_gaps(std::initializer_list<const CFI_cdesc_t*> buffers) {
  for (const CFI_cdesc_t* buffer : buffers)
    if (buffer->rank > 0 && CFI_is_contiguous(buffer) == 0) return true;
  return false;
}

/// A copy would be gone before the call ends.
int refuse_gaps(MPI_Comm comm, const char* function) {
  return PAT_Refuse(comm, function,
                    "a buffer is an array section with gaps, pass a contiguous array or give the "
                    "gaps by a datatype");
}

template <class Call>
void give(MPI_Fint* ierror, const Call& call) {
  const int code = call();
  if (ierror != nullptr) *ierror = code;
}

}  // namespace

extern "C" {

void pat_fortran_constants(CFI_cdesc_t* in_place, CFI_cdesc_t* bottom) {
  Constants& all = constants();
  all.in_place[all.known] = in_place->base_addr;
  all.bottom[all.known] = bottom->base_addr;
  ++all.known;
}

int pat_fortran_init_comm(const MPI_Fint* comm, const char* config) {
  return PAT_Init_comm(MPI_Comm_f2c(*comm), config);
}

int pat_fortran_region_create(const MPI_Fint* comm, const char* name, PAT_Region* region) {
  return PAT_Region_create(MPI_Comm_f2c(*comm), name, region);
}

#include "languages/fortran/functions.inc"

}  // extern "C"
