#include "libpat/mpi/last_error.hpp"

#include <spdlog/spdlog.h>

#include <new>

#include "libpat/mpi/check.hpp"

namespace pat::detail {
namespace {

std::string& sentence_of_this_thread() {
  thread_local std::string sentence;
  return sentence;
}

}  // namespace

void remember_error(const std::string& sentence) {
  sentence_of_this_thread() = sentence;
  spdlog::debug("{}", sentence);
}

const char* remembered_error() {
  return sentence_of_this_thread().c_str();
}

void remember_mpi_error(int code) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  PMPI_Error_string(code, text, &length);
  remember_error(std::string(text, static_cast<std::size_t>(length)));
}

int mpi_class(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::argument:
    case ErrorKind::config:
      return MPI_ERR_ARG;
    case ErrorKind::count:
      return MPI_ERR_COUNT;
    case ErrorKind::root:
      return MPI_ERR_ROOT;
    case ErrorKind::type:
      return MPI_ERR_TYPE;
    case ErrorKind::communicator:
      return MPI_ERR_COMM;
    case ErrorKind::topology:
      return MPI_ERR_TOPOLOGY;
    case ErrorKind::request:
      return MPI_ERR_REQUEST;
    case ErrorKind::operation:
      return MPI_ERR_OP;
    case ErrorKind::order:
      return MPI_ERR_OTHER;
    case ErrorKind::io:
      return MPI_ERR_IO;
    case ErrorKind::internal:
      return MPI_ERR_INTERN;
  }
  return MPI_ERR_UNKNOWN;
}

int code_of_current_exception() noexcept {
  try {
    throw;
  } catch (const Error& error) {
    remember_error(error.what());
    return mpi_class(error.kind());
  } catch (const MpiFailure& failure) {
    remember_mpi_error(failure.code());
    return failure.code();
  } catch (const std::bad_alloc&) {
    remember_error("there is not enough memory for this call, lower PAT_SCRATCH");
    return MPI_ERR_NO_MEM;
  } catch (const std::exception& error) {
    remember_error(error.what());
    return MPI_ERR_INTERN;
  }
}

}  // namespace pat::detail
