! solver.c in Fortran.
!
!     mpifort -O2 solver.f90 $(pkg-config --cflags --libs pat-fortran) -o solver
!     PAT_REPORT=stderr mpirun -n 4 ./solver 200
program solver
  use mpi_f08
  use pat
  implicit none
  integer :: n, columns, rank, ranks, provided, iteration, ierror, r, i
  character(len=20) :: argument
  type(PAT_Region) :: matrix, update
  double precision, allocatable :: x(:, :), res(:, :), p(:, :), q(:, :), whole(:, :)
  integer, allocatable :: counts(:), starts(:)
  double precision :: rr, first, before, alpha

  call MPI_Init_thread(MPI_THREAD_MULTIPLE, provided)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call PAT_Init(ierror)
  if (ierror /= MPI_SUCCESS) then
    if (rank == 0) print '(a)', PAT_Error_string()
    call MPI_Finalize()
    stop 1
  end if
  call PAT_Region_create(MPI_COMM_WORLD, 'matrix', matrix)
  call PAT_Region_create(MPI_COMM_WORLD, 'update', update)
  n = 64
  if (command_argument_count() > 0) then
    call get_command_argument(1, argument)
    read (argument, *) n
  end if

  ! Columns 1 to `columns` are this process's, 0 and columns + 1 the neighbours'.
  counts = [(n * (n / ranks + merge(1, 0, r < mod(n, ranks))), r = 0, ranks - 1)]
  starts = [(sum(counts(:r)), r = 0, ranks - 1)]
  columns = counts(rank + 1) / n
  allocate (x(n, 0:columns + 1), res(n, 0:columns + 1), p(n, 0:columns + 1), q(n, columns), source=0d0)
  res(:, 1:columns) = 1 / (n + 1d0)**2
  p = res
  rr = sum_over_all(sum(res**2))
  first = rr
  iteration = 0
  do while (iteration < 10 * n .and. rr > 1d-16 * first)
    alpha = rr / sum_over_all(multiply())
    call PAT_Region_start(update)
    x(:, 1:columns) = x(:, 1:columns) + alpha * p(:, 1:columns)
    res(:, 1:columns) = res(:, 1:columns) - alpha * q
    before = rr
    rr = sum(res**2)
    call PAT_Region_end(update)
    rr = sum_over_all(rr)
    p(:, 1:columns) = res(:, 1:columns) + rr / before * p(:, 1:columns)
    iteration = iteration + 1
  end do

  allocate (whole(n, merge(n, 0, rank == 0)))
  call PAT_Gatherv(x(:, 1:columns), n * columns, MPI_DOUBLE_PRECISION, whole, counts, starts, MPI_DOUBLE_PRECISION, 0, &
      MPI_COMM_WORLD)
  if (rank == 0) then
    print '(i0,a,i0,a,i0,a)', n, ' x ', n, ' points: ', iteration, ' iterations'
    print '(a,f0.6,a)', 'u = 0', whole(n / 2 + 1, n / 2 + 1), ' in the middle'
  end if
  call PAT_Region_free(matrix)
  call PAT_Region_free(update)
  call PAT_Finalize()
  call MPI_Finalize()

contains

  subroutine exchange_halo()
    integer :: before_us, after_us
    before_us = merge(rank - 1, MPI_PROC_NULL, rank > 0)
    after_us = merge(rank + 1, MPI_PROC_NULL, rank < ranks - 1)
    call MPI_Sendrecv(p(:, 1), n, MPI_DOUBLE_PRECISION, before_us, 0, p(:, columns + 1), n, MPI_DOUBLE_PRECISION, &
        after_us, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Sendrecv(p(:, columns), n, MPI_DOUBLE_PRECISION, after_us, 1, p(:, 0), n, MPI_DOUBLE_PRECISION, &
        before_us, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  end subroutine

  ! q = A p, and the part of p.q that belongs to this process.
  double precision function multiply()
    call PAT_Region_start(matrix)
    call PAT_Region_pause(matrix)  ! messages are no computing
    call exchange_halo()
    call PAT_Region_resume(matrix)
    do i = 1, columns
      q(:, i) = 4 * p(:, i) - p(:, i - 1) - p(:, i + 1)
      q(2:, i) = q(2:, i) - p(:n - 1, i)
      q(:n - 1, i) = q(:n - 1, i) - p(2:, i)
      if (i == columns / 2) call PAT_Region_edge(matrix, 0.5d0)  ! half of it is done
    end do
    multiply = sum(p(:, 1:columns) * q)
    call PAT_Region_end(matrix)
  end function

  double precision function sum_over_all(mine)
    double precision, intent(in) :: mine
    call PAT_Allreduce(mine, sum_over_all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
  end function
end program solver
