!> The functions of pat.h that take no buffers, as C has them; programs use module pat.
module pat_c
  use, intrinsic :: iso_c_binding, only: c_ptr, c_null_ptr, c_char, c_double, c_int, c_int64_t, c_size_t
  implicit none

  !> A place in the program that computes and then communicates.
  type, bind(C), public :: PAT_Region
    type(c_ptr) :: handle = c_null_ptr
  end type
  !> A collective call on its way, or one that can be started again and again.
  type, bind(C), public :: PAT_Request
    type(c_ptr) :: handle = c_null_ptr
  end type
  ! The functions of pat.h; those that take a communicator of Fortran are in entries.cpp.
  interface
    function c_Init() bind(C, name="PAT_Init") result(code)
      import
      integer(c_int) :: code
    end function
    function c_Init_comm(comm, config) bind(C, name="pat_fortran_init_comm") result(code)
      import
      integer(c_int), intent(in) :: comm
      character(kind=c_char), intent(in) :: config(*)
      integer(c_int) :: code
    end function
    function c_Finalize() bind(C, name="PAT_Finalize") result(code)
      import
      integer(c_int) :: code
    end function
    function c_Initialized(flag) bind(C, name="PAT_Initialized") result(code)
      import
      integer(c_int), intent(out) :: flag
      integer(c_int) :: code
    end function
    function c_Error_string() bind(C, name="PAT_Error_string") result(text)
      import
      type(c_ptr) :: text
    end function
    function c_strlen(text) bind(C, name="strlen") result(length)
      import
      type(c_ptr), value :: text
      integer(c_size_t) :: length
    end function
    function c_ProcessingStart() bind(C, name="PAT_ProcessingStart") result(code)
      import
      integer(c_int) :: code
    end function
    function c_Edge(fraction) bind(C, name="PAT_Edge") result(code)
      import
      real(c_double), value :: fraction
      integer(c_int) :: code
    end function
    function c_Progress(done, total) bind(C, name="PAT_Progress") result(code)
      import
      real(c_double), value :: done, total
      integer(c_int) :: code
    end function
    function c_Hint(name, value) bind(C, name="PAT_Hint") result(code)
      import
      character(kind=c_char), intent(in) :: name(*)
      real(c_double), value :: value
      integer(c_int) :: code
    end function
    function c_Pause() bind(C, name="PAT_Pause") result(code)
      import
      integer(c_int) :: code
    end function
    function c_Resume() bind(C, name="PAT_Resume") result(code)
      import
      integer(c_int) :: code
    end function
    function c_ProcessingEnd() bind(C, name="PAT_ProcessingEnd") result(code)
      import
      integer(c_int) :: code
    end function
    function c_Region_create(comm, name, region) bind(C, name="pat_fortran_region_create") result(code)
      import
      integer(c_int), intent(in) :: comm
      character(kind=c_char), intent(in) :: name(*)
      type(PAT_Region), intent(inout) :: region
      integer(c_int) :: code
    end function
    function c_Region_start(region) bind(C, name="PAT_Region_start") result(code)
      import
      type(c_ptr), value :: region
      integer(c_int) :: code
    end function
    function c_Region_edge(region, fraction) bind(C, name="PAT_Region_edge") result(code)
      import
      type(c_ptr), value :: region
      real(c_double), value :: fraction
      integer(c_int) :: code
    end function
    function c_Region_pause(region) bind(C, name="PAT_Region_pause") result(code)
      import
      type(c_ptr), value :: region
      integer(c_int) :: code
    end function
    function c_Region_resume(region) bind(C, name="PAT_Region_resume") result(code)
      import
      type(c_ptr), value :: region
      integer(c_int) :: code
    end function
    function c_Region_end(region) bind(C, name="PAT_Region_end") result(code)
      import
      type(c_ptr), value :: region
      integer(c_int) :: code
    end function
    function c_Region_hint(region, name, value) bind(C, name="PAT_Region_hint") result(code)
      import
      type(c_ptr), value :: region
      character(kind=c_char), intent(in) :: name(*)
      real(c_double), value :: value
      integer(c_int) :: code
    end function
    function c_Region_predictor(region, predictor) bind(C, name="PAT_Region_predictor") result(code)
      import
      type(c_ptr), value :: region
      character(kind=c_char), intent(in) :: predictor(*)
      integer(c_int) :: code
    end function
    function c_Region_free(region) bind(C, name="PAT_Region_free") result(code)
      import
      type(PAT_Region), intent(inout) :: region
      integer(c_int) :: code
    end function
    function c_GetPattern(region, offsets_s, n, epoch) bind(C, name="PAT_GetPattern") result(code)
      import
      type(c_ptr), value :: region
      integer(c_int), value :: n
      real(c_double), intent(inout) :: offsets_s(*)
      integer(c_int64_t), intent(inout) :: epoch
      integer(c_int) :: code
    end function
    function c_GetPatternAge(region, calls) bind(C, name="PAT_GetPatternAge") result(code)
      import
      type(c_ptr), value :: region
      integer(c_int64_t), intent(inout) :: calls
      integer(c_int) :: code
    end function
    function c_GetForecast(region, mean_s, lower_s, upper_s) bind(C, name="PAT_GetForecast") result(code)
      import
      type(c_ptr), value :: region
      real(c_double), intent(inout) :: mean_s, lower_s, upper_s
      integer(c_int) :: code
    end function
    function c_UseAlg(algorithm) bind(C, name="PAT_UseAlg") result(code)
      import
      integer(c_int), value :: algorithm
      integer(c_int) :: code
    end function
    function c_UseAlgName(operation, algorithm) bind(C, name="PAT_UseAlgName") result(code)
      import
      character(kind=c_char), intent(in) :: operation(*), algorithm(*)
      integer(c_int) :: code
    end function
    function c_Wait(request) bind(C, name="PAT_Wait") result(code)
      import
      type(c_ptr), value :: request
      integer(c_int) :: code
    end function
    function c_Test(request, flag) bind(C, name="PAT_Test") result(code)
      import
      type(c_ptr), value :: request
      integer(c_int), intent(inout) :: flag
      integer(c_int) :: code
    end function
    function c_Waitall(count, requests) bind(C, name="PAT_Waitall") result(code)
      import
      integer(c_int), value :: count
      type(PAT_Request), intent(inout) :: requests(*)
      integer(c_int) :: code
    end function
    function c_Testall(count, requests, flag) bind(C, name="PAT_Testall") result(code)
      import
      integer(c_int), value :: count
      type(PAT_Request), intent(inout) :: requests(*)
      integer(c_int), intent(inout) :: flag
      integer(c_int) :: code
    end function
    function c_Waitany(count, requests, index) bind(C, name="PAT_Waitany") result(code)
      import
      integer(c_int), value :: count
      type(PAT_Request), intent(inout) :: requests(*)
      integer(c_int), intent(inout) :: index
      integer(c_int) :: code
    end function
    function c_Testany(count, requests, index, flag) bind(C, name="PAT_Testany") result(code)
      import
      integer(c_int), value :: count
      type(PAT_Request), intent(inout) :: requests(*)
      integer(c_int), intent(inout) :: index, flag
      integer(c_int) :: code
    end function
    function c_Request_parts(request, parts) bind(C, name="PAT_Request_parts") result(code)
      import
      type(c_ptr), value :: request
      integer(c_int), value :: parts
      integer(c_int) :: code
    end function
    function c_Start(request) bind(C, name="PAT_Start") result(code)
      import
      type(c_ptr), value :: request
      integer(c_int) :: code
    end function
    function c_Pready(request, part) bind(C, name="PAT_Pready") result(code)
      import
      type(c_ptr), value :: request
      integer(c_int), value :: part
      integer(c_int) :: code
    end function
    function c_Ready(request) bind(C, name="PAT_Ready") result(code)
      import
      type(c_ptr), value :: request
      integer(c_int) :: code
    end function
    function c_Request_free(request) bind(C, name="PAT_Request_free") result(code)
      import
      type(PAT_Request), intent(inout) :: request
      integer(c_int) :: code
    end function
  end interface

end module pat_c
