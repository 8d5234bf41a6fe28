!> PAT for Fortran: prediction of process arrival times, and MPI collectives that follow them. As pat.h
!! says it of C, with the same names and the same order of arguments:
!!
!!     use mpi_f08
!!     use pat
!!     call MPI_Init_thread(MPI_THREAD_MULTIPLE, provided)
!!     call PAT_Init()
!!     do i = 1, iterations
!!       call PAT_ProcessingStart()
!!       call first_half()
!!       call PAT_Edge(0.5d0)
!!       call second_half()
!!       call PAT_ProcessingEnd()
!!       call PAT_Gather(part, n, MPI_REAL, whole, n, MPI_REAL, 0, MPI_COMM_WORLD)
!!     end do
!!     call PAT_Finalize()
!!     call MPI_Finalize()
!!
!! Programs that `use mpi` call the same procedures with its integer handles.
!!
!! - ierror is optional everywhere: MPI_SUCCESS, or an MPI error code; PAT_Error_string() has the
!!   sentence. Errors of collectives go to the communicator's error handler, as in C.
!! - Buffers may be of any type and rank, or MPI_IN_PLACE and MPI_BOTTOM. Array sections with gaps are
!!   packed by the compiler for calls that end before they return; calls with a request refuse them.
!!   Buffers of calls with a request should be ASYNCHRONOUS in the program.
!! - Counts and displacements are default integers; the displacements of PAT_Neighbor_alltoallw are
!!   of kind MPI_ADDRESS_KIND. Parts of PAT_Pready count from 0, as in MPI; the index of
!!   PAT_Waitany and PAT_Testany from 1, as MPI's in Fortran.
!! - Fractions and times are double precision, times in seconds.
module pat
  use, intrinsic :: iso_c_binding, only: c_ptr, c_null_ptr, c_char, c_null_char, c_int, c_int64_t, &
      c_size_t, c_intptr_t, c_f_pointer
  use mpi_f08, only: MPI_Comm, MPI_Datatype, MPI_Op
  use pat_c
  implicit none
  private
  public :: PAT_Region, PAT_Request

  !> The region on which the calls without a region act.
  type(PAT_Region), parameter, public :: PAT_REGION_DEFAULT = PAT_Region(c_null_ptr)
  !> No request.
  type(PAT_Request), parameter, public :: PAT_REQUEST_NULL = PAT_Request(c_null_ptr)

  !> Algorithms by number, for PAT_UseAlg().
  enum, bind(C)
    enumerator :: PAT_Gather_AUTO = 0, PAT_Gather_MPI, PAT_Gather_LIN, PAT_Gather_LS, &
        PAT_Gather_SLS, PAT_Gather_BSLS
  end enum
  public :: PAT_Gather_AUTO, PAT_Gather_MPI, PAT_Gather_LIN, PAT_Gather_LS, PAT_Gather_SLS, &
      PAT_Gather_BSLS

  !> Whether two handles are the same.
  interface operator(==)
    module procedure same_region, same_request
  end interface
  !> Whether two handles differ.
  interface operator(/=)
    module procedure other_region, other_request
  end interface
  public :: operator(==), operator(/=)

  !> Starts PAT on a communicator. config is "key=value;key=value" with the keys that `pat info --env`
  !! lists, or blank. Collective.
  interface PAT_Init_comm
    module procedure init_comm_f08, init_comm_f
  end interface
  !> Creates a region whose computing phases end in collectives on comm. Collective over comm.
  interface PAT_Region_create
    module procedure region_create_f08, region_create_f
  end interface

  public :: PAT_Init, PAT_Init_comm, PAT_Finalize, PAT_Initialized, PAT_Error_string
  public :: PAT_ProcessingStart, PAT_Edge, PAT_Progress, PAT_Hint, PAT_Pause, PAT_Resume, PAT_ProcessingEnd
  public :: PAT_Region_create, PAT_Region_start, PAT_Region_edge, PAT_Region_pause, PAT_Region_resume, &
      PAT_Region_end, PAT_Region_hint, PAT_Region_predictor, PAT_Region_free
  public :: PAT_GetPattern, PAT_GetPatternAge, PAT_GetForecast, PAT_UseAlg, PAT_UseAlgName
  public :: PAT_Wait, PAT_Test, PAT_Waitall, PAT_Testall, PAT_Waitany, PAT_Testany
  public :: PAT_Request_parts, PAT_Start, PAT_Pready, PAT_Ready, PAT_Request_free

  ! The collectives.
  include 'pat_interfaces.inc'

contains

  subroutine give(code, ierror)
    integer(c_int), intent(in) :: code
    integer, optional, intent(out) :: ierror
    if (present(ierror)) ierror = code
  end subroutine

  !> The text as C has it: without blanks at its end.
  pure function c_text(text)
    character(len=*), intent(in) :: text
    character(kind=c_char, len=len_trim(text) + 1) :: c_text
    c_text = trim(text) // c_null_char
  end function

  pure logical function same_region(a, b)
    type(PAT_Region), intent(in) :: a, b
    same_region = transfer(a%handle, 0_c_size_t) == transfer(b%handle, 0_c_size_t)
  end function

  pure logical function other_region(a, b)
    type(PAT_Region), intent(in) :: a, b
    other_region = .not. same_region(a, b)
  end function

  pure logical function same_request(a, b)
    type(PAT_Request), intent(in) :: a, b
    same_request = transfer(a%handle, 0_c_size_t) == transfer(b%handle, 0_c_size_t)
  end function

  pure logical function other_request(a, b)
    type(PAT_Request), intent(in) :: a, b
    other_request = .not. same_request(a, b)
  end function

  !> Starts PAT on MPI_COMM_WORLD, after MPI_Init or MPI_Init_thread. Collective.
  subroutine PAT_Init(ierror)
    integer, optional, intent(out) :: ierror
    call give(c_Init(), ierror)
  end subroutine

  subroutine init_comm_f08(comm, config, ierror)
    type(MPI_Comm), intent(in) :: comm
    character(len=*), intent(in) :: config
    integer, optional, intent(out) :: ierror
    call give(c_Init_comm(comm%MPI_VAL, c_text(config)), ierror)
  end subroutine

  subroutine init_comm_f(comm, config, ierror)
    integer, intent(in) :: comm
    character(len=*), intent(in) :: config
    integer, optional, intent(out) :: ierror
    call give(c_Init_comm(comm, c_text(config)), ierror)
  end subroutine

  !> Ends the session: writes report and trace. Before MPI_Finalize. Collective.
  subroutine PAT_Finalize(ierror)
    integer, optional, intent(out) :: ierror
    call give(c_Finalize(), ierror)
  end subroutine

  !> Whether PAT runs.
  subroutine PAT_Initialized(flag, ierror)
    logical, intent(out) :: flag
    integer, optional, intent(out) :: ierror
    integer(c_int) :: c_flag
    call give(c_Initialized(c_flag), ierror)
    flag = c_flag /= 0
  end subroutine

  !> The sentence that belongs to the last error on this thread; empty if there was none.
  function PAT_Error_string() result(text)
    character(len=:), allocatable :: text
    type(c_ptr) :: place
    character(kind=c_char), pointer :: letters(:)
    integer :: i
    place = c_Error_string()
    call c_f_pointer(place, letters, [c_strlen(place)])
    allocate(character(len=size(letters)) :: text)
    do i = 1, size(letters)
      text(i:i) = letters(i)
    end do
  end function

  !> The computing phase of the default region begins.
  subroutine PAT_ProcessingStart(ierror)
    integer, optional, intent(out) :: ierror
    call give(c_ProcessingStart(), ierror)
  end subroutine

  !> The phase has done fraction of its work, 0 < fraction < 1. Thread-safe.
  subroutine PAT_Edge(fraction, ierror)
    double precision, intent(in) :: fraction
    integer, optional, intent(out) :: ierror
    call give(c_Edge(fraction), ierror)
  end subroutine

  !> PAT_Edge(done / total) for programs that count their work. Thread-safe.
  subroutine PAT_Progress(done, total, ierror)
    double precision, intent(in) :: done, total
    integer, optional, intent(out) :: ierror
    call give(c_Progress(done, total), ierror)
  end subroutine

  !> A number that the length of the phase depends on, such as "particles". Thread-safe.
  subroutine PAT_Hint(name, value, ierror)
    character(len=*), intent(in) :: name
    double precision, intent(in) :: value
    integer, optional, intent(out) :: ierror
    call give(c_Hint(c_text(name), value), ierror)
  end subroutine

  !> The phase stops computing until PAT_Resume.
  subroutine PAT_Pause(ierror)
    integer, optional, intent(out) :: ierror
    call give(c_Pause(), ierror)
  end subroutine

  !> The phase goes on computing.
  subroutine PAT_Resume(ierror)
    integer, optional, intent(out) :: ierror
    call give(c_Resume(), ierror)
  end subroutine

  !> The computing phase ends; the process is about to enter a collective.
  subroutine PAT_ProcessingEnd(ierror)
    integer, optional, intent(out) :: ierror
    call give(c_ProcessingEnd(), ierror)
  end subroutine

  subroutine region_create_f08(comm, name, region, ierror)
    type(MPI_Comm), intent(in) :: comm
    character(len=*), intent(in) :: name
    type(PAT_Region), intent(inout) :: region
    integer, optional, intent(out) :: ierror
    call give(c_Region_create(comm%MPI_VAL, c_text(name), region), ierror)
  end subroutine

  subroutine region_create_f(comm, name, region, ierror)
    integer, intent(in) :: comm
    character(len=*), intent(in) :: name
    type(PAT_Region), intent(inout) :: region
    integer, optional, intent(out) :: ierror
    call give(c_Region_create(comm, c_text(name), region), ierror)
  end subroutine

  !> As PAT_ProcessingStart.
  subroutine PAT_Region_start(region, ierror)
    type(PAT_Region), intent(in) :: region
    integer, optional, intent(out) :: ierror
    call give(c_Region_start(region%handle), ierror)
  end subroutine

  !> As PAT_Edge.
  subroutine PAT_Region_edge(region, fraction, ierror)
    type(PAT_Region), intent(in) :: region
    double precision, intent(in) :: fraction
    integer, optional, intent(out) :: ierror
    call give(c_Region_edge(region%handle, fraction), ierror)
  end subroutine

  !> As PAT_Pause.
  subroutine PAT_Region_pause(region, ierror)
    type(PAT_Region), intent(in) :: region
    integer, optional, intent(out) :: ierror
    call give(c_Region_pause(region%handle), ierror)
  end subroutine

  !> As PAT_Resume.
  subroutine PAT_Region_resume(region, ierror)
    type(PAT_Region), intent(in) :: region
    integer, optional, intent(out) :: ierror
    call give(c_Region_resume(region%handle), ierror)
  end subroutine

  !> As PAT_ProcessingEnd.
  subroutine PAT_Region_end(region, ierror)
    type(PAT_Region), intent(in) :: region
    integer, optional, intent(out) :: ierror
    call give(c_Region_end(region%handle), ierror)
  end subroutine

  !> As PAT_Hint.
  subroutine PAT_Region_hint(region, name, value, ierror)
    type(PAT_Region), intent(in) :: region
    character(len=*), intent(in) :: name
    double precision, intent(in) :: value
    integer, optional, intent(out) :: ierror
    call give(c_Region_hint(region%handle, c_text(name), value), ierror)
  end subroutine

  !> Foretells this region's computing times with another model, such as "sma:5".
  subroutine PAT_Region_predictor(region, predictor, ierror)
    type(PAT_Region), intent(in) :: region
    character(len=*), intent(in) :: predictor
    integer, optional, intent(out) :: ierror
    call give(c_Region_predictor(region%handle, c_text(predictor)), ierror)
  end subroutine

  !> Frees the region and makes it the default region's handle.
  subroutine PAT_Region_free(region, ierror)
    type(PAT_Region), intent(inout) :: region
    integer, optional, intent(out) :: ierror
    call give(c_Region_free(region), ierror)
  end subroutine

  !> The predicted arrivals of the region's n processes, seconds after the earliest; epoch counts the
  !! decisions, 0: there is none yet.
  subroutine PAT_GetPattern(region, offsets_s, n, epoch, ierror)
    type(PAT_Region), intent(in) :: region
    integer, intent(in) :: n
    double precision, intent(inout) :: offsets_s(n)
    integer(c_int64_t), intent(inout) :: epoch
    integer, optional, intent(out) :: ierror
    call give(c_GetPattern(region%handle, offsets_s, n, epoch), ierror)
  end subroutine

  !> How many calls after the region this process has made since the one that the pattern was decided
  !! for; MPI_ERR_PENDING while there is none.
  subroutine PAT_GetPatternAge(region, calls, ierror)
    type(PAT_Region), intent(in) :: region
    integer(c_int64_t), intent(inout) :: calls
    integer, optional, intent(out) :: ierror
    call give(c_GetPatternAge(region%handle, calls), ierror)
  end subroutine

  !> This process's predicted computing time, seconds, with its 90 % interval; MPI_ERR_PENDING while
  !! nothing is known.
  subroutine PAT_GetForecast(region, mean_s, lower_s, upper_s, ierror)
    type(PAT_Region), intent(in) :: region
    double precision, intent(inout) :: mean_s, lower_s, upper_s
    integer, optional, intent(out) :: ierror
    call give(c_GetForecast(region%handle, mean_s, lower_s, upper_s), ierror)
  end subroutine

  !> The algorithm of the gathers that follow.
  subroutine PAT_UseAlg(algorithm, ierror)
    integer(c_int), intent(in) :: algorithm
    integer, optional, intent(out) :: ierror
    call give(c_UseAlg(algorithm), ierror)
  end subroutine

  !> The algorithm of the operation's calls that follow: PAT_UseAlgName("gather", "bsls").
  subroutine PAT_UseAlgName(operation, algorithm, ierror)
    character(len=*), intent(in) :: operation, algorithm
    integer, optional, intent(out) :: ierror
    call give(c_UseAlgName(c_text(operation), c_text(algorithm)), ierror)
  end subroutine

  !> Waits until the call has ended here.
  subroutine PAT_Wait(request, ierror)
    type(PAT_Request), intent(in) :: request
    integer, optional, intent(out) :: ierror
    call give(c_Wait(request%handle), ierror)
  end subroutine

  !> Whether the call has ended here or is not active. Never waits.
  subroutine PAT_Test(request, flag, ierror)
    type(PAT_Request), intent(in) :: request
    logical, intent(out) :: flag
    integer, optional, intent(out) :: ierror
    integer(c_int) :: c_flag
    c_flag = 0
    call give(c_Test(request%handle, c_flag), ierror)
    flag = c_flag /= 0
  end subroutine

  !> PAT_Wait for all of them.
  subroutine PAT_Waitall(count, requests, ierror)
    integer, intent(in) :: count
    type(PAT_Request), intent(inout) :: requests(count)
    integer, optional, intent(out) :: ierror
    call give(c_Waitall(count, requests), ierror)
  end subroutine

  !> Whether all have ended or are not active; else no request is changed. Never waits.
  subroutine PAT_Testall(count, requests, flag, ierror)
    integer, intent(in) :: count
    type(PAT_Request), intent(inout) :: requests(count)
    logical, intent(out) :: flag
    integer, optional, intent(out) :: ierror
    integer(c_int) :: c_flag
    c_flag = 0
    call give(c_Testall(count, requests, c_flag), ierror)
    flag = c_flag /= 0
  end subroutine

  !> Waits until one of those that are active has ended; index, from 1, says which, MPI_UNDEFINED: none
  !! is active.
  subroutine PAT_Waitany(count, requests, index, ierror)
    integer, intent(in) :: count
    type(PAT_Request), intent(inout) :: requests(count)
    integer, intent(out) :: index
    integer, optional, intent(out) :: ierror
    integer(c_int) :: c_index
    c_index = -1
    call give(c_Waitany(count, requests, c_index), ierror)
    index = merge(c_index + 1, c_index, c_index >= 0)
  end subroutine

  !> As PAT_Waitany, without waiting: flag says whether one has ended or none is active.
  subroutine PAT_Testany(count, requests, index, flag, ierror)
    integer, intent(in) :: count
    type(PAT_Request), intent(inout) :: requests(count)
    integer, intent(out) :: index
    logical, intent(out) :: flag
    integer, optional, intent(out) :: ierror
    integer(c_int) :: c_index, c_flag
    c_index = -1
    c_flag = 0
    call give(c_Testany(count, requests, c_index, c_flag), ierror)
    index = merge(c_index + 1, c_index, c_index >= 0)
    flag = c_flag /= 0
  end subroutine

  !> Cuts this process's send buffer into parts for PAT_Pready, from the next start on.
  subroutine PAT_Request_parts(request, parts, ierror)
    type(PAT_Request), intent(in) :: request
    integer, intent(in) :: parts
    integer, optional, intent(out) :: ierror
    call give(c_Request_parts(request%handle, parts), ierror)
  end subroutine

  !> Hands over the receive buffer.
  subroutine PAT_Start(request, ierror)
    type(PAT_Request), intent(in) :: request
    integer, optional, intent(out) :: ierror
    call give(c_Start(request%handle), ierror)
  end subroutine

  !> Hands over one finished part of the send buffer, from 0.
  subroutine PAT_Pready(request, part, ierror)
    type(PAT_Request), intent(in) :: request
    integer, intent(in) :: part
    integer, optional, intent(out) :: ierror
    call give(c_Pready(request%handle, part), ierror)
  end subroutine

  !> Hands over the send buffer, or what is left of it: the process has arrived.
  subroutine PAT_Ready(request, ierror)
    type(PAT_Request), intent(in) :: request
    integer, optional, intent(out) :: ierror
    call give(c_Ready(request%handle), ierror)
  end subroutine

  !> Frees a persistent request and makes it PAT_REQUEST_NULL. Collective over its communicator.
  subroutine PAT_Request_free(request, ierror)
    type(PAT_Request), intent(inout) :: request
    integer, optional, intent(out) :: ierror
    call give(c_Request_free(request), ierror)
  end subroutine

end module pat

!> Tells entries.cpp where the two MPI modules have the variables that stand for no buffer.
subroutine pat_fortran_tell_constants() bind(C, name="pat_fortran_tell_constants")
  implicit none
  call of_mpi_f08()
  call of_mpi()
contains
  subroutine of_mpi_f08()
    use mpi_f08, only: MPI_IN_PLACE, MPI_BOTTOM
    interface
      subroutine take(in_place, bottom) bind(C, name="pat_fortran_constants")
        type(*), dimension(..) :: in_place, bottom
      end subroutine
    end interface
    call take(MPI_IN_PLACE, MPI_BOTTOM)
  end subroutine
  subroutine of_mpi()
    use mpi, only: MPI_IN_PLACE, MPI_BOTTOM
    interface
      subroutine take(in_place, bottom) bind(C, name="pat_fortran_constants")
        type(*), dimension(..) :: in_place, bottom
      end subroutine
    end interface
    call take(MPI_IN_PLACE, MPI_BOTTOM)
  end subroutine
end subroutine
