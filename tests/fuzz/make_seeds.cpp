// make_seeds FOLDER: the inputs that fuzzing begins with where they are not text, one folder a
// fuzzer.

#include <elf.h>
#include <sndfile.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "apps/helsim-mini/saved_particles.hpp"
#include "libpat/agreement/decision.hpp"
#include "libpat/agreement/pass_down.hpp"
#include "libpat/agreement/report_tree.hpp"
#include "libpat/execution/letters.hpp"

using namespace pat;

namespace {

template <class Value>
std::string bytes_of(const Value& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

template <class Size>
std::string with_length(const std::string& message) {
  return bytes_of(static_cast<Size>(message.size())) + message;
}

/// A decision for so many ranks, as tests/fuzz/decision.cpp takes it: lengths before messages.
std::string decision(const char* name, int ranks) {
  detail::Decision decision;
  decision.count = 4;
  decision.choose(get_algorithm(Operation::reduce, name));
  ArrivalPattern pattern = ArrivalPattern::flat(ranks);
  for (int rank = 0; rank < ranks; ++rank)
    pattern.offset_s[static_cast<std::size_t>(rank)] = 0.001 * (rank * 7 % 5);
  set_pattern(decision, pattern);
  std::string text;
  for (const auto& message : encode(decision, 128))
    text +=
        with_length<std::uint16_t>({reinterpret_cast<const char*>(message.data()), message.size()});
  return text;
}

/// Three processes foretell and arrive, as tests/fuzz/report.cpp takes it.
std::string reports() {
  std::string text(1, 2);
  for (std::uint32_t call = 1; call < 3; ++call)
    for (char rank = 0; rank < 3; ++rank) {
      detail::Report report;
      report.call = call;
      report.forecast_s = 0.01f;
      report.arrival_ns = 1'000'000 * (1 + rank);
      report.flags = detail::Report::final;
      text += rank + with_length<std::uint8_t>(bytes_of(report));
      text += rank + with_length<std::uint8_t>(bytes_of(detail::ForwardedReport{rank, 0, report}));
    }
  for (const auto& message : detail::encode(detail::PassDown{0, {1, 2}}, 255))
    text += '\0' + with_length<std::uint8_t>(
                       {reinterpret_cast<const char*>(message.data()), message.size()});
  return text;
}

/// Rank 0 of three takes the values of the others, as tests/fuzz/letters.cpp takes it.
std::string letters(char algorithm) {
  enum : std::int32_t { here = 0, accept = 3 };
  std::string text{algorithm, 1, 0, 0, 0};
  for (char from = 0; from < 2; ++from) {
    for (const std::int32_t kind : {here, accept})
      text += std::string{0, from} + bytes_of(detail::Letters::letter({0, 0}, {kind, 0, 1}));
    text += '\2';
  }
  return text;
}

std::string particles() {
  const helsim::Particle particle{1, {0.5, 0.25, 0.75}, {0.1, 0.0, -0.1}};
  return std::string(helsim::particle_file_signature) +
         "\n{\"cells\":[4,4,4],\"particles\":[1],\"time\":0.5}\n" + bytes_of(particle);
}

/// Two ranks that compute and reduce, three times, as tests/fuzz/otf2.cpp takes it.
std::string archive() {
  enum : char { enter, leave, begin, end, computing = 1, gather = 3 };
  std::string text{1};
  for (char rank = 0; rank < 2; ++rank) {
    text += std::string{rank, 0, 18};
    for (int call = 0; call < 3; ++call) {
      for (const auto& [region, kind] :
           {std::pair{computing, enter}, {computing, leave}, {gather, enter}, {gather, begin}})
        text += std::string{1, 9, region, kind};
      text += std::string{1, 5, 0, end, 12, 1, 8, 0};
      text += std::string{1, 1, gather, leave};
    }
  }
  text += bytes_of(std::uint32_t{999'999'999}) + bytes_of(std::uint32_t{0});
  text += "another name" + std::string{18, 18};
  for (int group = 0; group < 3; ++group) text += std::string{2, 1, 0, 1, 1};
  return text + std::string{1, 2};
}

/// What is needed stands at the end; all of it is loaded where it lies in the file.
std::string elf_program() {
  const std::string names = std::string(1, '\0') + "libmpi.so.40" + '\0' + "libc.so.6" + '\0';
  constexpr std::size_t segments_at = sizeof(Elf64_Ehdr),
                        dynamic_at = segments_at + 3 * sizeof(Elf64_Phdr),
                        names_at = dynamic_at + 4 * sizeof(Elf64_Dyn);
  Elf64_Ehdr head{};
  std::memcpy(head.e_ident, ELFMAG, SELFMAG);
  head.e_ident[EI_CLASS] = ELFCLASS64;
  head.e_phoff = segments_at;
  head.e_phnum = 3;
  Elf64_Phdr interpreter{}, all{}, dynamic{};
  interpreter.p_type = PT_INTERP;
  all.p_type = PT_LOAD;
  all.p_filesz = names_at + names.size();
  dynamic.p_type = PT_DYNAMIC;
  dynamic.p_offset = dynamic_at;
  return bytes_of(head) + bytes_of(interpreter) + bytes_of(all) + bytes_of(dynamic) +
         bytes_of(Elf64_Dyn{DT_NEEDED, {1}}) + bytes_of(Elf64_Dyn{DT_NEEDED, {14}}) +
         bytes_of(Elf64_Dyn{DT_STRTAB, {names_at}}) + bytes_of(Elf64_Dyn{DT_NULL, {0}}) + names;
}

/// A few samples, as a file of this kind that libsndfile writes.
void put_recording(const std::filesystem::path& folder, const std::string& name, int format,
                   int channels) {
  std::filesystem::create_directories(folder);
  SF_INFO info{};
  info.samplerate = 8000;
  info.channels = channels;
  info.format = format;
  std::vector<float> samples(200);
  for (std::size_t i = 0; i < samples.size(); ++i)
    samples[i] = 0.01f * static_cast<float>(i * 37 % 100);
  SNDFILE* file = sf_open((folder / name).c_str(), SFM_WRITE, &info);
  if (file == nullptr) return;  // a kind that this libsndfile does not know
  sf_write_float(file, samples.data(), static_cast<sf_count_t>(samples.size()));
  sf_close(file);
}

void put_recordings(const std::filesystem::path& folder) {
  put_recording(folder, "whole.wav", SF_FORMAT_WAV | SF_FORMAT_PCM_16, 2);
  put_recording(folder, "float.wav", SF_FORMAT_WAV | SF_FORMAT_FLOAT, 1);
  put_recording(folder, "packed.wav", SF_FORMAT_WAV | SF_FORMAT_IMA_ADPCM, 1);
  put_recording(folder, "large.rf64", SF_FORMAT_RF64 | SF_FORMAT_PCM_24, 1);
  put_recording(folder, "packed.w64", SF_FORMAT_W64 | SF_FORMAT_GSM610, 1);
  put_recording(folder, "whole.aiff", SF_FORMAT_AIFF | SF_FORMAT_PCM_16, 2);
  put_recording(folder, "law.au", SF_FORMAT_AU | SF_FORMAT_ULAW, 1);
  put_recording(folder, "packed.caf", SF_FORMAT_CAF | SF_FORMAT_ALAC_16, 1);
  put_recording(folder, "packed.flac", SF_FORMAT_FLAC | SF_FORMAT_PCM_16, 1);
}

void put(const std::filesystem::path& folder, const std::string& name, const std::string& bytes) {
  std::filesystem::create_directories(folder);
  std::ofstream(folder / name, std::ios::binary) << bytes;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::filesystem::path folder = argv[1];
  for (const char* name : {"mpi", "bnom", "ring", "clairvoyant", "local-redirect", "pipeline"})
    put(folder / "decision", name, decision(name, 5));
  put(folder / "decision", "in-parts", decision("bnom", 60));
  put(folder / "report", "three", reports());
  put(folder / "letters", "atomic", letters(0));
  put(folder / "letters", "segments", letters(1));
  put(folder / "letters", "slot", letters(2));
  put(folder / "otf2", "three", archive());
  put(folder / "particles", "one", particles());
  put(folder / "elf_program", "dynamic", elf_program());
  put_recordings(folder / "recording");
  return 0;
}
