#pragma once

#include <spdlog/pattern_formatter.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "core/printable.hpp"

namespace pat {

/// How PAT's log is written: "[pat warning] " and the sentence, printable().
inline std::unique_ptr<spdlog::formatter> log_lines() {
  class Sentence final : public spdlog::custom_flag_formatter {
    void format(const spdlog::details::log_msg& message, const std::tm&,
                spdlog::memory_buf_t& line) override {
      const std::string shown =
          printable(std::string_view(message.payload.data(), message.payload.size()));
      line.append(shown.data(), shown.data() + shown.size());
    }
    std::unique_ptr<spdlog::custom_flag_formatter> clone() const override {
      return std::make_unique<Sentence>();
    }
  };
  auto lines = std::make_unique<spdlog::pattern_formatter>();
  lines->add_flag<Sentence>('*').set_pattern("[%n %l] %*");
  return lines;
}

}  // namespace pat
