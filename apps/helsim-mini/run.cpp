#include "apps/helsim-mini/run.hpp"

#include <omp.h>
#include <pat/pat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <memory>
#include <sstream>

#include "apps/helsim-mini/camera.hpp"
#include "apps/helsim-mini/case.hpp"
#include "apps/helsim-mini/compositor.hpp"
#include "apps/helsim-mini/figures.hpp"
#include "apps/helsim-mini/frame.hpp"
#include "apps/helsim-mini/mpi_error.hpp"
#include "apps/helsim-mini/particle_file.hpp"
#include "apps/helsim-mini/pat_error.hpp"
#include "apps/helsim-mini/render.hpp"
#include "apps/helsim-mini/replay.hpp"
#include "apps/helsim-mini/simulation.hpp"
#include "apps/helsim-mini/study.hpp"
#include "core/config.hpp"
#include "core/progress_bar.hpp"
#include "core/units.hpp"
#include "measure/dilation.hpp"
#include "measure/shared_clock.hpp"

namespace helsim {
namespace {

bool is_root(MPI_Comm comm) {
  int rank = 0;
  check_mpi(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  return rank == 0;
}

/// Throws on all processes if rank 0 could not do something; `sentence` counts on rank 0 only.
void require_on_root(MPI_Comm comm, std::string sentence) {
  int length = static_cast<int>(sentence.size());
  check_mpi(MPI_Bcast(&length, 1, MPI_INT, 0, comm), "MPI_Bcast");
  if (length == 0) return;
  sentence.resize(static_cast<std::size_t>(length));
  check_mpi(MPI_Bcast(sentence.data(), length, MPI_CHAR, 0, comm), "MPI_Bcast");
  throw pat::Error(pat::ErrorKind::io, sentence);
}

void make_directory(MPI_Comm comm, const std::string& path) {
  std::string sentence;
  if (is_root(comm)) {
    std::error_code code;
    std::filesystem::create_directories(path, code);
    if (!std::filesystem::is_directory(path) || ::access(path.c_str(), W_OK) != 0)
      sentence = "cannot write into the directory " + path + ", choose another with --output";
  }
  require_on_root(comm, sentence);
}

/// energy.csv in the output directory; on rank 0 only.
class EnergyFile {
 public:
  EnergyFile(bool root, const std::string& directory) {
    if (!root) return;
    file_.open(directory + "/energy.csv");
    file_ << "time,kinetic_energy,field_energy,charge_error,particles\n" << std::setprecision(12);
  }
  void add(const Diagnostics& d) {
    if (file_.is_open())
      file_ << d.time << ',' << d.kinetic_energy << ',' << d.field_energy << ',' << d.charge_error()
            << ',' << d.particles << "\n";
  }

 private:
  std::ofstream file_;
};

/// Throws on all processes before the work begins if a file could not be written after it.
void require_writable(MPI_Comm comm, const std::string& path, const std::string& option) {
  if (path.empty()) return;
  std::string sentence;
  std::error_code code;
  const auto folder = std::filesystem::absolute(path, code).parent_path();
  if (is_root(comm) &&
      (std::filesystem::is_directory(path, code) || ::access(folder.c_str(), W_OK | X_OK) != 0))
    sentence = "cannot write the file " + path + ", choose another with " + option;
  require_on_root(comm, sentence);
}

std::string frame_name(const std::string& directory, int number) {
  char name[32];
  std::snprintf(name, sizeof name, "/frame-%05d.png", number);
  return directory + name;
}

/// Draws and composites pictures of one kind; keeps what a picture needs between steps.
template <class Pixel>
class Pictures {
 public:
  Pictures(MPI_Comm comm, const Options& options)
      : options_(options),
        compositor_(comm),
        reduction_(options.reduce),
        whole_(options.width, options.height),
        root_(is_root(comm)),
        clock_(comm),
        threads_(omp_get_max_threads()) {}

  /// One picture: collects what is to be seen, draws it between PAT's two calls, and composites.
  void take(const Simulation& simulation, int number) {
    const View& view = simulation.setup().view;
    const Camera camera(simulation.setup().grid, view, view.turn_deg_per_step * number,
                        options_.width, options_.height);
    compositor_.set_order(front_to_back(simulation.domain(), camera));
    const Scene scene = make_scene(simulation, camera);
    Image<Pixel> own(options_.width, options_.height);
    StepTimes times;
    for (const Particles& species : simulation.species())
      times.particles += static_cast<double>(species.size());
    check_pat(PAT_Hint("particles", times.particles));
    const double cpu = cpu_seconds(threads_);
    times.start_s = clock_.now_s();
    check_pat(PAT_ProcessingStart());
    render(
        scene, camera, [](double fraction) { check_pat(PAT_Edge(fraction)); }, own);
    check_pat(PAT_ProcessingEnd());
    times.arrival_s = clock_.now_s();
    const double cpu_used = cpu_seconds(threads_) - cpu;
    compositor_.compose(own, whole_, reduction_);
    times.exit_s = clock_.now_s();
    times.computing_s =
        options_.clock == RenderClock::cpu ? cpu_used : times.arrival_s - times.start_s;
    times_.push_back(times);
    if (root_ && options_.picture_every > 0 && number % options_.picture_every == 0)
      write_png(finish(whole_), frame_name(options_.output, number));
  }
  const std::vector<StepTimes>& times() const { return times_; }
  std::size_t bytes() const { return whole_.bytes(); }

 private:
  const Options& options_;
  Compositor<Pixel> compositor_;
  ReductionFor<Pixel> reduction_;
  Image<Pixel> whole_;
  bool root_;
  pat::measure::SharedClock clock_;
  int threads_;
  std::vector<StepTimes> times_;
};

std::unique_ptr<Simulation> start(MPI_Comm comm, const Case& setup,
                                  std::optional<SavedParticles> saved) {
  if (!saved) return std::make_unique<Simulation>(comm, setup);
  return std::make_unique<Simulation>(comm, setup, std::move(saved->species), saved->time);
}

void print_summary(const Options& options, const std::vector<std::vector<StepTimes>>& times,
                   std::size_t bytes, const Diagnostics& first, const Diagnostics& last) {
  double imbalance = 0.0;
  for (const auto& step : times) {
    double early = step.front().arrival_s, late = early;
    for (const StepTimes& t : step) {
      early = std::min(early, t.arrival_s);
      late = std::max(late, t.arrival_s);
    }
    imbalance += (late - early) / static_cast<double>(times.size());
  }
  std::cout << options.case_name << ": " << times.size() << " pictures of " << options.width
            << " x " << options.height << " (" << bytes / 1024 << " KiB) by "
            << times.front().size() << " processes, in " << options.output << "\n"
            << std::setprecision(3) << "reductions: " << accumulated_run_time_s(times)
            << " s accumulated (last exit minus first arrival), mean imbalance " << imbalance * 1e3
            << " ms\n";
  if (first.energy() > 0.0)
    std::cout << "energy drift " << last.energy() / first.energy() - 1.0 << ", charge error "
              << last.charge_error() << "\n";
}

std::vector<std::size_t> sizes_of(const Options& options) {
  return options.study_bytes.empty() ? seed_004_sizes() : options.study_bytes;
}

ReplayPlan replay_plan(const Options& options) {
  ReplayPlan plan;
  plan.sizes = sizes_of(options);
  plan.reductions = replay_reductions(options.reduce);
  plan.predictors = study_predictors(options.predictor);
  plan.edges = options.edges;
  plan.steps = options.step_count();
  plan.dilate = pat::measure::cluster_dilation();
  plan.lateness_limit_s = pat::seconds_of(options.max_lateness);
  return plan;
}

/// The trace on all processes. Collective.
pat::Trace read_study_trace(MPI_Comm comm, const std::string& path) {
  std::istringstream text(read_text(comm, path));
  return pat::parse_trace(text, path);
}

void study_times(const Options& options, const pat::Trace& trace, Afterwards& afterwards) {
  const pat::Config config = pat::load_config();
  pat::CostModel model;
  model.alpha_s = config.alpha_s;
  model.beta_s_per_byte = config.beta_s_per_byte;
  model.gamma_s_per_byte = config.gamma_s_per_byte;
  print_study(study(trace, sizes_of(options), study_predictors(options.predictor), model),
              simulated_origin(model), options.format, std::cout);
  afterwards.plots = write_figures(trace, options.output);
}

template <class Pixel>
Afterwards simulate_and_draw(MPI_Comm comm, const Options& options, const Case& setup,
                             std::optional<SavedParticles> saved) {
  const bool root = is_root(comm);
  const auto simulation = start(comm, setup, std::move(saved));
  EnergyFile energy(root, options.output);
  Pictures<Pixel> pictures(comm, options);
  const int steps = options.step_count();
  Diagnostics first, last;
  {
    pat::ProgressBar bar("helsim-mini", steps, pat::progress_style(root));
    pictures.take(*simulation, 0);
    for (int step = 1; step <= steps; ++step) {
      last = simulation->step();
      if (step == 1) first = last;
      energy.add(last);
      pictures.take(*simulation, step);
      bar.update(step);
    }
  }
  if (!options.save.empty()) save_particles(*simulation, options.save);
  const auto times = gather_times(comm, pictures.times());
  Afterwards afterwards{options.output, options.film, {}};
  if (!root) return afterwards;
  const pat::Trace trace =
      render_trace(times, options.clock, "helsim-mini, case " + options.case_name);
  if (!options.trace.empty()) pat::write_trace(trace, options.trace);
  if (options.study)
    study_times(options, trace, afterwards);
  else
    print_summary(options, times, pictures.bytes(), first, last);
  return afterwards;
}

}  // namespace

Prepared prepare(MPI_Comm comm, const Options& options) {
  Prepared prepared{std::string(built_in_cases()), "the built-in input", {}, {}};
  if (!options.input.empty()) prepared = {read_text(comm, options.input), options.input, {}, {}};
  if (options.list_cases) return prepared;
  int ranks = 0;
  check_mpi(MPI_Comm_size(comm, &ranks), "MPI_Comm_size");
  if (!options.study_trace.empty()) prepared.trace = read_study_trace(comm, options.study_trace);
  if (options.replay) {
    check_replay(replay_plan(options), *prepared.trace, ranks);
    return prepared;  // writes no files
  }
  if (options.over)
    OrderedReduction{options.reduce};
  else
    AnyReduction{options.reduce};
  if (!prepared.trace) {
    const Case setup = read_case(prepared.cases, prepared.source, options.case_name);
    cut(setup.grid, ranks);
    if (options.study && ranks < 2)
      throw pat::Error(pat::ErrorKind::argument,
                       "the study needs the render times of at least two processes, start it with "
                       "mpirun or give it --study-trace");
    if (!options.load.empty()) prepared.start = load_particles(comm, setup, options.load);
  }
  make_directory(comm, options.output);
  require_writable(comm, options.trace, "--trace");
  require_writable(comm, options.save, "--save");
  return prepared;
}

Afterwards run(MPI_Comm comm, const Options& options, Prepared prepared) {
  if (options.list_cases) {
    if (is_root(comm))
      for (const std::string& name : case_names(prepared.cases, prepared.source))
        std::cout << name << "\n";
    return {};
  }
  if (options.replay) {
    replay_study(comm, *prepared.trace, replay_plan(options), options.format);
    return {};
  }
  if (prepared.trace) {
    Afterwards afterwards{options.output, false, {}};
    if (is_root(comm)) study_times(options, *prepared.trace, afterwards);
    return afterwards;
  }
  const Case setup = read_case(prepared.cases, prepared.source, options.case_name);
  return options.over
             ? simulate_and_draw<OverPixel>(comm, options, setup, std::move(prepared.start))
             : simulate_and_draw<DepthPixel>(comm, options, setup, std::move(prepared.start));
}

}  // namespace helsim
