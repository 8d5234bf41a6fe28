// Perfetto's protobuf, of which ten messages of varints and strings are needed. They are written by
// hand: libprotobuf inside libpat would meet the program's own copy of it, whose registry is
// global, and a code generator is one more thing to build with. A test has them read by protoc.
// Source: Perfetto, protos/perfetto/trace/trace_packet.proto and track_event/*.proto; field numbers
// stand beside the fields.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "analysis/viewers/formats.hpp"
#include "analysis/viewers/timeline.hpp"

namespace pat::viewers {
namespace {

/// A protobuf message on its way (https://protobuf.dev/programming-guides/encoding).
class Message {
 public:
  Message& number(int field, std::uint64_t value) {
    varint(static_cast<std::uint64_t>(field) << 3U);
    varint(value);
    return *this;
  }
  Message& fixed64(int field, std::uint64_t value) {
    varint(static_cast<std::uint64_t>(field) << 3U | 1U);
    for (int byte = 0; byte < 8; ++byte)
      bytes_ += static_cast<char>(value >> static_cast<unsigned>(8 * byte) & 0xFFU);
    return *this;
  }
  Message& real(int field, double value) {
    return fixed64(field, std::bit_cast<std::uint64_t>(value));
  }
  Message& text(int field, std::string_view value) {
    varint(static_cast<std::uint64_t>(field) << 3U | 2U);
    varint(value.size());
    bytes_ += value;
    return *this;
  }
  Message& message(int field, const Message& value) { return text(field, value.bytes_); }
  const std::string& bytes() const { return bytes_; }

 private:
  void varint(std::uint64_t value) {
    for (; value >= 0x80U; value >>= 7U) bytes_ += static_cast<char>((value & 0x7FU) | 0x80U);
    bytes_ += static_cast<char>(value);
  }
  std::string bytes_;
};

enum Type : std::uint8_t { slice_begin = 1, slice_end = 2, instant = 3 };  // TrackEvent.Type

constexpr std::uint64_t program = 1, decisions = 2, first_rank = 16;  // uuids of tracks
constexpr int process_id = 1;

std::uint64_t track_of(std::size_t rank) {
  return first_rank + 2 * rank;
}
std::uint64_t forecast_track_of(std::size_t rank) {
  return track_of(rank) + 1;
}

class PerfettoWriter {
 public:
  explicit PerfettoWriter(std::ostream& out) : out_(out) {}

  /// TrackDescriptor: uuid 1, name 2, process 3, thread 4, parent_uuid 5.
  void process(const std::string& name) {
    put(Message().message(
        60, Message()
                .number(1, program)
                .message(3, Message().number(1, process_id).text(6, name))));  // process_name
  }
  void rank(std::size_t rank) {
    const std::string name = "rank " + std::to_string(rank);
    // A thread of the process: viewers keep these in the order of their ids.
    put(Message().message(
        60, Message()
                .number(1, track_of(rank))
                .text(2, name)
                .number(5, program)
                .message(4, Message().number(1, process_id).number(2, 10 + rank).text(5, name))));
  }
  void track(std::uint64_t uuid, std::uint64_t parent, const std::string& name) {
    put(Message().message(60, Message().number(1, uuid).number(5, parent).text(2, name)));
  }

  /// TrackEvent: type 9, track_uuid 11, name 23, flow_ids 47, terminating_flow_ids 48.
  void event(Type type, double time_s, std::uint64_t track, std::string_view name,
             const Message& more = {}) {
    Message event;
    event.number(9, type).number(11, track);
    if (!name.empty()) event.text(23, name);
    Message packet;
    packet.number(8, static_cast<std::uint64_t>(std::llround(1e9 * time_s)));  // timestamp, ns
    packet.text(11, event.bytes() + more.bytes());
    put(packet);
  }
  void slice(double from_s, double to_s, std::uint64_t track, std::string_view name,
             const Message& more = {}) {
    event(slice_begin, from_s, track, name, more);
    event(slice_end, to_s, track, {});
  }

 private:
  void put(const Message& packet) {
    Message whole = packet;
    whole.number(10, 1);  // trusted_packet_sequence_id
    out_ << Message().message(1, whole).bytes();
  }
  std::ostream& out_;
};

/// DebugAnnotation, field 4 of TrackEvent: name 10, double_value 5, string_value 6.
void annotate(Message& event, std::string_view name, std::string_view value) {
  event.message(4, Message().text(10, name).text(6, value));
}
void annotate(Message& event, std::string_view name, double value) {
  event.message(4, Message().text(10, name).real(5, value));
}

/// The tracks of one rank in one iteration. `flow`: from the last arriver's, 0 for none.
void put_step(PerfettoWriter& out, std::size_t rank, const Step& step, const Timeline& timeline,
              std::uint64_t flow) {
  const std::uint64_t track = track_of(rank);
  if (step.arrival_s > step.computing_s) {
    out.event(slice_begin, step.computing_s, track, "computing");
    for (const auto& [name, time_s] : timeline.edges(rank)) out.event(instant, time_s, track, name);
    out.event(slice_end, step.arrival_s, track, {});
  }
  Message call;
  annotate(call, "iteration", static_cast<double>(timeline.iteration()));
  if (!timeline.algorithm().empty()) annotate(call, "algorithm", timeline.algorithm());
  out.event(slice_begin, step.arrival_s, track, timeline.place(), call);
  if (step.released_s > step.arrival_s)
    out.slice(step.arrival_s, step.released_s, track, "waiting");
  Message end;
  if (flow != 0) end.fixed64(48, flow);
  if (step.left_s > step.released_s)
    out.slice(step.released_s, step.left_s, track, "transfer", end);
  else if (flow != 0)
    out.event(instant, step.released_s, track, "goes on", end);
  out.event(slice_end, step.left_s, track, {});
}

/// The interval; one that begins before the last has ended is drawn from there on.
void put_forecast(PerfettoWriter& out, std::size_t rank, const Forecast& forecast, double begin_s,
                  double arrival_s, double& drawn_until_s) {
  const double from_s = std::max(drawn_until_s, begin_s + std::max(0.0, forecast.lower_s)),
               to_s = std::max(from_s, begin_s + forecast.upper_s);
  Message more;
  annotate(more, "mean_s", begin_s + forecast.mean_s);
  annotate(more, "error_s", begin_s + forecast.mean_s - arrival_s);
  out.slice(from_s, to_s, forecast_track_of(rank), "90 %", more);
  drawn_until_s = to_s;
}

}  // namespace

void write_perfetto(const Trace& trace, const ViewOptions& options, std::ostream& out) {
  const auto ranks = static_cast<std::size_t>(trace.ranks);
  const std::vector<Forecast> forecasts = replayed_forecasts(trace, options.predictor);
  PerfettoWriter writer(out);
  writer.process(trace.region.empty() ? "PAT" : "PAT: " + trace.region);
  if (!trace.algorithms.empty()) writer.track(decisions, program, "decisions");
  for (std::size_t r = 0; r < ranks; ++r) writer.rank(r);
  if (std::ranges::any_of(forecasts, &Forecast::known))
    for (std::size_t r = 0; r < ranks; ++r)
      writer.track(forecast_track_of(r), program,
                   "forecast of rank " + std::to_string(r) + ", " + options.predictor);
  std::vector<double> drawn_until_s(ranks, 0.0);
  std::uint64_t flows = 0;
  for (Timeline timeline(trace); timeline.next(); options.progress(timeline.iteration() + 1)) {
    const auto& steps = timeline.steps();
    const auto last = static_cast<std::size_t>(timeline.last());
    const double last_s = steps[last].arrival_s;
    if (!timeline.algorithm().empty())
      writer.event(instant, timeline.begin_s(), decisions, timeline.algorithm());
    Message flow;  // from the last arriver's instant to those who have waited for it
    for (std::size_t r = 0; r < ranks; ++r) {
      const bool waited = r != last && steps[r].arrival_s < last_s && steps[r].left_s >= last_s;
      if (waited) flow.fixed64(47, ++flows);
      put_step(writer, r, steps[r], timeline, waited ? flows : 0);
      const auto cell = static_cast<std::size_t>(timeline.iteration()) * ranks + r;
      if (forecasts[cell].known)
        put_forecast(writer, r, forecasts[cell], timeline.begin_s(), steps[r].arrival_s,
                     drawn_until_s[r]);
    }
    if (!flow.bytes().empty()) writer.event(instant, last_s, track_of(last), "comes last", flow);
  }
}

}  // namespace pat::viewers
