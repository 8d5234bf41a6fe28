#include "tests/mpi/random_call.hpp"
#include "tests/mpi/library_faults.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <numeric>
#include <set>
#include <stdexcept>

#include "tests/unit/patterns.hpp"

namespace pat::test {

using bench::Blocks;

namespace {

constexpr std::byte poison{0xa5};

template <class T>
void put(std::byte* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

/// x -> slope x + shift modulo 2^32, with a gap between the two. Composed, such maps do not
/// commute; with slope 1 they do.
struct Map {
  std::uint32_t slope, gap, shift;
};

/// A thread that is in MPI may bring forward what another thread has begun, operator and all: seen
/// in Open MPI's non-blocking reductions. MPI orders that by atomics the thread sanitizer cannot
/// see, so the operator says "written" and who reads the result asks for it.
std::atomic<unsigned> composed{0};

/// Touches the data only, as an operator on a type with gaps must.
void compose(void* in, void* inout, int* length, MPI_Datatype*) {
  const auto* outer = static_cast<const Map*>(in);
  auto* inner = static_cast<Map*>(inout);
  for (int i = 0; i < *length; ++i) {
    inner[i].shift = outer[i].slope * inner[i].shift + outer[i].shift;
    inner[i].slope *= outer[i].slope;
  }
  composed.fetch_add(1, std::memory_order_release);
}

void write_int(std::byte* item, std::uint32_t number) {
  put(item, static_cast<int>(number % 1000));
}
void write_small_int(std::byte* item, std::uint32_t number) {
  put(item, static_cast<int>(number % 3 + 1));
}
void write_double(std::byte* item, std::uint32_t number) {
  put(item, static_cast<double>(number % 1000));
}
void write_map(std::byte* item, std::uint32_t number) {
  put(item, number | 1);
  put(item + offsetof(Map, shift), number * 40503);
}
void write_shift(std::byte* item, std::uint32_t number) {
  put(item, std::uint32_t{1});
  put(item + offsetof(Map, shift), number * 40503);
}

}  // namespace

// ---------------------------------------------------------------- types and operators

/// Keeps `made` to be freed, and makes it as long as `stride`.
MPI_Datatype Materials::derived(MPI_Datatype made, std::size_t stride) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(made, 0, static_cast<MPI_Aint>(stride), &type);
  MPI_Type_commit(&type);
  MPI_Type_free(&made);
  types_.push_back(type);
  return type;
}

Materials::Materials() {
  MPI_Datatype pair = MPI_DATATYPE_NULL, two = MPI_DATATYPE_NULL, ends = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  const int places[] = {1, 3};
  MPI_Type_create_indexed_block(2, 1, places, MPI_INT, &two);
  MPI_Type_vector(2, 1, 2, MPI_UNSIGNED, &ends);
  shapes_ = {{MPI_INT, 2, 8, {0, 4}},
             {derived(pair, 8), 1, 8, {0, 4}},
             {derived(two, 20), 1, 20, {4, 12}},  // gaps on all sides
             {MPI_BYTE, 8, 8, {0, 4}},
             {MPI_DOUBLE, 1, 8, {0, 4}}};
  MPI_Op_create(compose, 0, &ordered_);
  MPI_Op_create(compose, 1, &commuting_);
  const Shape integer{MPI_INT, 1, 4, {0}}, real{MPI_DOUBLE, 1, 8, {0, 4}};
  const Shape map{derived(ends, sizeof(Map)), 1, sizeof(Map), {0, 8}};
  reductions_ = {{"sum", MPI_SUM, integer, write_int},
                 {"sum of doubles", MPI_SUM, real, write_double},
                 {"max", MPI_MAX, integer, write_int},
                 {"min of doubles", MPI_MIN, real, write_double},
                 {"product", MPI_PROD, integer, write_small_int},
                 {"xor", MPI_BXOR, integer, write_int},
                 {"own, does not commute", ordered_, map, write_map},
                 {"own", commuting_, map, write_shift}};
}

Materials::~Materials() {
  MPI_Op_free(&commuting_);
  MPI_Op_free(&ordered_);
  for (MPI_Datatype& type : types_) MPI_Type_free(&type);
}

// ---------------------------------------------------------------- what is drawn

Kind Kind::draw(std::mt19937& random, Form form, Operation operation) {
  constexpr int items[] = {0, 1, 3, 40, 97, 97, 700, 1501};
  Kind kind;
  kind.form = form;
  kind.operation = operation;
  const unsigned ways = static_cast<unsigned>(random());
  if ((ways & 3) == 0) kind.blocks = (ways & 64) == 0 ? Blocks::varying : Blocks::typed;
  kind.large = (ways & 12) == 0;
  kind.in_place = (ways & 48) == 0;
  if (operation == Operation::reduce) kind.in_place &= library_reduces_in_place;
  if (operation == Operation::neighbor_alltoall && !library_masters_neighbor_alltoallw)
    kind.blocks = std::min(kind.blocks, Blocks::varying);
  // What MPI does not have in this way it has in plainer ones.
  for (const Blocks plainer : {Blocks::varying, Blocks::alike})
    if (!bench::find_collective(kind.operation, kind.blocks, false)) kind.blocks = plainer;
  if (!bench::find_collective(kind.operation, kind.blocks, kind.large)) kind.large = false;
  kind.items = items[random() % std::size(items)];
  kind.root = static_cast<unsigned>(random());
  kind.choice = static_cast<unsigned>(random());
  return kind;
}

std::string Kind::describe() const {
  constexpr const char* forms[] = {"plain", "non-blocking", "persistent"};
  constexpr const char* said[] = {"", ", v-form", ", w-form"};
  return std::string(name(operation)) + said[static_cast<int>(blocks)] + (large ? ", large" : "") +
         (in_place ? ", in place" : "") + ", " + forms[static_cast<int>(form)] + ", " +
         std::to_string(items) + " items, root draw " + std::to_string(root) + ", choice " +
         std::to_string(choice);
}

// ---------------------------------------------------------------- where calls are made

namespace {

/// Periodic in one of its two dimensions, unless the library errs there.
Communicators::Topology grid_of(MPI_Comm comm, int ranks) {
  std::vector<int> lengths(2, 0);
  MPI_Dims_create(ranks, 2, lengths.data());
  const bool circle = lengths[0] > 2 || library_tells_edges_apart();
  const int periodic[] = {circle, 0};
  Communicators::Topology made{MPI_COMM_NULL, grid(lengths, {circle, false})};
  MPI_Cart_create(comm, 2, lengths.data(), periodic, 0, &made.comm);
  return made;
}

void erase_doubles(std::vector<int>& ranks) {
  std::set<int> met;
  std::erase_if(ranks, [&](int rank) { return !met.insert(rank).second; });
}

Communicators::Topology graph_of(MPI_Comm comm, int ranks) {
  std::mt19937 random(static_cast<unsigned>(ranks));
  Communicators::Topology made{MPI_COMM_NULL, random_graph(ranks, random)};
  const bool once = !library_tells_edges_apart();
  for (Neighbours& one : made.neighbours)  // the grid has nobody at its edges
    for (std::vector<int>* side : {&one.to, &one.from}) {
      std::erase(*side, Neighbours::nobody);
      if (once) erase_doubles(*side);
    }
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  Neighbours mine = made.neighbours[static_cast<std::size_t>(rank)];
  // MPI asks for an address also where there are none.
  for (std::vector<int>* side : {&mine.to, &mine.from}) side->reserve(1);
  MPI_Dist_graph_create_adjacent(comm, static_cast<int>(mine.from.size()), mine.from.data(),
                                 MPI_UNWEIGHTED, static_cast<int>(mine.to.size()), mine.to.data(),
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made.comm);
  return made;
}

}  // namespace

void let_plain_calls_go_on(MPI_Comm comm, const Materials& materials) {
  int one = 1, sum = 0;
  PAT_Request request = PAT_REQUEST_NULL;
  if (PAT_Iallreduce(&one, &sum, 0, MPI_INT, materials.own_operator(), comm, &request) !=
          MPI_SUCCESS ||
      PAT_Wait(request) != MPI_SUCCESS)
    throw std::runtime_error(PAT_Error_string());
}

Communicators::Communicators(MPI_Comm comm, const Materials& materials) : plain_{comm} {
  int ranks = 0;
  MPI_Comm_size(comm, &ranks);
  among_neighbours_ = {grid_of(comm, ranks), graph_of(comm, ranks)};
  for (const Topology& one : among_neighbours_) {
    MPI_Comm_set_errhandler(one.comm, MPI_ERRORS_RETURN);  // who calls says what it was
    let_plain_calls_go_on(one.comm, materials);
  }
}

Communicators::~Communicators() {
  for (Topology& one : among_neighbours_) MPI_Comm_free(&one.comm);
}

const Communicators::Topology& Communicators::of(const Kind& kind) const {
  if (!row(kind.operation).among_neighbours()) return plain_;
  return among_neighbours_[kind.root % among_neighbours_.size()];
}

// ---------------------------------------------------------------- one call

RandomCall::RandomCall(const Kind& kind, const Communicators& on, const Materials& materials)
    : kind_(kind),
      row_(row(kind.operation)),
      comm_(on.of(kind).comm),
      functions_(bench::find_collective(kind.operation, kind.blocks, kind.large)) {
  MPI_Comm_rank(comm_, &rank_);
  MPI_Comm_size(comm_, &problem_.ranks);
  if (row_.rooted) root_ = static_cast<int>(kind.root % static_cast<unsigned>(problem_.ranks));
  problem_.operation = kind.operation;
  problem_.root = root_;
  problem_.units = 1;
  problem_.neighbours = on.of(kind).neighbours;
  if (row_.among_neighbours()) neighbours_ = problem_.neighbours_of(rank_);
  if (row_.combines) {
    const auto& all = materials.reductions();
    reduction_ = &all[kind.choice % all.size()];
    send_.shape = recv_.shape = reduction_->shape;
  } else {
    const auto& all = materials.shapes();
    const std::size_t sent = kind.choice % all.size();
    // MPI has one argument for both sides of a broadcast.
    const bool may_differ = sent < Materials::of_ints && row_.recv->at != At::others;
    send_.shape = all[sent];
    recv_.shape = all[may_differ ? kind.choice / all.size() % Materials::of_ints : sent];
  }
  lay_out_both();
}

/// Both ways alike where what lies in place is exchanged.
int RandomCall::items_between(int from, int to) const {
  if (!kind_.varying()) return kind_.items;
  if (!row_.in_pairs()) from = 0;
  if (row_.all_to_all() && kind_.in_place && from > to) std::swap(from, to);
  const unsigned drawn = static_cast<unsigned>(to) * 5 + static_cast<unsigned>(from) * 3 + salt_;
  return static_cast<int>(drawn % 4) * kind_.items / 3;
}

void RandomCall::lay_out(Buffer& buffer, std::vector<int> items) {
  buffer.items = std::move(items);
  buffer.places.assign(buffer.items.size(), 0);
  int place = 0;
  for (std::size_t b = 0; b < buffer.items.size(); ++b) {
    buffer.places[b] = place;
    // Room between the blocks of a v-form, where it says where they lie.
    place += buffer.items[b] + (kind_.varying() && !row_.combines ? 1 : 0);
  }
  const int factor = buffer.shape.per_item;
  const int each = kind_.blocks == Blocks::typed ? static_cast<int>(buffer.shape.stride) : factor;
  buffer.counts.clear();
  buffer.displacements.clear();
  for (std::size_t b = 0; b < buffer.items.size(); ++b) {
    buffer.counts.push_back(buffer.items[b] * factor);
    buffer.displacements.push_back(buffer.places[b] * each);
  }
  buffer.types.assign(buffer.items.size(), buffer.shape.type);
  buffer.large_counts.assign(buffer.counts.begin(), buffer.counts.end());
  buffer.large_displacements.assign(buffer.displacements.begin(), buffer.displacements.end());
  const auto never_null = [](auto&... all) { (all.reserve(1), ...); };  // as MPI libraries want it
  never_null(buffer.memory, buffer.counts, buffer.displacements, buffer.types, buffer.large_counts,
             buffer.large_displacements);
  buffer.memory.assign(static_cast<std::size_t>(place) * buffer.shape.stride, poison);
}

std::vector<int> RandomCall::items_of(const Side& side, bool sends) const {
  const std::size_t blocks = sends ? send_units(problem_, rank_) : recv_units(problem_, rank_);
  if (side.holds == Holds::block) return std::vector(blocks, items_between(rank_, rank_));
  std::vector<int> others = sends ? neighbours_.to : neighbours_.from;
  if (side.holds == Holds::all_blocks) {
    others.resize(blocks);
    std::iota(others.begin(), others.end(), 0);
  }
  for (int& one : others) {
    const int other = std::max(one, 0);  // a block for nobody has a length, too
    one =
        sends ? items_between(rank_, other) : items_between(other, row_.in_pairs() ? rank_ : other);
  }
  return others;
}

void RandomCall::lay_out_both() {
  lay_out(send_, items_of(row_.send, true));
  lay_out(recv_, items_of(row_.recv, false));
}

bool RandomCall::in_place_here() const {
  if (!kind_.in_place || !row_.has_bytes() || row_.among_neighbours()) return false;
  if (row_.one_to_many()) return rank_ == root_;
  // Its result lies on the first of the blocks, and of the others nothing is promised.
  if (row_.combines && row_.in_blocks()) return false;
  return !send_.items.empty() && !recv_.items.empty();
}

void RandomCall::prepare(std::uint32_t salt) {
  salt_ = salt;
  if (kind_.form == Kind::Form::persistent) {
    std::fill(recv_.memory.begin(), recv_.memory.end(), poison);
  } else {
    lay_out_both();
  }
}

void RandomCall::fill() {
  for (std::size_t b = 0; b < send_.items.size(); ++b)
    write_block(send_.memory, send_, b, rank_, b);
  if (!in_place_here() || row_.one_to_many()) return;
  const bool among_all = row_.recv->holds == Holds::all_blocks;
  if (row_.all_to_all()) {
    for (std::size_t b = 0; b < recv_.items.size(); ++b)
      write_block(recv_.memory, recv_, b, rank_, b);
    return;
  }
  write_block(recv_.memory, recv_, among_all ? static_cast<std::size_t>(rank_) : 0, rank_, 0);
}

std::uint32_t RandomCall::number(int from, std::size_t block, int item) const {
  std::uint32_t n = salt_ * 2654435761u + static_cast<std::uint32_t>(from) * 40503u +
                    static_cast<std::uint32_t>(block) * 7919u + static_cast<std::uint32_t>(item);
  n = (n ^ (n >> 15)) * 2246822519u;
  return n ^ (n >> 13);
}

void RandomCall::write(std::byte* item, const Shape& shape, std::uint32_t number) const {
  if (reduction_ != nullptr) return reduction_->write(item, number);
  for (const std::size_t at : shape.words) put(item + at, number++);
}

/// Block `block` of the buffer holds what rank `from` sends as its block `unit`.
void RandomCall::write_block(std::vector<std::byte>& memory, const Buffer& buffer,
                             std::size_t block, int from, std::size_t unit) const {
  for (int i = 0; i < buffer.items[block]; ++i)
    write(memory.data() + static_cast<std::size_t>(buffer.places[block] + i) * buffer.shape.stride,
          buffer.shape, number(from, unit, i));
}

/// What the operation's row promises of a block of the receive buffer, or what comes along an edge.
void RandomCall::expect(std::vector<std::byte>& memory, std::size_t block) const {
  if (row_.among_neighbours()) {
    const int from = neighbours_.from[block];
    if (from == Neighbours::nobody) return;
    const int theirs =
        row_.in_pairs() ? edge_of_sender(problem_, rank_, static_cast<int>(block)) : 0;
    return write_block(memory, recv_, block, from, static_cast<std::size_t>(theirs));
  }
  const Promised want = row_.promised(problem_, rank_, block);
  write_block(memory, recv_, block, want.last - 1, want.unit);
  if (reduction_ == nullptr || recv_.items[block] == 0) return;
  std::vector<std::byte> left(memory.size(), poison);
  for (int from = want.last - 2; from >= want.first; --from) {
    write_block(left, recv_, block, from, want.unit);
    MPI_Reduce_local(left.data(), memory.data(), recv_.items[block], recv_.shape.type,
                     reduction_->op);
  }
}

detail::BufferArgument RandomCall::argument(const Buffer& buffer, Holds holds,
                                            bool in_place) const {
  detail::BufferArgument made;
  made.address = in_place ? MPI_IN_PLACE : buffer.memory.data();
  made.type = buffer.shape.type;
  if (kind_.varying() && holds != Holds::block) {
    made.varies = true;
    if (kind_.blocks == Blocks::typed) made.types = buffer.types.data();
    made.large = kind_.large;
    made.counts =
        kind_.large ? static_cast<const void*>(buffer.large_counts.data()) : buffer.counts.data();
    made.far = row_.among_neighbours() && kind_.blocks == Blocks::typed;
    made.displacements = kind_.large || made.far
                             ? static_cast<const void*>(buffer.large_displacements.data())
                             : buffer.displacements.data();
  } else {
    made.count = items_between(rank_, rank_) * buffer.shape.per_item;
  }
  return made;
}

bench::Call RandomCall::arguments() {
  const bool in_place = in_place_here();
  bench::Call call;
  call.operation = kind_.operation;
  call.blocks = kind_.blocks;
  call.large = kind_.large;
  call.root = root_;
  call.op = reduction_ != nullptr ? reduction_->op : MPI_OP_NULL;
  call.comm = comm_;
  if (!row_.has_bytes()) return call;
  call.send = argument(send_, row_.send->holds, in_place && !row_.one_to_many());
  call.recv = argument(recv_, row_.recv->holds, in_place && row_.one_to_many());
  if (row_.recv->at == At::others && rank_ == root_) call.recv = call.send;
  return call;
}

std::size_t RandomCall::wrong_bytes() const {
  static_cast<void>(composed.load(std::memory_order_acquire));
  std::vector<std::byte> sent(send_.memory.size(), poison), got(recv_.memory.size(), poison);
  for (std::size_t b = 0; b < send_.items.size(); ++b) write_block(sent, send_, b, rank_, b);
  const bool stays = in_place_here() && row_.one_to_many();
  for (std::size_t b = 0; b < recv_.items.size() && !stays; ++b) expect(got, b);
  std::size_t wrong = 0;
  for (const auto& [want, have] : {std::pair(&sent, &send_.memory), {&got, &recv_.memory}})
    for (std::size_t i = 0; i < want->size(); ++i) wrong += (*want)[i] != (*have)[i];
  return wrong;
}

}  // namespace pat::test
