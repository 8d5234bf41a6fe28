#pragma once

#include <string>

#include "tests/mpi/session.hpp"

namespace pat::test {

/// What an MPI error handler was given, and how often.
inline int caught = MPI_SUCCESS, times_caught = 0;
inline void catch_error(MPI_Comm*, int* code, ...) {
  caught = *code;
  ++times_caught;
}

inline int class_of(int code) {
  int error_class = 0;
  MPI_Error_class(code, &error_class);
  return error_class;
}

/// PAT runs, and a handler of the test's own catches the errors of MPI_COMM_WORLD.
class CatchesErrors : public Running {
 protected:
  void SetUp() override {
    Running::SetUp();
    MPI_Comm_create_errhandler(catch_error, &handler_);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler_);
    caught = MPI_SUCCESS;
    times_caught = 0;
  }
  void TearDown() override {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler_free(&handler_);
    int running = 0;
    PAT_Initialized(&running);
    if (running) Running::TearDown();
  }
  /// The call returned an error of this class, of which PAT_Error_string() says `words` and which
  /// the handler got once.
  static void expect_class(int code, int expected, const char* words) {
    EXPECT_EQ(class_of(code), expected);
    EXPECT_EQ(caught, code);
    EXPECT_EQ(times_caught, 1);
    EXPECT_NE(std::string(PAT_Error_string()).find(words), std::string::npos)
        << "'" << words << "' is not in: " << PAT_Error_string();
    caught = MPI_SUCCESS;
    times_caught = 0;
  }
  MPI_Errhandler handler_ = MPI_ERRHANDLER_NULL;
};

/// As CatchesErrors, but on a communicator of its own, while an error that reaches MPI_COMM_WORLD's
/// handler ends the job.
class CatchesErrorsOfItsOwn : public CatchesErrors {
 protected:
  void SetUp() override {
    CatchesErrors::SetUp();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    make_comm();
  }
  void TearDown() override {
    MPI_Comm_free(&comm_);
    CatchesErrors::TearDown();
  }
  void make_comm() {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
    MPI_Comm_set_errhandler(comm_, handler_);
  }
  MPI_Comm comm_ = MPI_COMM_NULL;
};

}  // namespace pat::test
