#pragma once

#include <string_view>

/// What the page is made of; from analysis/page/ and the package libjs-chart.js when PAT is built.
namespace pat::page_assets {

extern const std::string_view style, body, script, chart;

}  // namespace pat::page_assets
