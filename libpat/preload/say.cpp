#include "libpat/preload/say.hpp"

#include <fcntl.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <memory>
#include <mutex>

#include "core/log_lines.hpp"

namespace pat::detail {
namespace {

int own_stderr = -1;

/// To a number that programs do not expect to get, and not in what they start.
constexpr int lowest_number = 100;

void write_out(const char* text, std::size_t bytes) {
  if (own_stderr >= 0) static_cast<void>(!write(own_stderr, text, bytes));
}

class OwnStderr final : public spdlog::sinks::base_sink<std::mutex> {
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    write_out(line.data(), line.size());
  }
  void flush_() override {}
};

}  // namespace

void remember_stderr() {
  own_stderr = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, lowest_number);
}

void say(const std::string& sentence) {
  const std::string line = "[pat warning] " + printable(sentence) + "\n";
  write_out(line.data(), line.size());
}

void log_to_own_stderr() {
  if (spdlog::get("pat")) return;
  auto logger = std::make_shared<spdlog::logger>("pat", std::make_shared<OwnStderr>());
  logger->set_formatter(log_lines());
  spdlog::set_default_logger(logger);
}

}  // namespace pat::detail
