#include "bench/simgrid/machine.hpp"

#include <mpi.h>

#include <bit>
#include <charconv>
#include <simgrid/s4u.hpp>

#include "core/errors.hpp"
#include "core/link_defaults.hpp"

namespace pat::simulated {
namespace {

namespace sg4 = ::simgrid::s4u;

std::string node_name(unsigned long rank) {
  return "node" + std::to_string(rank);
}

/// What a process sends to itself takes no time.
sg4::Link* loopback(sg4::NetZone* zone, unsigned long rank) {
  sg4::Link* link = zone->create_link("self" + std::to_string(rank), 1e15);
  link->set_latency(0.0)->set_sharing_policy(sg4::Link::SharingPolicy::FATPIPE);
  return link->seal();
}

std::vector<sg4::Host*> build_star(const Machine& machine) {
  sg4::NetZone* zone = sg4::create_star_zone("star");
  std::vector<sg4::Host*> hosts;
  for (int rank = 0; rank < machine.ranks; ++rank) {
    const auto id = static_cast<unsigned long>(rank);
    sg4::Host* host = zone->create_host(node_name(id), host_speed_flops)->seal();
    const sg4::Link* link =
        zone->create_split_duplex_link("link" + std::to_string(rank), machine.bytes_per_s)
            ->set_latency(machine.link_latency_s)
            ->seal();
    zone->add_route(host->get_netpoint(), nullptr, nullptr, nullptr,
                    {sg4::LinkInRoute(link, sg4::LinkInRoute::Direction::UP)}, true);
    zone->add_route(host->get_netpoint(), host->get_netpoint(), nullptr, nullptr,
                    {sg4::LinkInRoute(loopback(zone, id))}, false);
    hosts.push_back(host);
  }
  zone->seal();
  return hosts;
}

std::vector<sg4::Host*> build_fat_tree(const Machine& machine) {
  const int levels = std::bit_width(static_cast<unsigned>(machine.ranks)) - 1;
  const unsigned nodes = 1u << (levels + 1) / 2, switches = 1u << levels / 2;
  std::vector<sg4::Host*> hosts;
  const auto make_node = [&hosts](sg4::NetZone* zone, const std::vector<unsigned long>&,
                                  unsigned long) {
    hosts.push_back(zone->create_host(node_name(hosts.size()), host_speed_flops)->seal());
    return std::make_pair(hosts.back()->get_netpoint(),
                          static_cast<::simgrid::kernel::routing::NetPoint*>(nullptr));
  };
  const auto make_loopback = [](sg4::NetZone* zone, const std::vector<unsigned long>&,
                                unsigned long id) { return loopback(zone, id); };
  sg4::create_fatTree_zone("tree", nullptr,
                           sg4::FatTreeParams(2, {nodes, switches}, {1, nodes}, {1, 1}),
                           sg4::ClusterCallbacks(make_node, make_loopback, {}), machine.bytes_per_s,
                           machine.link_latency_s, sg4::Link::SharingPolicy::SPLITDUPLEX)
      ->seal();
  return hosts;
}

}  // namespace

LinkCost Machine::cost() const {
  return {(fat_tree ? 4.0 : 2.0) * link_latency_s, 1.0 / bytes_per_s,
          link_defaults::gamma_s_per_byte};
}

std::vector<std::string> Machine::config() const {
  std::vector<std::string> settings = {
      "network/model:SMPI",  // as smpirun
      "smpi/simulate-computation:no", "smpi/host-speed:1Gf",
      "smpi/lat-factor:0:1",  // the default multiplies latencies by up to 11.6
      "smpi/bw-factor:0:1",           "smpi/test:1e-6",      "smpi/iprobe:1e-6",
      "smpi/grow-injected-times:no",  // each test costs the same
  };
  // Small stacks. Only letters are eager: SMPI keeps a copy of what is. And a test is cheap: where
  // tens of requests are open, a look at each of them would take longer than a block does.
  if (ranks > most_ordinary_ranks)
    settings.insert(settings.end(), {"contexts/stack-size:256", "contexts/guard-size:0",
                                     "smpi/send-is-detached-thresh:64", "smpi/test:1e-7"});
  return settings;
}

std::vector<sg4::Host*> Machine::build() const {
  return fat_tree ? build_fat_tree(*this) : build_star(*this);
}

void run_on(const Machine& machine, const std::vector<std::string>& settings,
            const std::function<void(int rank)>& process) {
  std::vector<std::string> arguments = {"pat-simgrid", "--log=root.thres:warning"};
  for (const std::string& setting : machine.config()) arguments.push_back("--cfg=" + setting);
  for (const std::string& setting : settings) arguments.push_back("--cfg=" + setting);
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  int argc = static_cast<int>(argv.size());

  smpi_init_options();  // makes the selectors known, which the engine reads from argv
  sg4::Engine engine(&argc, argv.data());
  const std::vector<sg4::Host*> hosts = machine.build();
  SMPI_init();
  SMPI_app_instance_register("pat", nullptr, machine.ranks);
  for (int rank = 0; rank < machine.ranks; ++rank) {
    const sg4::ActorPtr actor =
        sg4::Actor::init("rank" + std::to_string(rank), hosts[static_cast<std::size_t>(rank)]);
    actor->set_property("instance_id", "pat");
    actor->set_property("rank", std::to_string(rank));
    actor->start([&process, rank] { process(rank); });
  }
  engine.run();
  SMPI_finalize();
}

Machine find_machine(const std::string& description) {
  const std::size_t colon = description.find(':');
  Machine machine{.name = description};
  const std::string kind = description.substr(0, colon);
  const std::string count = colon == std::string::npos ? "" : description.substr(colon + 1);
  const auto [end, error] =
      std::from_chars(count.data(), count.data() + count.size(), machine.ranks);
  const bool number = error == std::errc() && end == count.data() + count.size();
  if (kind == "star" && number && machine.ranks >= 1) {
    machine.bytes_per_s = 125e6;
    machine.link_latency_s = 12.5e-6;
  } else if (kind == "fast-star" && number && machine.ranks >= 1) {
    machine.bytes_per_s = 1.25e9;
    machine.link_latency_s = 5e-6;
  } else if (kind == "fat-tree" && number && machine.ranks >= 4 &&
             std::has_single_bit(static_cast<unsigned>(machine.ranks))) {
    machine.fat_tree = true;
    machine.bytes_per_s = 1.25e9;
    machine.link_latency_s = 2.5e-6;
  } else {
    throw Error(
        ErrorKind::argument,
        "There is no machine '" + description +
            "'; there are star:N, fast-star:N and fat-tree:N (N a power of two, 4 or more).");
  }
  return machine;
}

}  // namespace pat::simulated
