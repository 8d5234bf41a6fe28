#include "collectives/call_name.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "collectives/operation_row.hpp"

namespace pat {
namespace {

constexpr std::string_view varying = "blocks of any size";
constexpr std::string_view bytes = " bytes";

/// Takes what comes before the next comma out of `rest`, blanks around it left off.
std::string_view next_part(std::string_view& rest) {
  const std::size_t comma = rest.find(',');
  std::string_view part = rest.substr(0, comma);
  rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
  while (part.starts_with(' ')) part.remove_prefix(1);
  while (part.ends_with(' ')) part.remove_suffix(1);
  return part;
}

template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  return result.ec == std::errc() && result.ptr == end ? std::optional(value) : std::nullopt;
}

}  // namespace

std::string text_of(const CallName& call) {
  const OperationRow& operation = row(call.operation);
  std::string text(name(call.operation));
  if (operation.rooted) text += ", root " + std::to_string(call.root);
  if (!operation.has_bytes()) return text;
  return text + ", " +
         (call.block_bytes ? std::to_string(*call.block_bytes).append(bytes)
                           : std::string(varying));
}

std::optional<CallName> parse_call_name(std::string_view text) {
  constexpr std::string_view root = "root ";
  const auto operation = find_operation(next_part(text));
  if (!operation) return std::nullopt;
  CallName call{*operation, 0, std::nullopt};
  std::string_view part = next_part(text);
  if (part.starts_with(root)) {  // older traces name one of all operations
    const auto rank = number<int>(part.substr(root.size()));
    if (!rank || *rank < 0) return std::nullopt;
    call.root = *rank;
    part = next_part(text);
  } else if (row(*operation).rooted) {
    return std::nullopt;
  }
  if (part.ends_with(bytes))
    call.block_bytes = number<std::size_t>(part.substr(0, part.size() - bytes.size()));
  return call;
}

std::optional<Operation> operation_of_function(std::string_view function) {
  std::string name(function.substr(function.find('_') + 1));
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const std::string_view form : {"_c", "_init", "_block"})
    if (name.ends_with(form)) name.resize(name.size() - form.size());
  std::ranges::replace(name, '_', '-');
  if (const auto found = find_operation(name)) return found;
  if (name.starts_with('i')) name.erase(0, 1);
  if (name.ends_with('v') || name.ends_with('w')) name.pop_back();
  return find_operation(name);
}

std::optional<Operation> operation_of_place(std::string_view text) {
  constexpr std::string_view before = "before ", any = " of any kind";
  if (const auto call = parse_call_name(text)) return call->operation;
  const std::string_view part = next_part(text);
  if (part.starts_with(before)) return operation_of_function(part.substr(before.size()));
  if (part.ends_with(any)) return find_operation(part.substr(0, part.size() - any.size()));
  return std::nullopt;
}

}  // namespace pat
