#include "tools/run/elf_program.hpp"

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

namespace pat {
namespace {

/// Many names may lie in the same bytes of a file, so none is taken longer than names of files are.
constexpr std::size_t longest_library_name = 255;

template <class Record>
std::optional<Record> record_at(std::string_view file, std::size_t offset) {
  if (offset > file.size() || file.size() - offset < sizeof(Record)) return std::nullopt;
  Record record;
  std::memcpy(&record, file.data() + offset, sizeof(Record));
  return record;
}

std::vector<Elf64_Phdr> segments_of(std::string_view file, const Elf64_Ehdr& head) {
  std::vector<Elf64_Phdr> segments;
  for (unsigned i = 0; i < head.e_phnum; ++i)
    if (const auto one = record_at<Elf64_Phdr>(file, head.e_phoff + i * sizeof(Elf64_Phdr)))
      segments.push_back(*one);
  return segments;
}

/// The first of its kind, as the system's loader takes it.
const Elf64_Phdr* dynamic_segment(const std::vector<Elf64_Phdr>& segments) {
  for (const Elf64_Phdr& segment : segments)
    if (segment.p_type == PT_DYNAMIC) return &segment;
  return nullptr;
}

/// Where in the file lies what is at that place in memory.
std::optional<std::size_t> place_in_file(const std::vector<Elf64_Phdr>& segments,
                                         std::uint64_t address) {
  for (const Elf64_Phdr& segment : segments)
    if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
        address - segment.p_vaddr < segment.p_filesz)
      return address - segment.p_vaddr + segment.p_offset;
  return std::nullopt;
}

/// The libraries' names lie in a table whose place in memory is known.
std::vector<std::string> needed_by(std::string_view file, const std::vector<Elf64_Phdr>& segments) {
  const Elf64_Phdr* dynamic = dynamic_segment(segments);
  if (dynamic == nullptr) return {};
  std::vector<std::uint64_t> names;
  std::uint64_t table = 0;
  for (std::size_t at = dynamic->p_offset;; at += sizeof(Elf64_Dyn)) {
    const auto entry = record_at<Elf64_Dyn>(file, at);
    if (!entry || entry->d_tag == DT_NULL) break;
    if (entry->d_tag == DT_NEEDED) names.push_back(entry->d_un.d_val);
    if (entry->d_tag == DT_STRTAB) table = entry->d_un.d_ptr;
  }
  const auto place = place_in_file(segments, table);
  if (!place) return {};
  std::vector<std::string> libraries;
  for (const std::uint64_t name : names) {
    const std::size_t at = *place + name;
    if (at >= file.size()) continue;
    const std::string_view rest = file.substr(at, longest_library_name);
    libraries.emplace_back(rest.substr(0, rest.find('\0')));
  }
  return libraries;
}

}  // namespace

ElfProgram read_elf_program(std::string_view file) {
  ElfProgram program;
  program.is_elf = file.starts_with(ELFMAG);
  if (!program.is_elf) return program;
  program.is_64_bit = file.size() > EI_CLASS && file[EI_CLASS] == ELFCLASS64;
  const auto head = record_at<Elf64_Ehdr>(file, 0);
  if (!program.is_64_bit || !head) return program;
  const std::vector<Elf64_Phdr> segments = segments_of(file, *head);
  for (const Elf64_Phdr& segment : segments) program.is_dynamic |= segment.p_type == PT_INTERP;
  program.libraries = needed_by(file, segments);
  return program;
}

}  // namespace pat
