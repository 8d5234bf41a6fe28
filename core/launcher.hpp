#pragma once

namespace pat {

/// Whether mpirun or srun started this process, by the words that Open MPI, MPICH, PMIx and SLURM
/// leave in the environment.
bool is_launched();

/// Whether this process is the first of those that were started with its command line, or the only
/// one: the one that says what all find wrong before MPI is begun.
bool is_first_launched();

}  // namespace pat
