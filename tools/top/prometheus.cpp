#include "tools/top/prometheus.hpp"

#include <prometheus/client_metric.h>
#include <prometheus/collectable.h>
#include <prometheus/exposer.h>
#include <prometheus/metric_family.h>
#include <prometheus/metric_type.h>

#include <charconv>
#include <csignal>
#include <iostream>
#include <memory>
#include <optional>
#include <vector>

#include "core/errors.hpp"
#include "tools/top/job.hpp"

namespace pat {
namespace {

using Family = prometheus::MetricFamily;
using prometheus::MetricType;

/// "9100" or "0.0.0.0:9100".
std::string address_of(const std::string& place) {
  const std::size_t colon = place.rfind(':');
  const std::string port = colon == std::string::npos ? place : place.substr(colon + 1);
  int number = 0;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
  if (error != std::errc{} || end != port.data() + port.size() || number < 1 || number > 65535 ||
      colon == 0)
    throw Error(ErrorKind::argument,
                "--prometheus is '" + place + "', give a port, such as 9464, or 0.0.0.0:9464");
  return colon == std::string::npos ? "127.0.0.1:" + place : place;
}

/// One value of each rank that has one.
template <class Value>
Family family(const JobView& view, MetricType type, const char* name, const char* help,
              const Value& value) {
  Family made{name, help, type, {}};
  for (const RankView& row : view.rank) {
    const std::optional<double> one = value(row);
    if (!one) continue;
    prometheus::ClientMetric metric;
    metric.label = {{"job_name", view.job}, {"rank", std::to_string(row.rank)}};
    (type == MetricType::Counter ? metric.counter.value : metric.gauge.value) = *one;
    made.metric.push_back(std::move(metric));
  }
  return made;
}

std::vector<Family> families(const JobView& view) {
  using Value = std::optional<double>;
  const auto if_told = [](const RankView& row, double value) {
    return row.state && row.late_s ? Value(value) : std::nullopt;
  };
  return {
      family(view, MetricType::Gauge, "pat_rank_answers", "1: the process of the rank answers",
             [](const RankView& row) {
               return row.silent || row.state ? Value(row.state ? 1.0 : 0.0) : std::nullopt;
             }),
      family(view, MetricType::Gauge, "pat_rank_late_seconds",
             "How much later than the first the rank came to the latest calls, mean",
             [](const RankView& row) { return row.late_s; }),
      family(view, MetricType::Gauge, "pat_rank_skew_ratio",
             "Share of the time of the latest calls spent waiting in them for late ranks",
             [&](const RankView& row) { return if_told(row, row.skew_share); }),
      family(view, MetricType::Gauge, "pat_rank_transfer_ratio",
             "Share of the time of the latest calls spent in them besides",
             [&](const RankView& row) { return if_told(row, row.transfer_share); }),
      family(view, MetricType::Counter, "pat_rank_calls_total", "Collective calls since PAT_Init",
             [](const RankView& row) {
               return row.state ? Value(static_cast<double>(row.state->calls)) : std::nullopt;
             }),
      family(view, MetricType::Counter, "pat_rank_in_call_seconds_total",
             "Seconds in collective calls since PAT_Init", [](const RankView& row) {
               return row.state ? Value(row.state->in_call_s) : std::nullopt;
             })};
}

/// A job that is over has no values; the next scrape may find it again.
class Job : public prometheus::Collectable {
 public:
  explicit Job(std::string name) : name_(std::move(name)) {}
  std::vector<Family> Collect() const override {
    try {
      const auto view = look_at(name_);
      return view ? families(*view) : std::vector<Family>{};
    } catch (const Error&) {
      return {};
    }
  }

 private:
  const std::string name_;
};

std::unique_ptr<prometheus::Exposer> open_at(const std::string& address) {
  try {
    return std::make_unique<prometheus::Exposer>(address, 1);
  } catch (const std::exception&) {
    throw Error(ErrorKind::io, "nothing can be served at " + address +
                                   ", another program may be there; give another port");
  }
}

}  // namespace

void serve_prometheus(const std::string& job, const std::string& place) {
  const std::string address = address_of(place);
  const auto view = look_at(job);
  const auto shown = std::make_shared<Job>(view ? view->job : job);
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGINT);
  sigaddset(&ends, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);  // the server's threads inherit it
  const auto server = open_at(address);
  server->RegisterCollectable(shown);
  std::cout << "http://" << address << "/metrics\n" << std::flush;
  int signal = 0;
  sigwait(&ends, &signal);
}

}  // namespace pat
