! Module pat against MPI's own results: with mpi_f08's handles, or (PAT_INTEGER_HANDLES) with those of mpi.
! Prints what is wrong and ends with 1.
#ifdef PAT_INTEGER_HANDLES
#define USE_MPI use mpi
#define COMM integer
#define DATATYPE integer
#define OPERATOR integer
#else
#define USE_MPI use mpi_f08
#define COMM type(MPI_Comm)
#define DATATYPE type(MPI_Datatype)
#define OPERATOR type(MPI_Op)
#endif

module checks
  USE_MPI
  implicit none
  integer :: rank, ranks, failures = 0
contains
  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    if (holds) return
    failures = failures + 1
    write (*, '(a,i0,2a)') 'FAILED on rank ', rank, ': ', what
  end subroutine

  ! The larger of two by magnitude: an operator of the program's own.
#ifdef PAT_INTEGER_HANDLES
  subroutine larger(invec, inoutvec, length, datatype)
    integer :: length, datatype
    integer :: invec(length), inoutvec(length)
    where (abs(invec) > abs(inoutvec)) inoutvec = invec
  end subroutine
#else
  subroutine larger(invec, inoutvec, length, datatype)
    use, intrinsic :: iso_c_binding
    type(c_ptr), value :: invec, inoutvec
    integer :: length
    type(MPI_Datatype) :: datatype
    integer, pointer :: in(:), inout(:)
    call c_f_pointer(invec, in, [length])
    call c_f_pointer(inoutvec, inout, [length])
    where (abs(in) > abs(inout)) inout = in
  end subroutine
#endif
end module checks

program fortran_test
  USE_MPI
  use pat
  use checks
  use, intrinsic :: iso_c_binding, only: c_int64_t
  implicit none
  integer, parameter :: n = 100
  integer :: provided, ierror, i, r
  integer, allocatable :: counts(:), displacements(:)
  logical :: flag

  call MPI_Init_thread(MPI_THREAD_MULTIPLE, provided, ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierror)
  counts = [(modulo(r, 3) * 7 + 1, r = 0, ranks - 1)]
  displacements = [(sum(counts(1:r)) + r, r = 0, ranks - 1)]

  call PAT_Initialized(flag)
  call expect(.not. flag, 'PAT runs before PAT_Init')
  call PAT_Init_comm(MPI_COMM_WORLD, 'nonsense=1   ', ierror)
  call expect(ierror /= MPI_SUCCESS .and. index(PAT_Error_string(), 'nonsense') > 0, 'a wrong setting is taken')
  call PAT_Init_comm(MPI_COMM_WORLD, 'min_bytes=0   ', ierror)
  call expect(ierror == MPI_SUCCESS, 'PAT_Init_comm: ' // PAT_Error_string())
  call PAT_Initialized(flag, ierror)
  call expect(flag, 'PAT does not run')

  do r = 0, ranks - 1
    call rooted('auto', r)
  end do
  call rooted('mpi', ranks - 1)
  call rooted('bsls', 0)
  call symmetric()
  call neighbours('auto')
  call neighbours('b-latest-last')
  call with_gaps()
  call by_address()
  call own_operator()
  call nonblocking()
  call persistent()
  call progress()
  call mistakes()

  call PAT_Finalize(ierror)
  call expect(ierror == MPI_SUCCESS, 'PAT_Finalize')
  call MPI_Allreduce(MPI_IN_PLACE, failures, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  call MPI_Finalize(ierror)
  if (failures > 0) stop 1

contains

  ! Gather, scatter and reduction, their v-forms, in place at the root, against MPI.
  subroutine rooted(algorithm, root)
    character(len=*), intent(in) :: algorithm
    integer, intent(in) :: root
    integer :: mine(n), mpi_whole(n, 0:ranks - 1), whole(n, 0:ranks - 1), mpi_mine(n)
    integer :: v(sum(counts) + ranks), mpi_v(sum(counts) + ranks)
    double precision :: x(n), total(n), mpi_total(n)

    call PAT_UseAlgName('gather', algorithm, ierror)
    call expect(ierror == MPI_SUCCESS, 'PAT_UseAlgName: ' // PAT_Error_string())
    mine = [(1000 * rank + i, i = 1, n)]
    whole = -1
    mpi_whole = -1
    call PAT_Gather(mine, n, MPI_INTEGER, whole, n, MPI_INTEGER, root, MPI_COMM_WORLD)
    call MPI_Gather(mine, n, MPI_INTEGER, mpi_whole, n, MPI_INTEGER, root, MPI_COMM_WORLD, ierror)
    call expect(all(whole == mpi_whole), 'PAT_Gather ' // algorithm)
    if (rank == root) then
      whole = -1
      whole(:, root) = mine
      call PAT_Gather(MPI_IN_PLACE, 0, MPI_INTEGER, whole, n, MPI_INTEGER, root, MPI_COMM_WORLD, ierror)
    else
      call PAT_Gather(mine, n, MPI_INTEGER, whole, n, MPI_INTEGER, root, MPI_COMM_WORLD, ierror)
    end if
    call expect(ierror == MPI_SUCCESS .and. all(whole == mpi_whole), 'PAT_Gather in place ' // algorithm)

    v = -1
    mpi_v = -1
    call PAT_Gatherv(mine, counts(rank + 1), MPI_INTEGER, v, counts, displacements, MPI_INTEGER, root, &
        MPI_COMM_WORLD, ierror)
    call expect(ierror == MPI_SUCCESS, 'PAT_Gatherv: ' // PAT_Error_string())
    call MPI_Gatherv(mine, counts(rank + 1), MPI_INTEGER, mpi_v, counts, displacements, MPI_INTEGER, root, &
        MPI_COMM_WORLD, ierror)
    call expect(all(v == mpi_v), 'PAT_Gatherv ' // algorithm)

    mpi_whole = reshape([(i, i = 1, n * ranks)], [n, ranks])
    mine = -1
    mpi_mine = -1
    call PAT_Scatter(mpi_whole, n, MPI_INTEGER, mine, n, MPI_INTEGER, root, MPI_COMM_WORLD, ierror)
    call MPI_Scatter(mpi_whole, n, MPI_INTEGER, mpi_mine, n, MPI_INTEGER, root, MPI_COMM_WORLD, ierror)
    call expect(all(mine == mpi_mine), 'PAT_Scatter')
    v = [(i, i = 1, size(v))]
    mine = -1
    mpi_mine = -1
    call PAT_Scatterv(v, counts, displacements, MPI_INTEGER, mine, counts(rank + 1), MPI_INTEGER, root, &
        MPI_COMM_WORLD, ierror)
    call MPI_Scatterv(v, counts, displacements, MPI_INTEGER, mpi_mine, counts(rank + 1), MPI_INTEGER, root, &
        MPI_COMM_WORLD, ierror)
    call expect(all(mine == mpi_mine), 'PAT_Scatterv')

    x = [(dble(i * (rank + 1)), i = 1, n)]
    total = -1
    mpi_total = -1
    call PAT_Reduce(x, total, n, MPI_DOUBLE_PRECISION, MPI_SUM, root, MPI_COMM_WORLD, ierror)
    call MPI_Reduce(x, mpi_total, n, MPI_DOUBLE_PRECISION, MPI_SUM, root, MPI_COMM_WORLD, ierror)
    call expect(all(total == mpi_total), 'PAT_Reduce')
    if (rank == root) then
      total = x
      call PAT_Reduce(MPI_IN_PLACE, total, n, MPI_DOUBLE_PRECISION, MPI_SUM, root, MPI_COMM_WORLD, ierror)
    else
      call PAT_Reduce(x, total, n, MPI_DOUBLE_PRECISION, MPI_SUM, root, MPI_COMM_WORLD, ierror)
    end if
    call expect(all(total == mpi_total), 'PAT_Reduce in place')

    x = rank
    if (rank == root) x = 42
    call PAT_Bcast(x, n, MPI_DOUBLE_PRECISION, root, MPI_COMM_WORLD, ierror)
    call expect(all(x == 42), 'PAT_Bcast')
  end subroutine

  ! Those without a root; a scalar is a buffer as well.
  subroutine symmetric()
    integer :: whole(n, 0:ranks - 1), mpi_whole(n, 0:ranks - 1)
    integer :: v(sum(counts) + ranks), mpi_v(sum(counts) + ranks)
    complex :: z, mpi_z
    mpi_whole = spread([(i, i = 0, ranks - 1)], 1, n)
    whole = -1
    whole(:, rank) = rank
    call PAT_Allgather(MPI_IN_PLACE, 0, MPI_INTEGER, whole, n, MPI_INTEGER, MPI_COMM_WORLD, ierror)
    call expect(ierror == MPI_SUCCESS .and. all(whole == mpi_whole), 'PAT_Allgather in place')
    v = -1
    mpi_v = -1
    call PAT_Allgatherv(mpi_whole(:, rank), counts(rank + 1), MPI_INTEGER, v, counts, displacements, MPI_INTEGER, &
        MPI_COMM_WORLD, ierror)
    call MPI_Allgatherv(mpi_whole(:, rank), counts(rank + 1), MPI_INTEGER, mpi_v, counts, displacements, &
        MPI_INTEGER, MPI_COMM_WORLD, ierror)
    call expect(all(v == mpi_v), 'PAT_Allgatherv')
    call exchanged()
    z = cmplx(rank, -rank)
    call MPI_Allreduce(z, mpi_z, 1, MPI_COMPLEX, MPI_SUM, MPI_COMM_WORLD, ierror)
    call PAT_Allreduce(MPI_IN_PLACE, z, 1, MPI_COMPLEX, MPI_SUM, MPI_COMM_WORLD)
    call expect(z == mpi_z, 'PAT_Allreduce in place')
    call PAT_Barrier(MPI_COMM_WORLD, ierror)
    call expect(ierror == MPI_SUCCESS, 'PAT_Barrier')
  end subroutine

  ! Blocks of a length, and of a type, for each pair of processes; the types are gone before the call ends.
  subroutine exchanged()
    integer :: between(ranks), places(ranks), bytes(ranks), mine(3 * n * ranks), got(3 * n * ranks), wanted(3 * n * ranks)
    DATATYPE :: kinds(ranks)
    type(PAT_Request) :: request
    between = [(modulo(r + rank, 3) * 7, r = 0, ranks - 1)]
    places = [(3 * n * r, r = 0, ranks - 1)]
    bytes = 4 * places
    mine = [(1000 * rank + i, i = 1, size(mine))]
    got = -1
    wanted = -1
    call MPI_Alltoallv(mine, between, places, MPI_INTEGER, wanted, between, places, MPI_INTEGER, MPI_COMM_WORLD, ierror)
    call PAT_Alltoallv(mine, between, places, MPI_INTEGER, got, between, places, MPI_INTEGER, MPI_COMM_WORLD, ierror)
    call expect(ierror == MPI_SUCCESS .and. all(got == wanted), 'PAT_Alltoallv')
    got = -1
    kinds = MPI_INTEGER
    call PAT_Ialltoallw(mine, between, bytes, kinds, got, between, bytes, kinds, MPI_COMM_WORLD, request, ierror)
    kinds = MPI_DATATYPE_NULL
    call PAT_Wait(request, ierror)
    call expect(ierror == MPI_SUCCESS .and. all(got == wanted), 'PAT_Ialltoallw')
  end subroutine

  ! On a ring, with blocks of a length and of a type for each of the two neighbours.
  subroutine neighbours(algorithm)
    character(len=*), intent(in) :: algorithm
    integer :: left, right, sent(2), received(2), places(2), mine(2 * n), got(2 * n), wanted(2 * n)
    integer(MPI_ADDRESS_KIND) :: bytes(2)
    DATATYPE :: kinds(2)
    COMM :: ring
    type(PAT_Request) :: request
    call PAT_UseAlgName('neighbor-allgather', algorithm, ierror)
    call PAT_UseAlgName('neighbor-alltoall', algorithm, ierror)
    call MPI_Cart_create(MPI_COMM_WORLD, 1, [ranks], [.true.], .false., ring, ierror)
    call MPI_Cart_shift(ring, 0, 1, left, right, ierror)
    sent = [between(rank, left), between(rank, right)]
    received = [between(left, rank), between(right, rank)]
    places = [0, n]
    bytes = 4 * places
    mine = [(1000 * rank + i, i = 1, size(mine))]
    got = -1
    wanted = -1
    call MPI_Neighbor_allgather(mine, n, MPI_INTEGER, wanted, n, MPI_INTEGER, ring, ierror)
    call PAT_Neighbor_allgather(mine, n, MPI_INTEGER, got, n, MPI_INTEGER, ring, ierror)
    call expect(ierror == MPI_SUCCESS .and. all(got == wanted), 'PAT_Neighbor_allgather ' // algorithm)
    call MPI_Neighbor_alltoall(mine, n, MPI_INTEGER, wanted, n, MPI_INTEGER, ring, ierror)
    call PAT_Neighbor_alltoall(mine, n, MPI_INTEGER, got, n, MPI_INTEGER, ring, ierror)
    call expect(ierror == MPI_SUCCESS .and. all(got == wanted), 'PAT_Neighbor_alltoall ' // algorithm)
    got = -1
    wanted = -1
    call MPI_Neighbor_allgatherv(mine, between(rank, rank), MPI_INTEGER, wanted, &
        [between(left, left), between(right, right)], places, MPI_INTEGER, ring, ierror)
    call PAT_Neighbor_allgatherv(mine, between(rank, rank), MPI_INTEGER, got, &
        [between(left, left), between(right, right)], places, MPI_INTEGER, ring, ierror)
    call expect(ierror == MPI_SUCCESS .and. all(got == wanted), 'PAT_Neighbor_allgatherv ' // algorithm)
    got = -1
    wanted = -1
    call MPI_Neighbor_alltoallv(mine, sent, places, MPI_INTEGER, wanted, received, places, MPI_INTEGER, ring, ierror)
    call PAT_Neighbor_alltoallv(mine, sent, places, MPI_INTEGER, got, received, places, MPI_INTEGER, ring, ierror)
    call expect(ierror == MPI_SUCCESS .and. all(got == wanted), 'PAT_Neighbor_alltoallv ' // algorithm)
    got = -1
    kinds = MPI_INTEGER
    call PAT_Neighbor_alltoallw(mine, sent, bytes, kinds, got, received, bytes, kinds, ring, ierror)
    call expect(ierror == MPI_SUCCESS .and. all(got == wanted), 'PAT_Neighbor_alltoallw ' // algorithm)
    got = -1
    call PAT_Ineighbor_alltoallw(mine, sent, bytes, kinds, got, received, bytes, kinds, ring, request, ierror)
    kinds = MPI_DATATYPE_NULL
    call PAT_Wait(request, ierror)
    call expect(ierror == MPI_SUCCESS .and. all(got == wanted), 'PAT_Ineighbor_alltoallw ' // algorithm)
    call MPI_Comm_free(ring, ierror)
  end subroutine

  ! Elements that one process has for another.
  integer function between(from, to)
    integer, intent(in) :: from, to
    between = modulo(from + 2 * to, 5) * 7
  end function

  ! Sections with gaps: packed for plain calls, refused by the others.
  subroutine with_gaps()
    integer :: sparse(3, n), whole(n * ranks)
    type(PAT_Request) :: request
    sparse = -1
    sparse(2, :) = rank
    call PAT_Gather(sparse(2, :), n, MPI_INTEGER, whole, n, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
    if (rank == 0) call expect(all(whole == [((r, i = 1, n), r = 0, ranks - 1)]), 'a section with gaps is sent')
    call PAT_Bcast(sparse(1, ::2), n / 2, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
    sparse(3, :) = rank
    call PAT_Bcast(sparse(3, ::2), n / 2, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
    call expect(all(sparse(3, 1::2) == 0) .and. all(sparse(3, 2::2) == rank), 'a section with gaps is received')
    call PAT_Ibcast(sparse(3, :), n, MPI_INTEGER, 0, MPI_COMM_WORLD, request, ierror)
    call expect(ierror /= MPI_SUCCESS .and. index(PAT_Error_string(), 'section with gaps') > 0, &
        'PAT_Ibcast takes a section with gaps')
  end subroutine

  ! MPI_BOTTOM, and addresses in the datatype.
  subroutine by_address()
    integer, target, asynchronous :: mine(n), whole(n, 0:ranks - 1)
    integer(MPI_ADDRESS_KIND) :: place
    DATATYPE :: there
    mine = rank
    whole = -1
    call MPI_Get_address(mine, place, ierror)
    call MPI_Type_create_hindexed(1, [n], [place], MPI_INTEGER, there, ierror)
    call MPI_Type_commit(there, ierror)
    call PAT_Gather(MPI_BOTTOM, 1, there, whole, n, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
    call expect(ierror == MPI_SUCCESS, 'MPI_BOTTOM: ' // PAT_Error_string())
    if (rank == 0) call expect(all(whole == spread([(i, i = 0, ranks - 1)], 1, n)), 'MPI_BOTTOM')
    call MPI_Type_free(there, ierror)
  end subroutine

  subroutine own_operator()
    OPERATOR :: op
    integer :: mine(n), best(n), mpi_best(n)
    mine = [(modulo(i * (rank + 3), 11) - 5, i = 1, n)]
    call MPI_Op_create(larger, .false., op, ierror)
    call MPI_Reduce(mine, mpi_best, n, MPI_INTEGER, op, 0, MPI_COMM_WORLD, ierror)
    call PAT_Reduce(mine, best, n, MPI_INTEGER, op, 0, MPI_COMM_WORLD, ierror)
    call expect(ierror == MPI_SUCCESS, 'an operator of the program: ' // PAT_Error_string())
    if (rank == 0) call expect(all(best == mpi_best), 'an operator of the program')
    call MPI_Op_free(op, ierror)
  end subroutine

  subroutine nonblocking()
    integer, asynchronous :: mine(n), whole(n, 0:ranks - 1), total(n), copy(n)
    type(PAT_Request) :: requests(3)
    integer :: which, ended
    mine = rank
    copy = rank
    call PAT_Igather(mine, n, MPI_INTEGER, whole, n, MPI_INTEGER, 0, MPI_COMM_WORLD, requests(1))
    call PAT_Iallreduce(mine, total, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, requests(2), ierror)
    call PAT_Ibcast(copy, n, MPI_INTEGER, ranks - 1, MPI_COMM_WORLD, requests(3), ierror)
    ended = 0
    do
      call PAT_Waitany(3, requests, which, ierror)
      if (which == MPI_UNDEFINED) exit
      call expect(which >= 1 .and. which <= 3, 'the index of PAT_Waitany')
      call expect(requests(which) == PAT_REQUEST_NULL, 'PAT_Waitany leaves a request')
      ended = ended + 1
    end do
    call expect(ended == 3, 'not all calls ended')
    if (rank == 0) call expect(all(whole == spread([(i, i = 0, ranks - 1)], 1, n)), 'PAT_Igather')
    call expect(all(total == ranks * (ranks - 1) / 2), 'PAT_Iallreduce')
    call expect(all(copy == ranks - 1), 'PAT_Ibcast')
    call PAT_Testall(3, requests, flag, ierror)
    call expect(flag, 'PAT_Testall')
    call PAT_Ibarrier(MPI_COMM_WORLD, requests(1), ierror)
    call expect(ierror == MPI_SUCCESS, 'PAT_Ibarrier: ' // PAT_Error_string())
    flag = .false.
    do while (.not. flag .and. ierror == MPI_SUCCESS)
      call PAT_Test(requests(1), flag, ierror)
    end do
    requests = PAT_REQUEST_NULL
    call PAT_Testany(3, requests, which, flag, ierror)
    call expect(flag .and. which == MPI_UNDEFINED, 'PAT_Testany')
    call PAT_Waitall(3, requests)
  end subroutine

  subroutine persistent()
    integer, asynchronous :: mine(n), whole(n, 0:ranks - 1)
    type(PAT_Request) :: request
    call PAT_Gather_init(mine, n, MPI_INTEGER, whole, n, MPI_INTEGER, 0, MPI_COMM_WORLD, request, ierror)
    call PAT_Request_parts(request, 4, ierror)
    do i = 1, 5
      call PAT_Start(request, ierror)
      mine(1:n / 4) = rank + i
      call PAT_Pready(request, 0, ierror)
      call expect(ierror == MPI_SUCCESS, 'PAT_Pready: ' // PAT_Error_string())
      mine = rank + i
      call PAT_Ready(request, ierror)
      call PAT_Wait(request, ierror)
      if (rank == 0) call expect(all(whole == spread([(r + i, r = 0, ranks - 1)], 1, n)), 'PAT_Gather_init')
    end do
    call PAT_Request_free(request, ierror)
    call expect(request == PAT_REQUEST_NULL, 'PAT_Request_free')
  end subroutine

  subroutine progress()
    type(PAT_Region) :: region
    double precision :: mean_s, lower_s, upper_s, offsets_s(ranks), work
    integer(c_int64_t) :: epoch
    integer :: kind_of_error
    COMM :: half
    call MPI_Comm_split(MPI_COMM_WORLD, modulo(rank, 2), rank, half, ierror)
    call PAT_Region_create(half, 'half of them', region, ierror)
    call expect(ierror == MPI_SUCCESS .and. region /= PAT_REGION_DEFAULT, 'PAT_Region_create: ' // PAT_Error_string())
    call PAT_Region_predictor(region, 'sma:3 ', ierror)
    call expect(ierror == MPI_SUCCESS, 'PAT_Region_predictor: ' // PAT_Error_string())
    work = rank
    do i = 1, 4
      call PAT_Region_start(region)
      call PAT_Region_hint(region, 'work', work)
      call PAT_Region_edge(region, 0.5d0)
      call PAT_Region_pause(region)
      call PAT_Region_resume(region)
      call PAT_Region_end(region, ierror)
      call expect(ierror == MPI_SUCCESS, 'PAT_Region_end: ' // PAT_Error_string())
      call PAT_Allreduce(MPI_IN_PLACE, work, 1, MPI_DOUBLE_PRECISION, MPI_MAX, half)
    end do
    call PAT_GetForecast(region, mean_s, lower_s, upper_s, ierror)
    call expect(ierror == MPI_SUCCESS .and. lower_s <= mean_s .and. mean_s <= upper_s, 'PAT_GetForecast')
    call PAT_Region_free(region, ierror)
    call expect(region == PAT_REGION_DEFAULT, 'PAT_Region_free')
    call MPI_Comm_free(half, ierror)

    call PAT_ProcessingStart(ierror)
    call PAT_Hint('particles', 1d6)
    call PAT_Edge(0.25d0)
    call PAT_Progress(3d0, 4d0)
    call PAT_Pause()
    call PAT_Resume()
    call PAT_ProcessingEnd(ierror)
    call expect(ierror == MPI_SUCCESS, 'PAT_ProcessingEnd: ' // PAT_Error_string())
    call PAT_UseAlg(PAT_Gather_SLS, ierror)
    call PAT_GetPattern(PAT_REGION_DEFAULT, offsets_s, ranks, epoch, ierror)
    call expect(ierror == MPI_SUCCESS .and. all(offsets_s >= 0), 'PAT_GetPattern')
    call PAT_GetPatternAge(PAT_REGION_DEFAULT, epoch, ierror)
    call MPI_Error_class(ierror, kind_of_error, ierror)
    call expect(kind_of_error == MPI_SUCCESS .or. kind_of_error == MPI_ERR_PENDING, 'PAT_GetPatternAge')
  end subroutine

  subroutine mistakes()
    integer :: mine(n), class
    call PAT_Edge(0.5d0, ierror)
    call MPI_Error_class(ierror, class, provided)
    call expect(class == MPI_ERR_OTHER, 'an edge outside a phase is taken')
    call PAT_Bcast(mine, n, MPI_INTEGER, ranks, MPI_COMM_WORLD, ierror)
    call MPI_Error_class(ierror, class, provided)
    call expect(class == MPI_ERR_ROOT .and. index(PAT_Error_string(), 'PAT_Bcast') == 1, 'a root beyond the last rank')
    call PAT_UseAlgName('gather', 'nonsense', ierror)
    call expect(ierror /= MPI_SUCCESS .and. index(PAT_Error_string(), 'bsls') > 0, 'a wrong algorithm')
  end subroutine
end program fortran_test
