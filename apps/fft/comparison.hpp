#pragma once

#include <mpi.h>

#include <functional>
#include <span>
#include <vector>

#include "apps/fft/blocks.hpp"
#include "apps/fft/measurement.hpp"
#include "apps/fft/options.hpp"
#include "apps/fft/parallel_fft.hpp"

namespace pat::fft {

/// What the master does with a finished block: its number, its samples, its spectrum.
using OnSpectrum =
    std::function<void(std::size_t index, std::span<const float> block, std::span<const Complex>)>;

/// Transforms `blocks` blocks, each with every algorithm before the next block comes, the first
/// algorithm another one from block to block. The delays of one block's transforms come from
/// different patterns (else a model would know the second from the first), but over the run every
/// algorithm meets every pattern once. `source` and `on_spectrum` are used by the master alone.
/// Returns all calls in their order at the master, nothing elsewhere. Collective, between PAT_Init
/// and PAT_Finalize. Throws Error(internal) if PAT fails.
std::vector<Call> compare_algorithms(MPI_Comm comm, const Options& options, int threads,
                                     std::size_t blocks, const Blocks* source,
                                     const OnSpectrum& on_spectrum);

}  // namespace pat::fft
