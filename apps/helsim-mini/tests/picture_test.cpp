// The same picture for every process count, camera and reduction: to the last bit for the depth
// test, to one grey level for over; and no way to reorder what must not be reordered.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "apps/helsim-mini/compositor.hpp"
#include "apps/helsim-mini/frame.hpp"
#include "apps/helsim-mini/particle_file.hpp"
#include "apps/helsim-mini/render.hpp"
#include "apps/helsim-mini/tests/mpi_main.hpp"
#include "collectives/algorithm.hpp"
#include "core/errors.hpp"

namespace helsim {
namespace {

static_assert(std::is_same_v<ReductionFor<DepthPixel>, AnyReduction>);
static_assert(std::is_same_v<ReductionFor<OverPixel>, OrderedReduction>);
static_assert(!std::is_convertible_v<AnyReduction, OrderedReduction>);
static_assert(!std::is_constructible_v<OrderedReduction, AnyReduction>);

constexpr int width = 96, height = 60;

Case built_in(const std::string& name) {
  Case setup = read_case(std::string(built_in_cases()), "the built-in input", name);
  setup.view.particle_radius = 0.6;
  setup.view.draw_every = 3;
  return setup;
}

int world_size() {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  return ranks;
}

int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

/// The finished pictures of a simulation on rank 0 of its communicator, one for each reduction.
template <class Pixel>
std::vector<Frame> pictures(const Simulation& simulation, double turn_deg,
                            const std::vector<std::string>& reductions,
                            bool reverse_order = false) {
  const Camera camera(simulation.setup().grid, simulation.setup().view, turn_deg, width, height);
  Compositor<Pixel> compositor(simulation.domain().comm());
  auto order = front_to_back(simulation.domain(), camera);
  if (reverse_order) std::reverse(order.begin(), order.end());
  compositor.set_order(order);
  const Scene scene = make_scene(simulation, camera);
  Image<Pixel> own(width, height);
  render(
      scene, camera, [](double) {}, own);
  std::vector<Frame> finished;
  for (const std::string& reduction : reductions) {
    Image<Pixel> whole(width, height);
    compositor.compose(own, whole, ReductionFor<Pixel>(reduction));
    finished.push_back(finish(whole));
  }
  return finished;
}

template <class Pixel>
Frame picture(const Simulation& simulation, double turn_deg, bool reverse_order = false) {
  return pictures<Pixel>(simulation, turn_deg, {"mpi"}, reverse_order).front();
}

int worst_difference(const Frame& a, const Frame& b) {
  int worst = a.rgb.size() == b.rgb.size() ? 0 : 256;
  for (std::size_t n = 0; n < std::min(a.rgb.size(), b.rgb.size()); ++n)
    worst = std::max(worst, std::abs(int{a.rgb[n]} - int{b.rgb[n]}));
  return worst;
}

/// Runs `work` on the first `ranks` processes, with a simulation started from the particle file.
template <class Work>
void with_ranks(int ranks, const Case& setup, const std::string& file, Work work) {
  MPI_Comm part = first_ranks(ranks);
  if (part != MPI_COMM_NULL) {
    {
      SavedParticles saved = load_particles(part, setup, file);
      const Simulation simulation(part, setup, std::move(saved.species), saved.time);
      work(simulation);
    }
    MPI_Comm_free(&part);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

class Pictures : public ::testing::TestWithParam<const char*> {
 protected:
  /// A particle file of the case after some steps, made by all processes.
  void SetUp() override {
    setup_ = built_in(GetParam());
    file_ = ::testing::TempDir() + "helsim-" + GetParam() + "-" + std::to_string(world_size());
    {
      Simulation simulation(MPI_COMM_WORLD, setup_);
      for (int n = 0; n < 5; ++n) simulation.step();
      save_particles(simulation, file_);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  void TearDown() override {
    MPI_Barrier(MPI_COMM_WORLD);
    if (world_rank() == 0) std::remove(file_.c_str());
  }

  template <class Pixel>
  void compare(int tolerance) {
    const std::vector<std::string> names = reduction_names(!Pixel::commutative);
    for (double turn : {0.0, 140.0}) {
      Frame one;
      with_ranks(1, setup_, file_, [&](const Simulation& s) { one = picture<Pixel>(s, turn); });
      for (int ranks : std::set{2, 3, world_size()}) {
        if (ranks > world_size()) continue;
        with_ranks(ranks, setup_, file_, [&](const Simulation& s) {
          const std::vector<Frame> many = pictures<Pixel>(s, turn, names);
          if (s.domain().rank() != 0) return;
          for (std::size_t n = 0; n < names.size(); ++n)
            EXPECT_LE(worst_difference(one, many[n]), tolerance)
                << ranks << " ranks, turned by " << turn << ", reduction " << names[n];
        });
      }
    }
  }

  Case setup_;
  std::string file_;
};

TEST_P(Pictures, DepthTestIsTheSameToTheLastBit) {
  compare<DepthPixel>(0);
}
TEST_P(Pictures, OverIsTheSameToOneGreyLevel) {
  compare<OverPixel>(1);
}

TEST_P(Pictures, ShowSomething) {
  with_ranks(world_size(), setup_, file_, [&](const Simulation& s) {
    const Frame opaque = picture<DepthPixel>(s, 0.0);
    const Frame translucent = picture<OverPixel>(s, 0.0);
    if (s.domain().rank() != 0) return;
    for (const Frame* frame : {&opaque, &translucent}) {
      const auto bright = std::count_if(frame->rgb.begin(), frame->rgb.end(),
                                        [](std::uint8_t level) { return level > 60; });
      EXPECT_GT(bright, width * height / 20);
    }
  });
}

TEST_P(Pictures, TheOrderOfOverMatters) {
  if (world_size() == 1) return;  // one operand has one order
  with_ranks(world_size(), setup_, file_, [&](const Simulation& s) {
    const Frame right = picture<OverPixel>(s, 0.0);
    const Frame wrong = picture<OverPixel>(s, 0.0, true);
    if (s.domain().rank() != 0) return;
    EXPECT_GT(worst_difference(right, wrong), 20);
  });
}

INSTANTIATE_TEST_SUITE_P(Cases, Pictures,
                         ::testing::Values("two-stream", "magnetosphere-like-blob"),
                         [](const auto& parameter) {
                           std::string name = parameter.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Compositor, TellsMpiWhatCommutes) {
  const Compositor<DepthPixel> depth(MPI_COMM_WORLD);
  const Compositor<OverPixel> translucent(MPI_COMM_WORLD);
  int commutes = -1;
  MPI_Op_commutative(depth.operation(), &commutes);
  EXPECT_EQ(commutes, 1);
  MPI_Op_commutative(translucent.operation(), &commutes);
  EXPECT_EQ(commutes, 0);
  for (MPI_Datatype type : {depth.pixel_type(), translucent.pixel_type()}) {
    int bytes = 0;
    MPI_Type_size(type, &bytes);
    EXPECT_EQ(bytes, 16);
  }
}

TEST(Reductions, OrderedOnesAreAllThatOverCanGet) {
  for (const pat::Algorithm& algorithm : pat::algorithms()) {
    if (algorithm.operation != pat::Operation::reduce) continue;
    EXPECT_NO_THROW(AnyReduction{algorithm.name}) << algorithm.name;
    if (algorithm.needs_commutative) {
      EXPECT_THROW(OrderedReduction{algorithm.name}, pat::Error) << algorithm.name;
    } else {
      EXPECT_NO_THROW(OrderedReduction{algorithm.name}) << algorithm.name;
    }
  }
  for (const std::string& name : reduction_names(false)) EXPECT_NO_THROW(AnyReduction{name});
  for (const std::string& name : reduction_names(true)) EXPECT_NO_THROW(OrderedReduction{name});
  EXPECT_THROW(AnyReduction{"nonsense"}, pat::Error);
  EXPECT_THROW(OrderedReduction{"nonsense"}, pat::Error);
}

TEST(Operators, DepthTestCommutesAndAssociates) {
  std::mt19937 random(1);
  const auto pixel = [&] {
    DepthPixel p;
    p.rgba = {static_cast<std::uint8_t>(random()), 0, 0, 255};
    p.depth = static_cast<float>(random() % 3);
    p.id = random() % 1000;
    return p;
  };
  const auto same = [](const DepthPixel& a, const DepthPixel& b) {
    return a.depth == b.depth && a.id == b.id;
  };
  for (int n = 0; n < 1000; ++n) {
    const DepthPixel a = pixel(), b = pixel(), c = pixel();
    EXPECT_TRUE(same(nearer(a, b), nearer(b, a)));
    EXPECT_TRUE(same(nearer(a, nearer(b, c)), nearer(nearer(a, b), c)));
    EXPECT_TRUE(same(nearer(a, DepthPixel{}), a));
  }
}

TEST(Operators, OverAssociatesButDoesNotCommute) {
  std::mt19937 random(2);
  std::uniform_real_distribution<float> unit(0.0f, 1.0f);
  const auto pixel = [&] {
    const float a = unit(random);
    return OverPixel{a * unit(random), a * unit(random), a * unit(random), a};
  };
  float most = 0.0f;
  for (int n = 0; n < 1000; ++n) {
    const OverPixel a = pixel(), b = pixel(), c = pixel();
    EXPECT_NEAR(over(a, over(b, c)).red, over(over(a, b), c).red, 1e-6f);
    EXPECT_NEAR(over(a, over(b, c)).alpha, over(over(a, b), c).alpha, 1e-6f);
    most = std::max(most, std::abs(over(a, b).red - over(b, a).red));
  }
  EXPECT_GT(most, 0.1f);
}

TEST(Camera, FrontBlocksHideBackOnes) {
  const Case setup = built_in("magnetosphere-like-blob");
  const Domain domain(MPI_COMM_WORLD, setup.grid);
  for (double turn = 0.0; turn < 360.0; turn += 30.0) {
    const Camera camera(setup.grid, setup.view, turn, width, height);
    const auto order = front_to_back(domain, camera);
    // Where a line of sight leaves an earlier block through a face that it shares with another,
    // that other one comes later.
    for (std::size_t a = 0; a < order.size(); ++a)
      for (std::size_t b = 0; b < a; ++b)
        for (int axis = 0; axis < 3; ++axis) {
          const Int3 front = domain.coordinates_of(order[b]),
                     back = domain.coordinates_of(order[a]);
          Int3 step{};
          for (int c = 0; c < 3; ++c) step[c] = back[c] - front[c];
          Int3 unit{};
          unit[axis] = camera.forward()[axis] > 0.0 ? -1 : 1;
          EXPECT_NE(step, unit);
        }
  }
}

TEST(Frame, PngComesBackAsItWas) {
  if (world_rank() != 0) return;
  Frame frame{3, 2, {}};
  for (int n = 0; n < 18; ++n) frame.rgb.push_back(static_cast<std::uint8_t>(14 * n));
  const std::string path = ::testing::TempDir() + "helsim.png";
  write_png(frame, path);
  const Frame back = read_png(path);
  EXPECT_EQ(back.width, 3);
  EXPECT_EQ(back.rgb, frame.rgb);
  EXPECT_THROW(write_png(frame, "/no/such/directory/x.png"), pat::Error);
}

}  // namespace
}  // namespace helsim

int main(int argc, char** argv) {
  return helsim::run_tests(argc, argv);
}
