#include "collectives/operation_row.hpp"

#include <algorithm>

#include "core/text.hpp"

namespace pat {

std::string operation_names_where(bool (*wanted)(const OperationRow&), std::string_view last,
                                  std::string_view separator) {
  std::vector<std::string_view> names;
  for (const OperationRow& one : operation_rows())
    if (wanted(one)) names.push_back(one.name);
  return listed(names, last, separator);
}

int operation_width() {
  std::size_t longest = 0;
  for (const OperationRow& one : operation_rows()) longest = std::max(longest, one.name->size());
  return static_cast<int>(longest);
}

}  // namespace pat
