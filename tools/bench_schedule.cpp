// pat bench-schedule: how fast the Clairvoyant generators are, all in one run, interleaved. In
// processor time, which other programs on a shared machine do not lengthen by their turns.

#include <algorithm>
#include <ctime>
#include <iomanip>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "collectives/clairvoyant/rivals.hpp"
#include "collectives/clairvoyant/workload.hpp"
#include "core/errors.hpp"
#include "core/inference.hpp"
#include "core/statistics.hpp"
#include "tools/subcommand.hpp"

namespace pat {
namespace {

using clairvoyant::Generator;
using clairvoyant::Instance;
using clairvoyant::Workload;
using Json = nlohmann::ordered_json;

struct Settings {
  std::vector<int> sizes{4, 8, 16, 32, 64, 128};
  std::optional<int> segments;
  int repeats = 5;
  std::string order = "paper", format = "table";
  std::vector<std::string> generators;
  bool all = false, idle = false;
};

/// More cells than this take linear and the heaps minutes.
constexpr long long most_cells_for_all = 256LL * 256;

double processor_s() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double seconds_of_plan(const Generator& generator, const Instance& instance,
                       clairvoyant::MessageList& list) {
  const double begin_s = processor_s();
  generator.generate(instance, list);
  return processor_s() - begin_s;
}

/// The times of each generator, seconds; every generator makes every instance in turn.
std::vector<std::vector<double>> measure(const std::vector<Generator>& generators,
                                         const Workload& workload, int repeats, double& messages) {
  const std::vector<Instance> instances = workload.instances(repeats);
  std::vector<clairvoyant::MessageList> lists(generators.size());
  std::vector<std::vector<double>> times(generators.size());
  messages = 0.0;
  for (const Instance& instance : instances)
    for (std::size_t g = 0; g < generators.size(); ++g) {
      seconds_of_plan(generators[g], instance, lists[g]);  // memory and caches are warm then
      times[g].push_back(seconds_of_plan(generators[g], instance, lists[g]));
      messages += static_cast<double>(lists[g].messages.size()) /
                  static_cast<double>(repeats * generators.size());
    }
  return times;
}

/// Those that were asked for, else all, but for the slow ones in large instances.
std::vector<Generator> generators_for(const Settings& settings, const Workload& workload) {
  std::vector<Generator> generators;
  for (const std::string& wanted : settings.generators)
    generators.push_back(clairvoyant::get_generator(wanted));
  if (!generators.empty()) return generators;
  const bool large =
      static_cast<long long>(workload.ranks) * workload.segments > most_cells_for_all;
  for (const Generator& one : clairvoyant::generators_with_rivals())
    if (settings.all || !large || one.name == "segment-tree" || one.name == "fast")
      generators.push_back(one);
  if (settings.idle && (settings.all || !large))
    for (const Generator& one : clairvoyant::generators_with_idle_rounds())
      generators.push_back(one);
  return generators;
}

/// How a generator's mean time compares with the segment tree's.
struct Compared {
  double ratio = 1.0, p_value = 1.0;
};

/// Nothing where the segment tree was not measured.
std::optional<Compared> compare(const std::vector<Generator>& generators,
                                const std::vector<std::vector<double>>& times, std::size_t g) {
  for (std::size_t tree = 0; tree < generators.size(); ++tree)
    if (generators[tree].name == "segment-tree")
      return Compared{mean(times[g]) / mean(times[tree]),
                      welch_test(times[g], times[tree]).p_value};
  return std::nullopt;
}

void run(const Settings& settings) {
  const auto order = clairvoyant::find_order(settings.order);
  if (!order)
    throw Error(ErrorKind::argument,
                "there is no order named '" + settings.order + "', choose paper or latest-first");
  if (settings.segments && *settings.segments < 1)
    throw Error(ErrorKind::argument, "the number of segments is " +
                                         std::to_string(*settings.segments) + ", give at least 1");
  if (settings.repeats < 1 || settings.repeats > 100000)
    throw Error(ErrorKind::argument, "-n must be from 1 to 100000");
  for (const std::string& wanted : settings.generators) clairvoyant::get_generator(wanted);
  for (const int size : settings.sizes)
    if (size < 1 || size > 65536)
      throw Error(ErrorKind::argument, "a size is " + std::to_string(size) + ", give 1 to 65536");
  if (settings.format == "csv")
    std::cout << "ranks,segments,arrivals,order,messages,generator,median_s,mean_ratio,welch_p\n";
  Json rows = Json::array();
  for (const int size : settings.sizes) {
    for (const auto kind : {clairvoyant::Arrivals::uniform, clairvoyant::Arrivals::skewed,
                            clairvoyant::Arrivals::balanced}) {
      const Workload workload{kind, size, settings.segments.value_or(size), *order, 1};
      const std::vector<Generator> generators = generators_for(settings, workload);
      double messages = 0.0;
      const std::vector<std::vector<double>> times =
          measure(generators, workload, settings.repeats, messages);
      std::vector<double> medians_s;
      for (const std::vector<double>& one : times) medians_s.push_back(median(one));
      Json row = {{"ranks", size},
                  {"segments", workload.segments},
                  {"arrivals", name(kind)},
                  {"order", settings.order},
                  {"messages", messages}};
      for (std::size_t g = 0; g < medians_s.size(); ++g) {
        row[std::string(generators[g].name) + "_s"] = medians_s[g];
        if (const auto compared = compare(generators, times, g)) {
          row[std::string(generators[g].name) + "_ratio"] = compared->ratio;
          row[std::string(generators[g].name) + "_welch_p"] = compared->p_value;
        }
      }
      rows.push_back(row);
      if (settings.format == "csv")
        for (std::size_t g = 0; g < medians_s.size(); ++g) {
          std::cout << size << ',' << workload.segments << ',' << name(kind) << ','
                    << settings.order << ',' << messages << ',' << generators[g].name << ','
                    << medians_s[g] << ',';
          if (const auto compared = compare(generators, times, g))
            std::cout << compared->ratio << ',' << compared->p_value << std::endl;
          else
            std::cout << ',' << std::endl;
        }
      if (settings.format != "table") continue;
      std::cout << std::left << std::setw(6) << size << std::setw(6) << workload.segments
                << std::setw(10) << name(kind);
      for (std::size_t g = 0; g < medians_s.size(); ++g)
        std::cout << generators[g].name << " " << std::setprecision(4) << 1e3 * medians_s[g]
                  << " ms  ";
      std::cout << std::setprecision(3) << 1e9 * medians_s.back() / std::max(1.0, messages)
                << " ns a message (" << generators.back().name << ")\n"
                << std::flush;
    }
  }
  if (settings.format == "json") std::cout << rows.dump(1) << "\n";
}

}  // namespace

PAT_SUBCOMMAND(bench_schedule) {
  CLI::App* command =
      app.add_subcommand("bench-schedule", "Time the generators of Clairvoyant schedules");
  auto s = std::make_shared<Settings>();
  command
      ->add_option("-P,--ranks,--sizes", s->sizes,
                   "Numbers of processes up to 65536 (default 4,8,...,128)")
      ->delimiter(',');
  command->add_option("-N,--segments", s->segments, "Segments (default: as many as processes)");
  command->add_option("-n,--iterations,--repeats", s->repeats,
                      "Instances a row, medians are printed (default 5)");
  command->add_option("--order", s->order, "paper (default) or latest-first");
  command
      ->add_option("--generators", s->generators,
                   "Which ones (default all; beyond 256 x 256 cells segment-tree and fast)")
      ->delimiter(',');
  command->add_flag("--all", s->all, "All of them in large instances too: minutes each");
  command->add_flag("--idle", s->idle,
                    "Also linear and the heaps with idle rounds played one by one");
  takes_format(command->add_option("--format", s->format, "table (default), json or csv"),
               {"table", "json", "csv"});
  command->callback([s] { run(*s); });
}

}  // namespace pat
