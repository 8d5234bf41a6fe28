// What pat-fft is made of apart from the transform: recordings, blocks, delays, options, scores,
// the picture.

#include <gtest/gtest.h>
#include <png.h>
#include <sndfile.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <sstream>

#include "apps/fft/blocks.hpp"
#include "apps/fft/imbalance.hpp"
#include "apps/fft/measurement.hpp"
#include "apps/fft/options.hpp"
#include "apps/fft/recording.hpp"
#include "apps/fft/reference.hpp"
#include "apps/fft/spectrogram.hpp"
#include "core/errors.hpp"

namespace pat::fft {
namespace {

/// A folder of its own for each test.
class Files : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() /
              (std::string("pat-fft-") + info->name() + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ / name; }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder_),
                                                  std::filesystem::directory_iterator()));
  }

  std::string write_wav(const std::string& name, const std::vector<float>& samples,
                        int channels = 1, int rate_hz = 8000) const {
    SF_INFO info{};
    info.samplerate = rate_hz;
    info.channels = channels;
    info.format = SF_FORMAT_WAV | SF_FORMAT_FLOAT;
    SNDFILE* file = sf_open(path(name).c_str(), SFM_WRITE, &info);
    sf_write_float(file, samples.data(), static_cast<sf_count_t>(samples.size()));
    sf_close(file);
    return path(name);
  }

  void expect_refused(const std::string& file, const std::string& reason) const {
    try {
      read_recording(file);
      ADD_FAILURE() << file << " was read";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(reason), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find(file), std::string::npos) << error.what();
    }
  }

 private:
  std::filesystem::path folder_;
};

TEST_F(Files, RecordingIsReadAndMixed) {
  const Recording mono = read_recording(write_wav("mono.wav", {0.25f, -0.5f, 1.0f}));
  EXPECT_EQ(mono.samples, (std::vector<float>{0.25f, -0.5f, 1.0f}));
  EXPECT_EQ(mono.rate_hz, 8000);
  const Recording stereo = read_recording(write_wav("stereo.wav", {1.0f, 0.0f, 0.5f, -0.5f}, 2));
  EXPECT_EQ(stereo.samples, (std::vector<float>{0.5f, 0.0f}));
}

TEST_F(Files, RecordingsFollowOneAnother) {
  const std::string a = write_wav("a.wav", {0.1f, 0.2f}), b = write_wav("b.wav", {0.3f});
  EXPECT_EQ(read_recordings({a, b, a}).samples, (std::vector<float>{0.1f, 0.2f, 0.3f, 0.1f, 0.2f}));
  const std::string other = write_wav("other.wav", {0.3f}, 1, 16000);
  EXPECT_THROW(read_recordings({a, other}), Error);
  EXPECT_THROW(read_recordings({}), Error);
}

TEST_F(Files, BadRecordingsAreRefused) {
  expect_refused(path("missing.wav"), "cannot be opened");
  expect_refused(path("."), "is not a file");
  std::ofstream(path("empty.wav"));
  expect_refused(path("empty.wav"), "empty file");
  std::ofstream(path("text.wav")) << "this is no sound at all, only some text";
  expect_refused(path("text.wav"), "cannot be read as sound");
  expect_refused(write_wav("none.wav", {}), "no samples");
  expect_refused(write_wav("nan.wav", {0.0f, NAN}), "not finite");
}

TEST_F(Files, RecordingCutOffAnywhereIsRefused) {
  const std::string whole = write_wav("whole.wav", std::vector<float>(100, 0.5f));
  const auto bytes = std::filesystem::file_size(whole);
  for (std::uintmax_t kept = 0; kept < bytes; ++kept) {
    const std::string cut = path("cut.wav");
    std::filesystem::copy_file(whole, cut, std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(cut, kept);
    EXPECT_THROW(read_recording(cut), Error) << kept << " of " << bytes << " bytes";
  }
}

TEST_F(Files, HeadThatPromisesTooMuchIsRefused) {
  SF_INFO info{};
  info.samplerate = 8000;
  info.channels = 1;
  info.format = SF_FORMAT_W64 | SF_FORMAT_GSM610;
  const std::string much = path("much.w64");
  const std::vector<float> samples(300, 0.5f);
  SNDFILE* file = sf_open(much.c_str(), SFM_WRITE, &info);
  sf_write_float(file, samples.data(), static_cast<sf_count_t>(samples.size()));
  sf_close(file);
  EXPECT_LT(read_recording(much).samples.size(), 1000u);

  std::fstream bytes(much, std::ios::in | std::ios::out | std::ios::binary);
  std::stringstream whole;
  whole << bytes.rdbuf();
  constexpr std::int64_t guid_bytes = 16, head_bytes = guid_bytes + 8, block_bytes = 65;
  // libsndfile 1.2.0 takes the length of the samples for cut off where it is too large, but not
  // where it is below 0, and counts blocks in 32 bits: here 50,000, of 320 samples each.
  const std::int64_t promised = head_bytes + block_bytes * (50'000 - (std::int64_t{1} << 32));
  bytes.seekp(static_cast<std::streamoff>(whole.str().find("data")) + guid_bytes);
  bytes.write(reinterpret_cast<const char*>(&promised), sizeof promised);
  bytes.close();
  try {
    EXPECT_LT(read_recording(much).samples.size(), 1000u);
  } catch (const Error&) {
    expect_refused(much, "more than fits into its 209 bytes");
  }
}

TEST(Blocks, CountsOnlyWholeOnes) {
  EXPECT_EQ(blocks_within(99, 100, 50), 0u);
  EXPECT_EQ(blocks_within(100, 100, 50), 1u);
  EXPECT_EQ(blocks_within(149, 100, 50), 1u);
  EXPECT_EQ(blocks_within(150, 100, 50), 2u);
}

TEST(Blocks, OverlapAndTaper) {
  const std::size_t size = 64, hop = 16;
  const auto blocks = recorded_blocks({std::vector<float>(256, 1.0f), 8000}, size, hop);
  std::vector<float> block(size);
  blocks->fill(blocks_within(256, size, hop) - 1, block);
  EXPECT_FLOAT_EQ(block[0], 0.0f);
  EXPECT_FLOAT_EQ(block[size / 2], 2.0f);
  float sum = 0.0f;
  for (const float x : block) sum += x;
  EXPECT_NEAR(sum, static_cast<float>(size), 1e-3f);
}

TEST(Blocks, RandomOnesDependOnSeedAndIndexAlone) {
  std::vector<float> a(128), b(128);
  const auto fill = [](std::uint64_t seed, std::size_t index, std::vector<float>& block) {
    random_blocks(seed)->fill(index, block);
  };
  fill(1, 3, a), fill(1, 3, b);
  EXPECT_EQ(a, b);
  fill(1, 4, b);
  EXPECT_NE(a, b);
  fill(2, 3, b);
  EXPECT_NE(a, b);
  for (const float x : a) EXPECT_LE(std::abs(x), 1.0f);
}

TEST(Imbalance, ReadsWhatItWrites) {
  for (const char* text : {"none", "uniform:5ms", "ramp:0.5ms", "straggler:100ms"})
    EXPECT_EQ(to_string(parse_imbalance(text)), text);
  EXPECT_DOUBLE_EQ(parse_imbalance("uniform:800us").delay_s, 800e-6);
  EXPECT_DOUBLE_EQ(parse_imbalance("uniform:1.5s").delay_s, 1.5);
  for (const char* bad : {"", "uniform", "uniform:", "uniform:5", "uniform:5h", "uniform:-1ms",
                          "uniform:nans", "uniform:infs", "uniform:11s", "5ms", "other:5ms"})
    EXPECT_THROW(parse_imbalance(bad), Error) << bad;
}

TEST(Imbalance, HasTheShapeItsNameSays) {
  const Imbalance uniform{Imbalance::Shape::uniform, 2.0};
  double sum = 0.0;
  for (std::size_t i = 0; i < 2000; ++i) {
    const double delay = delay_s(uniform, 1, i, 3, 8);
    EXPECT_TRUE(delay >= 0.0 && delay < 2.0);
    EXPECT_EQ(delay, delay_s(uniform, 1, i, 3, 8));
    sum += delay;
  }
  EXPECT_NEAR(sum / 2000.0, 1.0, 0.06);
  EXPECT_NE(delay_s(uniform, 1, 5, 3, 8), delay_s(uniform, 1, 5, 4, 8));
  EXPECT_NE(delay_s(uniform, 1, 5, 3, 8), delay_s(uniform, 2, 5, 3, 8));

  const Imbalance ramp{Imbalance::Shape::ramp, 2.0};
  EXPECT_DOUBLE_EQ(delay_s(ramp, 1, 0, 0, 5), 0.0);
  EXPECT_DOUBLE_EQ(delay_s(ramp, 1, 9, 4, 5), 2.0);
  EXPECT_DOUBLE_EQ(delay_s(ramp, 1, 9, 0, 1), 0.0);

  const Imbalance straggler{Imbalance::Shape::straggler, 2.0};
  std::vector<int> late(5, 0);
  for (std::size_t i = 0; i < 200; ++i) {
    int in_this_one = 0;
    for (int rank = 0; rank < 5; ++rank)
      if (delay_s(straggler, 1, i, rank, 5) > 0.0)
        ++late[static_cast<std::size_t>(rank)], ++in_this_one;
    EXPECT_EQ(in_this_one, 1);
  }
  for (const int times : late) EXPECT_GT(times, 0);
}

Options parse(std::vector<const char*> arguments, int processes = 4) {
  arguments.insert(arguments.begin(), "pat-fft");
  return parse_options(static_cast<int>(arguments.size()), arguments.data(), processes);
}

TEST(FftOptions, DefaultsAreThePapers) {
  const Options options = parse({});
  EXPECT_EQ(options.size, 262144u);
  EXPECT_FALSE(options.iterations);
  EXPECT_EQ(options.algorithms, (std::vector<std::string>{"mpi", "lin", "ls", "sls", "bsls"}));
  EXPECT_FALSE(options.progress);
  EXPECT_EQ(parse({"--input", "a.wav", "b.wav"}).size, 4096u);
  EXPECT_EQ(parse({"--input", "a.wav", "--size", "1024", "--overlap", "0.75"}).hop(), 256u);
  EXPECT_TRUE(parse({"--progress"}).progress.value());
  EXPECT_FALSE(parse({"--no-progress"}).progress.value());
}

TEST(FftOptions, RefusesWhatMakesNoSense) {
  const std::vector<std::vector<const char*>> bad = {{"--size", "1000"},
                                                     {"--size", "0"},
                                                     {"--size", "-4"},
                                                     {"--size", "4"},
                                                     {"--size", "134217728"},
                                                     {"--size", "99999999999999999999"},
                                                     {"--size", "1e5"},
                                                     {"--algorithms", "mpi,foo"},
                                                     {"--algorithms", "mpi,mpi"},
                                                     {"--algorithms"},
                                                     {"--iterations", "0"},
                                                     {"--iterations", "-1"},
                                                     {"--overlap", "1"},
                                                     {"--overlap", "-0.1"},
                                                     {"--overlap", "nan"},
                                                     {"--threads", "-1"},
                                                     {"--seed", "x"},
                                                     {"--imbalance", "uniform"},
                                                     {"--spectrogram", "a.png"},
                                                     {"--nothing"},
                                                     {"word"}};
  for (const auto& arguments : bad) {
    try {
      parse(arguments);
      ADD_FAILURE() << arguments.front() << " was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::argument);
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    }
  }
  EXPECT_NO_THROW(parse({"--size", "8"}, 4));
  EXPECT_THROW(parse({"--size", "8"}, 5), Error);
  EXPECT_THROW(parse({"--help"}), Information);
}

// Process r of call i computes for 1 s, and rank (i mod 3) for 1.5 s; ranks leave 0.1 s after the
// last arrival.
std::vector<Call> rotating_calls(int n) {
  std::vector<Call> calls;
  for (int i = 0; i < n; ++i) {
    Call call{i % 2, static_cast<std::size_t>(i / 2), 2.0, {}};
    for (int r = 0; r < 3; ++r) {
      const double computing = r == i % 3 ? 1.5 : 1.0;
      call.ranks.push_back({10.0, 10.0 + 0.5 * computing, 10.0 + computing, 10.0 + computing,
                            11.5 + 0.1 * (1 + i % 2)});
    }
    calls.push_back(call);
  }
  return calls;
}

TEST(Comparison, SummaryHoldsTheDefinitions) {
  const std::vector<std::string> names = {"a", "b"};
  const std::vector<Summary> rows = summarise(rotating_calls(6), names);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].calls, 3u);
  EXPECT_DOUBLE_EQ(rows[0].total_s, 6.0);
  EXPECT_NEAR(rows[0].computing_s, 3.5 / 3.0, 1e-12);
  EXPECT_NEAR(rows[0].run_time_s, 0.6, 1e-12);
  EXPECT_NEAR(rows[0].added_s, 0.1, 1e-12);
  EXPECT_NEAR(rows[0].elapsed_s, (0.1 + 0.6 + 0.6) / 3.0, 1e-12);
  EXPECT_DOUBLE_EQ(rows[0].ratio, 1.0);
  EXPECT_NEAR(rows[1].ratio, 0.7 / 0.6, 1e-12);
  EXPECT_LE(rows[1].ratio_low, rows[1].ratio);
  EXPECT_GE(rows[1].ratio_high, rows[1].ratio);
}

TEST(Comparison, ScoresModelsOnTheSameCalls) {
  const std::vector<Call> calls = rotating_calls(30);
  const std::vector<std::string> names = {"last", "edge"};
  const std::vector<Score> scores = score_models(calls, names);
  ASSERT_EQ(scores.size(), 2u);
  EXPECT_DOUBLE_EQ(scores[0].last_arriver_share, 0.0) << "the last value names the one before";
  EXPECT_EQ(scores[0].orders, 29u);
  EXPECT_NEAR(scores[0].mean_absolute_error_s, 2.0 * 0.5 / 3.0, 1e-12);
  EXPECT_DOUBLE_EQ(scores[1].last_arriver_share, 1.0);
  EXPECT_EQ(scores[1].orders, 30u);
  EXPECT_NEAR(scores[1].mean_absolute_error_s, 0.0, 1e-12);
  const std::vector<std::string> unknown = {"nonsense"};
  EXPECT_THROW(score_models(calls, unknown), Error);
}

TEST(FftReference, FindsOneWrongBin) {
  std::vector<float> block(64);
  for (std::size_t i = 0; i < block.size(); ++i)
    block[i] =
        static_cast<float>(std::cos(2.0 * std::numbers::pi * 5.0 * static_cast<double>(i) / 64.0));
  std::vector<Complex> spectrum(33);
  spectrum[5] = 32.0f;
  Reference reference(64);
  EXPECT_LT(reference.relative_error(block, spectrum), 1e-5);
  spectrum[7] = {0.0f, 0.01f};
  EXPECT_NEAR(reference.relative_error(block, spectrum), 0.01 / 32.0, 1e-5);
  spectrum[7] = NAN;
  EXPECT_FALSE(reference.relative_error(block, spectrum) < 1.0);
}

// A tone must be the brightest row of the picture, at the height where its frequency belongs.
TEST_F(Files, SpectrogramShowsAToneAtItsPlace) {
  const std::size_t size = 1024;
  Spectrogram spectrogram(size, 512, 16000);
  std::vector<Complex> spectrum(size / 2 + 1, 1e-6f);
  spectrum[64] = 1.0f;  // 1000 Hz
  for (int i = 0; i < 4; ++i) spectrogram.add(spectrum);
  spectrogram.write(path("tone.png"));
  EXPECT_EQ(files(), 1u);
  EXPECT_THROW(spectrogram.write(path("missing/tone.png")), Error);

  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  ASSERT_NE(png_image_begin_read_from_file(&image, path("tone.png").c_str()), 0) << image.message;
  image.format = PNG_FORMAT_GRAY;
  std::vector<png_byte> pixels(PNG_IMAGE_SIZE(image));
  ASSERT_NE(png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr), 0);
  const std::size_t column = image.width / 2;
  std::size_t brightest = 0, top = image.height, bottom = 0;
  for (std::size_t row = 0; row < image.height; ++row) {
    const png_byte level = pixels[row * image.width + column];
    if (level == 255) continue;  // paper
    top = std::min(top, row), bottom = row;
    if (level > pixels[brightest * image.width + column] || brightest == 0) brightest = row;
  }
  const auto mel = [](double hz) { return std::log10(1.0 + hz / 700.0); };
  const double expected =
      static_cast<double>(bottom) - static_cast<double>(bottom - top) * mel(1000.0) / mel(8000.0);
  EXPECT_NEAR(static_cast<double>(brightest), expected, 4.0);
}

}  // namespace
}  // namespace pat::fft
