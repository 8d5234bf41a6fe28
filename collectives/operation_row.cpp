#include "collectives/operation_row.hpp"

namespace pat {

std::string operation_names_where(bool (*wanted)(const OperationRow&), std::string_view last) {
  std::vector<std::string_view> names;
  for (const OperationRow& one : operation_rows())
    if (wanted(one)) names.push_back(one.name);
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? last : ", ";
    text += names[i];
  }
  return text;
}

}  // namespace pat
