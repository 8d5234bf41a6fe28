! fortran FILE [pause]: a program that knows nothing of PAT, by mpif.h, `use mpi` or `use mpi_f08`
! (PAT_BINDING is 1, 2 or 3): what is special about Fortran, MPI_IN_PLACE, MPI_BOTTOM, ignored statuses,
! logicals, operators of its own; with pauses before barriers if they are wanted. Each process writes its results to FILE.<rank>.

program unchanged
#if PAT_BINDING == 3
  use mpi_f08
#elif PAT_BINDING == 2
  use mpi
#endif
  implicit none
#if PAT_BINDING == 1
  include 'mpif.h'
#endif
  integer, parameter :: most = 3000
  integer :: rank, ranks, code, out, sizes(3), s
  character(len=500) :: path, number
#if PAT_BINDING == 3
  type(MPI_Comm) :: part
#else
  integer :: part
#endif

  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, code)
  call get_command_argument(1, path)
  write (number, '(i0)') rank
  open (newunit=out, file=trim(path)//'.'//trim(number), action='write')
  sizes = (/ 1, 40, most /)
  do s = 1, 3
    call collectives(sizes(s))
  end do
  call logicals()
  call from_the_bottom()
  call messages()
  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, part, code)
  call on_part()
  call MPI_Comm_free(part, code)
  close (out)
  call MPI_Finalize(code)

contains

  subroutine collectives(n)
    integer, intent(in) :: n
    double precision :: in(most * 16), all(most * 16)
    integer :: i, counts(ranks), places(ranks), flags(ranks)
#if PAT_BINDING == 3
    type(MPI_Datatype) :: kinds(ranks)
    type(MPI_Op) :: greatest
#else
    integer :: kinds(ranks), greatest
#endif
    do i = 1, most * 16
      in(i) = 1.0d0 / (1 + mod(i * 7 + rank * 131, 1009))
    end do
    all = -1
    call MPI_Gather(in, n, MPI_DOUBLE_PRECISION, all, n, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, code)
    write (out, *) 'gather', sum(all)
    all(1:n) = in(1:n) + 1
    if (rank == 0) then
      call MPI_Gather(MPI_IN_PLACE, n, MPI_DOUBLE_PRECISION, all, n, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, code)
    else
      call MPI_Gather(in, n, MPI_DOUBLE_PRECISION, all, n, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, code)
    end if
    write (out, *) 'gather in place', sum(all)
    do i = 1, ranks
      counts(i) = n - mod(i, 2)
      places(i) = (i - 1) * n
      kinds(i) = MPI_DOUBLE_PRECISION
    end do
    all = -1
    call MPI_Gatherv(in, counts(rank + 1), MPI_DOUBLE_PRECISION, all, counts, places, MPI_DOUBLE_PRECISION, &
                     ranks - 1, MPI_COMM_WORLD, code)
    write (out, *) 'gatherv', sum(all)
    all = -1
    if (rank == 0) then
      call MPI_Scatter(in, n, MPI_DOUBLE_PRECISION, MPI_IN_PLACE, n, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, code)
    else
      call MPI_Scatter(in, n, MPI_DOUBLE_PRECISION, all, n, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, code)
    end if
    write (out, *) 'scatter', sum(all)
    call MPI_Scatterv(in, counts, places, MPI_DOUBLE_PRECISION, all, counts(rank + 1), MPI_DOUBLE_PRECISION, 0, &
                      MPI_COMM_WORLD, code)
    write (out, *) 'scatterv', sum(all)
    all(rank * n + 1:rank * n + n) = in(1:n)
    call MPI_Allgather(MPI_IN_PLACE, n, MPI_DOUBLE_PRECISION, all, n, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, code)
    write (out, *) 'allgather in place', sum(all)
    call MPI_Allgatherv(in, counts(rank + 1), MPI_DOUBLE_PRECISION, all, counts, places, MPI_DOUBLE_PRECISION, &
                        MPI_COMM_WORLD, code)
    write (out, *) 'allgatherv', sum(all)
    call MPI_Bcast(in, n, MPI_DOUBLE_PRECISION, ranks - 1, MPI_COMM_WORLD, code)
    write (out, *) 'bcast', sum(in)
    call MPI_Reduce(in, all, n, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, code)
    write (out, *) 'reduce', sum(all)
    call MPI_Allreduce(MPI_IN_PLACE, in, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, code)
    write (out, *) 'allreduce in place', sum(in)
    call MPI_Alltoall(in, n, MPI_DOUBLE_PRECISION, all, n, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, code)
    write (out, *) 'alltoall', sum(all)
    counts = n
    places = 8 * places
    call MPI_Alltoallw(in, counts, places, kinds, all, counts, places, kinds, MPI_COMM_WORLD, code)
    write (out, *) 'alltoallw', sum(all)
    call MPI_Op_create(greater_one, .true., greatest, code)
    flags = rank
    call MPI_Allreduce(MPI_IN_PLACE, flags, ranks, MPI_INTEGER, greatest, MPI_COMM_WORLD, code)
    call MPI_Op_free(greatest, code)
    write (out, *) 'own operator', flags
    if (command_argument_count() > 1) call wait_a_little()
    call MPI_Barrier(MPI_COMM_WORLD, code)
  end subroutine

  subroutine wait_a_little()
    integer(kind=8) :: begin, now, rate
    call system_clock(begin, rate)
    now = begin
    do while (now - begin < rate / 100)
      call system_clock(now)
    end do
  end subroutine

#if PAT_BINDING == 3
  subroutine greater_one(a, b, n, kind)
    use iso_c_binding
    type(c_ptr), value :: a, b
    integer :: n
    type(MPI_Datatype) :: kind
    integer, pointer :: x(:), y(:)
    call c_f_pointer(a, x, [n])
    call c_f_pointer(b, y, [n])
    y = max(x, y)
  end subroutine
#else
  subroutine greater_one(a, b, n, kind)
    integer :: n, kind
    integer :: a(n), b(n)
    b = max(a, b)
  end subroutine
#endif

  subroutine logicals()
    logical :: mine(3), all(3)
    mine = (/ rank == 0, .true., rank > 0 /)
    call MPI_Allreduce(mine, all, 3, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD, code)
    write (out, *) 'and', all
    call MPI_Reduce(mine, all, 3, MPI_LOGICAL, MPI_LOR, 0, MPI_COMM_WORLD, code)
    if (rank == 0) write (out, *) 'or', all
    call MPI_Bcast(all, 3, MPI_LOGICAL, 0, MPI_COMM_WORLD, code)
    write (out, *) 'bcast', all
  end subroutine

  ! Two places in memory, sent by their addresses.
  subroutine from_the_bottom()
    double precision, target, asynchronous :: one(500), two(500)
    integer :: lengths(2)
    integer(kind=MPI_ADDRESS_KIND) :: places(2)
#if PAT_BINDING == 3
    type(MPI_Datatype) :: both
#else
    integer :: both
#endif
    one = rank + 1
    two = 10 * (rank + 1)
    lengths = 500
    call MPI_Get_address(one, places(1), code)
    call MPI_Get_address(two, places(2), code)
    call MPI_Type_create_hindexed(2, lengths, places, MPI_DOUBLE_PRECISION, both, code)
    call MPI_Type_commit(both, code)
    call MPI_Bcast(MPI_BOTTOM, 1, both, ranks - 1, MPI_COMM_WORLD, code)
    write (out, *) 'bottom', sum(one), sum(two)
    call MPI_Type_free(both, code)
  end subroutine

  subroutine messages()
    integer :: number, before
    logical :: there
#if PAT_BINDING == 3
    type(MPI_Request) :: requests(2)
#else
    integer :: requests(2)
#endif
    number = rank
    call MPI_Irecv(before, 1, MPI_INTEGER, mod(rank + ranks - 1, ranks), 4, MPI_COMM_WORLD, requests(1), code)
    call MPI_Isend(number, 1, MPI_INTEGER, mod(rank + 1, ranks), 4, MPI_COMM_WORLD, requests(2), code)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, code)
    write (out, *) 'before', before
    call MPI_Sendrecv_replace(number, 1, MPI_INTEGER, mod(rank + 1, ranks), 5, mod(rank + ranks - 1, ranks), 5, &
                              MPI_COMM_WORLD, MPI_STATUS_IGNORE, code)
    write (out, *) 'replaced', number
    call MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, there, MPI_STATUS_IGNORE, code)
    write (out, *) 'waits', there
    call MPI_Ibcast(number, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, requests(1), code)
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE, code)
    write (out, *) 'ibcast', number
  end subroutine

  subroutine on_part()
    integer :: sum_here, here
    here = rank
    call MPI_Allreduce(here, sum_here, 1, MPI_INTEGER, MPI_SUM, part, code)
    write (out, *) 'part', sum_here
  end subroutine
end program
