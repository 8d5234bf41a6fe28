#include "analysis/viewers/view.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string_view>

#include "analysis/viewers/formats.hpp"
#include "core/errors.hpp"
#include "core/text.hpp"
#include "core/whole_file.hpp"

namespace pat {
namespace {

using Writer = void (*)(const Trace&, const ViewOptions&, std::ostream&);

struct Format {
  std::string_view ending;
  Writer write;  ///< null: OTF2, which is several files
};

constexpr std::array formats = {
    Format{".pftrace", viewers::write_perfetto}, Format{".csv", viewers::write_csv},
    Format{".talp.json", viewers::write_talp}, Format{".otf2", nullptr}};

const Format* format_of(std::string_view path) {
  for (const Format& one : formats)
    if (path.ends_with(one.ending)) return &one;
  return nullptr;
}

void write_stream(const Trace& trace, const ViewOptions& options, const std::string& path,
                  Writer write) {
  WholeFile whole(path);
  std::ofstream file(whole.part(), std::ios::binary);
  write(trace, options, file);
  file.close();
  if (!file)
    throw Error(ErrorKind::io, "'" + path + "' cannot be written: " + std::strerror(errno));
  whole.commit();
}

}  // namespace

bool is_view(const std::string& path) {
  return format_of(path) != nullptr;
}

std::string view_endings() {
  std::vector<std::string_view> endings;
  for (const Format& format : formats) endings.push_back(format.ending);
  return listed(endings, " or ");
}

void check_view(const std::string& path) {
  const Format* format = format_of(path);
  if (format == nullptr)
    throw Error(ErrorKind::argument,
                "the ending of '" + path + "' names no format, it can be " + view_endings());
  if (format->write == nullptr) viewers::check_otf2(path);
  whole_file_place(path);
}

void write_view(const Trace& trace, const std::string& path, const ViewOptions& options) {
  check_view(path);
  if (const Writer write = format_of(path)->write)
    write_stream(trace, options, path, write);
  else
    viewers::write_otf2(trace, options, path);
}

void write_trace_or_view(const Trace& trace, const std::string& path, const ViewOptions& options) {
  if (is_view(path))
    write_view(trace, path, options);
  else
    write_trace(trace, path);
}

}  // namespace pat
