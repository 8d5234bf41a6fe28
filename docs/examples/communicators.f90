! communicators.cpp in Fortran, for programs that `use mpi`: handles are integers.
!
!     mpifort -O2 communicators.f90 $(pkg-config --cflags --libs pat-fortran) -o communicators
!     PAT_REPORT=stderr mpirun -n 6 ./communicators
program communicators
  use mpi
  use pat
  implicit none
  integer, parameter :: n = 300, iterations = 10
  integer :: rank, ranks, provided, ierror, shape_of(2), row, column, my_row, my_column, iteration, j
  double precision :: block(n, n), column_sums(n), column_totals(n), total, everything
  double precision, asynchronous :: row_sums(n), row_totals(n)
  type(PAT_Region) :: in_rows, in_columns
  type(PAT_Request) :: rows_are_summed

  call MPI_Init_thread(MPI_THREAD_MULTIPLE, provided, ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  shape_of = 0
  call MPI_Dims_create(ranks, 2, shape_of, ierror)
  my_row = rank / shape_of(2)
  my_column = mod(rank, shape_of(2))
  call MPI_Comm_split(MPI_COMM_WORLD, my_row, my_column, row, ierror)
  call MPI_Comm_split(MPI_COMM_WORLD, my_column, my_row, column, ierror)
  call PAT_Init(ierror)
  if (ierror /= MPI_SUCCESS) then
    if (rank == 0) print '(a)', PAT_Error_string()
    call MPI_Finalize(ierror)
    stop 1
  end if
  call PAT_Region_create(row, 'rows', in_rows)
  call PAT_Region_create(column, 'columns', in_columns)
  block = rank + 1
  do iteration = 1, iterations
    call PAT_Region_start(in_rows)
    row_sums = 0
    do j = 1, n
      row_sums = row_sums + block(:, j)
      if (j == n / 2) call PAT_Region_edge(in_rows, 0.5d0)
    end do
    call PAT_Region_end(in_rows)
    call PAT_Ireduce(row_sums, row_totals, n, MPI_DOUBLE_PRECISION, MPI_SUM, 0, row, rows_are_summed)
    call PAT_Region_start(in_columns)
    do j = 1, n
      column_sums(j) = sum(block(:, j))
      if (j == n / 2) call PAT_Region_edge(in_columns, 0.5d0)
    end do
    call PAT_Region_end(in_columns)
    call PAT_Reduce(column_sums, column_totals, n, MPI_DOUBLE_PRECISION, MPI_SUM, 0, column)
    call PAT_Wait(rows_are_summed)
  end do
  everything = 0
  if (my_column == 0) everything = sum(row_totals)
  call PAT_Reduce(everything, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD)
  if (rank == 0) print '(i0,a,i0,2(a,i0))', shape_of(1), ' x ', shape_of(2), ' processes: the sum is ', &
      nint(total), ', and should be ', nint(0.5d0 * ranks * (ranks + 1) * n * n)
  call PAT_Region_free(in_rows)
  call PAT_Region_free(in_columns)
  call PAT_Finalize()
  call MPI_Comm_free(row, ierror)
  call MPI_Comm_free(column, ierror)
  call MPI_Finalize(ierror)
end program communicators
