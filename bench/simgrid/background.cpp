#include "bench/simgrid/background.hpp"

#include <algorithm>
#include <simgrid/s4u.hpp>

#include "core/errors.hpp"
#include "libpat/mpi_check.hpp"
#include "libpat/pace.hpp"

namespace pat::simulated {
namespace {

namespace sg4 = ::simgrid::s4u;

class Nobody final : public Background {
 public:
  void compute_until(double arrival_s, Execution&) const override {
    sg4::this_actor::sleep_until(arrival_s);
  }
};

/// The computing process does nothing in simulation, so its own actor can play the daemon.
class Thread final : public Background {
 public:
  void compute_until(double arrival_s, Execution& execution) const override {
    double moving_until_s = 0.0;
    for (double now_s = sg4::Engine::get_clock(); now_s < arrival_s;
         now_s = sg4::Engine::get_clock()) {
      if (execution.advance()) moving_until_s = now_s + seconds(pace::moving_ns);
      const double pause_s =
          seconds(now_s < moving_until_s ? pace::moving_pause_ns : pace::busy_pause_ns);
      sg4::this_actor::sleep_until(std::min(now_s + pause_s, arrival_s));
    }
  }
  double pause_s() const override { return seconds(pace::moving_pause_ns); }

 private:
  static double seconds(std::int64_t ns) { return static_cast<double>(ns) * 1e-9; }
};

/// A child actor can start only what its parent has made: it computes, then starts the message
/// that tells the parent.
class Actor final : public Background {
 public:
  void compute_until(double arrival_s, Execution& execution) const override {
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
};

}  // namespace

std::unique_ptr<Background> make_background(const std::string& name) {
  if (name == "none") return std::make_unique<Nobody>();
  if (name == "thread") return std::make_unique<Thread>();
  if (name == "actor") return std::make_unique<Actor>();
  throw Error(ErrorKind::argument,
              "There is no background '" + name + "'; there are none, thread and actor.");
}

}  // namespace pat::simulated
