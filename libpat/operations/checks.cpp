#include "libpat/operations/checks.hpp"

#include "collectives/operation_row.hpp"
#include "libpat/mpi/check.hpp"
#include "libpat/mpi/datatype.hpp"
#include "libpat/mpi/local.hpp"
#include "libpat/mpi/topology.hpp"
#include "libpat/session/twins.hpp"

namespace pat::detail {
namespace {

/// One check after the other of one call; names are as in the program's call.
class Checks {
 public:
  Checks(const Arguments& arguments, const Caller& me)
      : a_(arguments), about_(row(arguments.operation)), me_(me) {}

  void all() const {
    if (about_.rooted) root();
    if (about_.among_neighbours()) topology();
    const Side send = about_.send, recv = about_.recv;
    const bool sends = has_buffer(send.at, me_.rank, a_.root);
    const bool receives = has_buffer(recv.at, me_.rank, a_.root);
    // What holds all blocks first: it is the root's.
    if (receives && recv.holds != Holds::block) buffer(a_.recv, recv, "recv");
    if (sends) buffer(a_.send, send, "send");
    if (about_.combines && !sends && receives) buffer(a_.recv, recv, "recv");
    if (about_.combines) op();
    if (receives && recv.holds == Holds::block && !about_.combines) buffer(a_.recv, recv, "recv");
    in_place(sends, receives);
  }

 private:
  [[noreturn]] void refuse(ErrorKind kind, const std::string& what) const {
    detail::refuse(kind, a_.function, what);
  }

  void root() const {
    if (a_.root < 0 || a_.root >= me_.size)
      refuse(ErrorKind::root, "root is " + std::to_string(a_.root) + ", give a rank from 0 to " +
                                  std::to_string(me_.size - 1));
  }

  void topology() const {
    if (me_.neighbours == nullptr)
      refuse(ErrorKind::topology,
             "comm has no topology, make one with MPI_Cart_create, MPI_Graph_create or "
             "MPI_Dist_graph_create");
    for (const BufferArgument* buffer : {&a_.send, &a_.recv})
      if (buffer->in_place())
        refuse(ErrorKind::argument, "a buffer is MPI_IN_PLACE, which neighbours do not have");
  }

  /// One count and one type for both sides.
  bool has_one_count() const { return about_.combines || !about_.has_v_form(); }
  /// A count of a v-form stands for one.
  std::string one() const { return about_.among_neighbours() ? "each neighbour" : "each rank"; }
  /// Counts that the buffer of a v-form has.
  int blocks(const BufferArgument& buffer) const {
    if (!about_.among_neighbours()) return me_.size;
    const Neighbours& mine = *me_.neighbours;
    return static_cast<int>((&buffer == &a_.send ? mine.to : mine.from).size());
  }

  void buffer(const BufferArgument& buffer, const Side& side, const std::string& name) const {
    const std::string count_name = !has_one_count()     ? name + "count"
                                   : about_.in_blocks() ? "recvcount"
                                                        : "count";
    if (buffer.in_place() && !about_.combines) return;
    if (!buffer.varies || side.holds == Holds::block)
      count(buffer.count, count_name);
    else
      counts(buffer, count_name + "s");
    if (a_.blocks == Blocks::typed) return datatypes(buffer, name + "types");
    datatype(buffer.type, has_one_count() ? "datatype" : name + "type");
  }

  void count(MPI_Count count, const std::string& name) const {
    if (count < 0)
      refuse(ErrorKind::count, name + " is " + std::to_string(count) + ", give at least 0");
  }

  void counts(const BufferArgument& buffer, const std::string& name) const {
    if (blocks(buffer) == 0) return;
    if (buffer.counts == nullptr)
      refuse(ErrorKind::argument, name + " is a null pointer, give a count for " + one());
    if (buffer.displacements == nullptr && !about_.combines)
      refuse(ErrorKind::argument, "the displacements of " + name + " are a null pointer");
    for (int r = 0; r < blocks(buffer); ++r)
      count(buffer.count_of(r), name + "[" + std::to_string(r) + "]");
  }

  /// Of blocks without data nothing is asked.
  void datatypes(const BufferArgument& buffer, const std::string& name) const {
    if (blocks(buffer) == 0) return;
    if (buffer.types == nullptr)
      refuse(ErrorKind::argument, name + " is a null pointer, give a datatype for " + one());
    for (int r = 0; r < blocks(buffer); ++r)
      if (buffer.count_of(r) > 0) datatype(buffer.types[r], name + "[" + std::to_string(r) + "]");
  }

  void datatype(MPI_Datatype type, const std::string& name) const {
    if (type == MPI_DATATYPE_NULL)
      refuse(ErrorKind::type, name + " is MPI_DATATYPE_NULL, give a committed datatype");
    if (!is_committed(type))
      refuse(ErrorKind::type, name + " is not committed, call MPI_Type_commit first");
  }

  /// The type has been checked.
  void op() const {
    if (a_.op == MPI_OP_NULL) refuse(ErrorKind::operation, "op is MPI_OP_NULL, give an operation");
    if (!is_defined_on(a_.op, a_.send.type))
      refuse(ErrorKind::operation, "op is not defined on " + type_name(a_.send.type) +
                                       ", give one that is, or one of your own");
  }

  /// Where a process has both buffers, the smaller may be said to lie in the larger, or the operand
  /// in the result.
  void in_place(bool sends, bool receives) const {
    const Side send = about_.send, recv = about_.recv;
    const bool spreads = about_.one_to_many();
    const std::string may = spreads ? "recvbuf" : "sendbuf",
                      other = spreads ? "sendbuf" : "recvbuf";
    const bool alone = sends != receives;
    if (alone && about_.rooted && (sends ? a_.send : a_.recv).in_place()) {
      const bool root_may =
          has_buffer(send.at, a_.root, a_.root) && has_buffer(recv.at, a_.root, a_.root);
      refuse(ErrorKind::argument, root_may ? may + " is MPI_IN_PLACE, which only the root may give"
                                           : "buffer is MPI_IN_PLACE, give a buffer");
    }
    if (sends && receives && (spreads ? a_.send : a_.recv).in_place())
      refuse(ErrorKind::argument, other + " is MPI_IN_PLACE, give it as " + may + " instead");
  }

  const Arguments& a_;
  const OperationRow& about_;
  const Caller& me_;
};

}  // namespace

void refuse(ErrorKind kind, const char* function, const std::string& what) {
  throw Error(kind, std::string(function) + ": " + what);
}

Caller caller_in(const Arguments& arguments) {
  const MPI_Comm comm = arguments.comm;
  if (comm == MPI_COMM_NULL)
    refuse(ErrorKind::communicator, arguments.function,
           "comm is MPI_COMM_NULL, give a communicator");
  const bool among_neighbours = row(arguments.operation).among_neighbours();
  if (const Twin* twin = Twins::attached(comm))
    return {.rank = twin->rank(),
            .size = twin->size(),
            .neighbours = among_neighbours ? twin->neighbours() : nullptr};
  Caller caller;
  int inter = 0;
  check(PMPI_Comm_rank(comm, &caller.rank));
  check(PMPI_Comm_size(comm, &caller.size));
  check(PMPI_Comm_test_inter(comm, &inter));
  caller.inter = inter != 0;
  if (caller.inter) check(PMPI_Comm_remote_size(comm, &caller.remote_size));
  if (among_neighbours && !caller.inter) caller.neighbours = neighbours_in(comm);
  return caller;
}

void check_arguments(const Arguments& arguments, const Caller& me) {
  // Between two groups MPI checks for itself, but there are no neighbours.
  if (!me.inter || row(arguments.operation).among_neighbours()) Checks(arguments, me).all();
}

}  // namespace pat::detail
