! For the test fortran_abort: rank 0 ends the run after twenty gathers, while the others go on.
program abort
  use mpi_f08
  use pat
  implicit none
  integer, parameter :: n = 2000
  integer :: rank, ranks, provided, ierror, i
  integer, allocatable :: mine(:), everybodys(:)
  double precision :: begin_s

  call MPI_Init_thread(MPI_THREAD_MULTIPLE, provided, ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  allocate (mine(n), everybodys(n * ranks))
  mine = rank
  call PAT_Init(ierror)
  do i = 1, 20
    call PAT_Gather(mine, n, MPI_INTEGER, everybodys, n, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
  end do
  begin_s = MPI_Wtime()
  do while (MPI_Wtime() < begin_s + 1.5)  ! what is kept aside is a second old at most
  end do
  if (rank == 0) call MPI_Abort(MPI_COMM_WORLD, 3, ierror)
  call MPI_Barrier(MPI_COMM_WORLD, ierror)
end program
