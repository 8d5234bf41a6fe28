#include "bench/simgrid/background.hpp"

#include <algorithm>
#include <cmath>
#include <simgrid/s4u.hpp>

#include "core/errors.hpp"
#include "libpat/agreement/pace.hpp"
#include "libpat/mpi/check.hpp"

namespace pat::simulated {
namespace {

using namespace detail;

namespace sg4 = ::simgrid::s4u;

double seconds(std::int64_t ns) {
  return static_cast<double>(ns) * 1e-9;
}

class Nobody final : public Background {
 public:
  double round(double, ScheduleRun&) override { return never; }
};

/// A round costs nothing of the computing processor here, so it never is over its budget.
class Thread final : public Background {
 public:
  double round(double now_s, ScheduleRun& execution) override {
    const auto now_ns = static_cast<std::int64_t>(std::llround(now_s * 1e9));
    pace::Round found{.computing = true};
    found.moving = motion_.round(execution.advance(), now_ns);
    return now_s + seconds(pace_.pause_ns(found, now_ns, 0));
  }
  double pause_s() const override { return seconds(pace::moving_pause_ns); }

 private:
  pace::Motion motion_;
  pace::Pace pace_{0};
};

class Actor : public Background {
 public:
  double round(double, ScheduleRun&) override { return on_message; }
};

class Oracle final : public Actor {
 public:
  bool knows_arrivals() const override { return true; }
};

/// A round at every message until `arrival_s`. A child actor can start only what its parent has
/// made: so it is the child who computes, and then starts the message that tells the parent.
void advance_until(double arrival_s, ScheduleRun& execution) {
  MPI_Request tell = MPI_REQUEST_NULL, told = MPI_REQUEST_NULL;
  check(PMPI_Ssend_init(nullptr, 0, MPI_BYTE, 0, 0, MPI_COMM_SELF, &tell));
  check(PMPI_Irecv(nullptr, 0, MPI_BYTE, 0, 0, MPI_COMM_SELF, &told));
  const sg4::ActorPtr computing =
      sg4::Actor::create("computing", sg4::this_actor::get_host(), [arrival_s, &tell] {
        sg4::this_actor::sleep_until(arrival_s);
        PMPI_Startall(1, &tell);  // PMPI_Start looks up its caller, a child has no rank
      });
  execution.advance_until(told);
  computing->join();
  check(PMPI_Wait(&tell, MPI_STATUS_IGNORE));
  check(PMPI_Request_free(&tell));
}

}  // namespace

std::unique_ptr<Background> make_background(const std::string& name) {
  if (name == "none") return std::make_unique<Nobody>();
  if (name == "thread") return std::make_unique<Thread>();
  if (name == "actor") return std::make_unique<Actor>();
  if (name == "oracle") return std::make_unique<Oracle>();
  throw Error(ErrorKind::argument,
              "There is no background '" + name + "'; there are none, thread, actor and oracle.");
}

void compute_until(double arrival_s, Background& background, ScheduleRun& execution) {
  for (double now_s = sg4::Engine::get_clock(); now_s < arrival_s;
       now_s = sg4::Engine::get_clock()) {
    const double next_s = background.round(now_s, execution);
    if (next_s == Background::on_message)
      advance_until(arrival_s, execution);
    else
      sg4::this_actor::sleep_until(std::min(next_s, arrival_s));
  }
}

}  // namespace pat::simulated
