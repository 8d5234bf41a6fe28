#include "collectives/cost/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/errors.hpp"

namespace pat {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* format = "pat-calibration 1";
constexpr double longest_s = 1e6;

Error refusal(const std::string& what) {
  return Error(ErrorKind::config,
               "the calibration " + what + ", make a new one with `mpirun -n P pat calibrate`");
}

double number(const Json& row, const char* key, double low) {
  const auto found = row.find(key);
  if (found == row.end() || !found->is_number()) throw refusal(std::string("lacks ") + key);
  const double value = found->get<double>();
  if (!(value >= low && value <= longest_s))
    throw refusal(std::string("has ") + key + " = " + found->dump());
  return value;
}

std::size_t whole(const Json& row, const char* key) {
  const auto found = row.find(key);
  if (found == row.end() || !found->is_number_unsigned())
    throw refusal(std::string("lacks a whole ") + key);
  return found->get<std::size_t>();
}

/// `value`: the key of what was measured.
Calibration::Collective collective_of(const Json& row, const char* value = "flat_s") {
  Calibration::Collective collective;
  const auto operation = find_operation(row.value("operation", ""));
  if (!operation) throw refusal("names no operation in a collective");
  collective.operation = *operation;
  collective.algorithm = row.value("algorithm", "");
  collective.ranks = static_cast<int>(std::min<std::size_t>(whole(row, "ranks"), 1 << 30));
  collective.block_bytes = whole(row, "block_bytes");
  collective.flat_s = number(row, value, 1e-9);
  return collective;
}

Calibration::Learnt learnt_of(const Json& row) {
  const Calibration::Collective kind = collective_of(row, "correction");
  return {.operation = kind.operation,
          .algorithm = kind.algorithm,
          .ranks = kind.ranks,
          .block_bytes = kind.block_bytes,
          .window = static_cast<int>(std::min<std::size_t>(whole(row, "window"), 1 << 30)),
          .correction = kind.flat_s,
          .log_sd = number(row, "log_sd", 0.0),
          .samples = static_cast<int>(std::min<std::size_t>(whole(row, "samples"), 1 << 30)),
          .stand_in = row.value("stand_in", "")};
}

Calibration read(const Json& document) {
  if (!document.is_object() || document.value("format", "") != format)
    throw refusal(std::string("does not say that it is a '") + format + "'");
  Calibration calibration;
  if (!document.contains("messages")) throw refusal("lacks messages");
  for (const Json& row : document.at("messages"))
    calibration.messages.push_back(
        {whole(row, "bytes"),
         {number(row, "alpha_s", 0.0), number(row, "beta_s_per_byte", 0.0),
          number(row, "gamma_s_per_byte", 0.0)}});
  if (document.contains("eager_bytes")) calibration.eager_bytes = whole(document, "eager_bytes");
  for (const Json& row : document.value("incast", Json::array()))
    calibration.incast.push_back({whole(row, "bytes"), number(row, "stall_s", 0.0)});
  if (const auto shared = document.find("shared"); shared != document.end())
    calibration.shared = {number(*shared, "message_s", 0.0), number(*shared, "s_per_byte", 0.0)};
  for (const Json& row : document.value("rounds", Json::array()))
    calibration.rounds.push_back({whole(row, "bytes"), number(row, "round_s", 1e-9)});
  for (const Json& row : document.value("collectives", Json::array()))
    calibration.collectives.push_back(collective_of(row));
  for (const Json& row : document.value("learnt", Json::array()))
    calibration.learnt.push_back(learnt_of(row));
  calibration.made_with = document.value("made_with", "");
  std::sort(calibration.messages.begin(), calibration.messages.end(),
            [](const auto& a, const auto& b) { return a.bytes < b.bytes; });
  for (std::size_t i = 0; i < calibration.rounds.size(); ++i)
    if (calibration.rounds[i].bytes <= (i == 0 ? 0 : calibration.rounds[i - 1].bytes))
      throw refusal("has rounds that are not in order of their bytes");
  return calibration;
}

/// The time at `x` on the line through two points, all on logarithmic scales.
double between(double x, double x0, double y0, double x1, double y1) {
  if (x0 == x1) return y0;
  const double share = std::log(x / x0) / std::log(x1 / x0);
  return y0 * std::pow(y1 / y0, share);
}

/// The row measured with the size next to `bytes`, on a logarithmic scale; null if there is none.
template <class Row>
const Row* nearest(const std::vector<Row>& rows, std::size_t bytes) {
  const auto distance = [&](const Row& row) {
    return std::abs(
        std::log2((static_cast<double>(row.bytes) + 1.0) / (static_cast<double>(bytes) + 1.0)));
  };
  const auto found = std::min_element(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
    return distance(a) < distance(b);
  });
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace

LinkCost Calibration::link(std::size_t bytes, const LinkCost& otherwise) const {
  const Message* next = nearest(messages, bytes);
  return next == nullptr ? otherwise : next->cost;
}

double Calibration::stall_s(std::size_t bytes) const {
  const Incast* next = nearest(incast, bytes);
  return next == nullptr ? 0.0 : next->stall_s;
}

const Calibration::Learnt* Calibration::learnt_of(const std::string& algorithm, int window,
                                                  const Problem& problem) const {
  const auto found = std::find_if(learnt.rbegin(), learnt.rend(), [&](const Learnt& one) {
    return one.operation == problem.operation && one.algorithm == algorithm &&
           one.window == window && one.ranks == problem.ranks &&
           one.block_bytes == problem.units * problem.unit_bytes;
  });
  return found == learnt.rend() ? nullptr : &*found;
}

double Calibration::flat_s(const Algorithm& algorithm, const Problem& problem) const {
  const double bytes = problem.block_bytes();
  const Collective* below = nullptr;
  const Collective* above = nullptr;
  for (const Collective& one : collectives) {
    if (one.operation != algorithm.operation || one.algorithm != algorithm.name ||
        one.ranks != problem.ranks || (one.block_bytes == 0) != (bytes == 0.0))
      continue;  // without bytes: a barrier, of no other size
    const auto measured = static_cast<double>(one.block_bytes);
    if (measured <= bytes && (below == nullptr || one.block_bytes > below->block_bytes))
      below = &one;
    if (measured >= bytes && (above == nullptr || one.block_bytes < above->block_bytes))
      above = &one;
  }
  if (below != nullptr && above != nullptr)
    return between(bytes, static_cast<double>(below->block_bytes), below->flat_s,
                   static_cast<double>(above->block_bytes), above->flat_s);
  const Collective* nearest = below != nullptr ? below : above;
  if (nearest == nullptr) return 0.0;
  const double factor = bytes / static_cast<double>(nearest->block_bytes);
  return factor >= 0.5 && factor <= 2.0 ? nearest->flat_s * std::max(1.0, factor) : 0.0;
}

std::string to_json(const Calibration& calibration) {
  Json messages = Json::array(), incast = messages, rounds = messages, collectives = messages;
  for (const Calibration::Message& one : calibration.messages)
    messages.push_back({{"bytes", one.bytes},
                        {"alpha_s", one.cost.alpha_s},
                        {"beta_s_per_byte", one.cost.beta_s_per_byte},
                        {"gamma_s_per_byte", one.cost.gamma_s_per_byte}});
  for (const Calibration::Incast& one : calibration.incast)
    incast.push_back({{"bytes", one.bytes}, {"stall_s", one.stall_s}});
  for (const RoundLength& one : calibration.rounds)
    rounds.push_back({{"bytes", one.bytes}, {"round_s", one.round_s}});
  for (const Calibration::Collective& one : calibration.collectives)
    collectives.push_back({{"operation", name(one.operation)},
                           {"algorithm", one.algorithm},
                           {"ranks", one.ranks},
                           {"block_bytes", one.block_bytes},
                           {"flat_s", one.flat_s}});
  Json document{
      {"format", format}, {"messages", messages}, {"eager_bytes", calibration.eager_bytes},
      {"incast", incast}, {"rounds", rounds},     {"collectives", collectives}};
  if (calibration.shared.any())
    document["shared"] = {{"message_s", calibration.shared.message_s},
                          {"s_per_byte", calibration.shared.s_per_byte}};
  if (!calibration.made_with.empty()) document["made_with"] = calibration.made_with;
  for (const Calibration::Learnt& one : calibration.learnt) {
    Json row = {{"operation", name(one.operation)},
                {"algorithm", one.algorithm},
                {"ranks", one.ranks},
                {"block_bytes", one.block_bytes},
                {"window", one.window},
                {"correction", one.correction},
                {"log_sd", one.log_sd},
                {"samples", one.samples}};
    if (!one.stand_in.empty()) row["stand_in"] = one.stand_in;
    document["learnt"].push_back(row);
  }
  return document.dump(1) + "\n";
}

Calibration parse_calibration(const std::string& json) {
  try {
    return read(Json::parse(json));
  } catch (const nlohmann::json::exception&) {
    throw refusal("is not a JSON document of the expected form");
  }
}

}  // namespace pat
