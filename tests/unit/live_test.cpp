// What a running job tells `pat top`: how it is written and read, and where it is found.

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "core/errors.hpp"
#include "core/live_socket.hpp"
#include "core/live_state.hpp"

namespace pat {
namespace {

namespace fs = std::filesystem;

LiveState whole() {
  LiveState state;
  state.job = "fft-12";
  state.host = "node1";
  state.rank = 1;
  state.ranks = 3;
  state.pid = 77;
  state.now_ns = 5'000'000'000;
  state.calls = 9;
  state.in_call_s = 0.25;
  state.phase = LiveState::Phase{"solve", false, 4'900'000'000,          0.5, 0.2, 0.01,
                                 0.3,     78,    "solver.c:81 (iterate)"};
  state.present = LiveState::Present{"PAT_Gather",
                                     4'999'000'000,
                                     "gather, root 0, 64 bytes",
                                     "a.c:1",
                                     LiveState::Place{2, 0xffffffffffffffffu, 9},
                                     {0, 1, 2}};
  state.waits_in = "MPI_Recv";
  state.waits_since_ns = 4;
  state.left = LiveState::Left{"PAT_Barrier", "a.c:2", 3};
  state.entered = {{2, 0xffffffffffffffffu, 9}, {0, 1, 4}};
  state.made = {
      {{2, 0xffffffffffffffffu, 5}, 8, "PAT_Gather", "gather, root 1, 64 bytes", "a.c:3"}};
  state.past = {{2, 0xffffffffffffffffu, 8, "gather, root 0, 64 bytes", "bsls", 1, 2}};
  state.decided = {{"gather, root 0, 64 bytes", "bsls", "late by 3 ms", 4, 2}};
  state.foretold = {{"gather, root 0, 64 bytes", {0, 2}, {0.0, 0.5}, {0.1, std::nullopt}}};
  return state;
}

TEST(LiveState, IsReadAsItWasWritten) {
  const std::string text = text_of(whole());
  EXPECT_TRUE(text.ends_with("\n"));
  EXPECT_EQ(text_of(read_live_state(text)), text);
  const LiveState read = read_live_state(text);
  EXPECT_EQ(read.past.at(0).group, 0xffffffffffffffffu);
  EXPECT_EQ(read.phase->region, "solve");
  EXPECT_EQ(read.phase->longest_s, 0.3);
  EXPECT_EQ(read.phase->thread, 78);
  EXPECT_EQ(read.phase->seen_at, "solver.c:81 (iterate)");
  EXPECT_EQ(read.present->place->number, 9U);
  EXPECT_EQ(read.entered.at(1).number, 4U);
  EXPECT_EQ(read.left->site, "a.c:2");
  EXPECT_EQ(read.made.at(0).first.number, 5U);
  EXPECT_EQ(read.made.at(0).last, 8U);
  EXPECT_EQ(read.made.at(0).site, "a.c:3");
  EXPECT_FALSE(read.foretold.at(0).half_width_s.at(1).has_value());
  EXPECT_EQ(text_of(read_live_state(text_of(LiveState{}))), text_of(LiveState{}));
}

TEST(LiveState, IsCutToTheRoomThatThereIs) {
  LiveState state = whole();
  state.past.clear();
  for (std::uint32_t i = 0; i < 64; ++i)
    state.past.push_back({2, 0xffffffffffffffffu, 1'000'000 + i, "gather, root 0, 65536 bytes",
                          i % 2 == 0 ? "bsls" : "mpi", 4'000'000'000 + 1'000'000 * i,
                          4'000'500'000 + 1'000'000 * i});
  const std::string all = text_of(state, 4096);
  EXPECT_LE(all.size(), 4096u);
  EXPECT_EQ(read_live_state(all).past.size(), 64u) << "64 calls of two series have room";
  EXPECT_EQ(read_live_state(all).past.back().exit_ns, state.past.back().exit_ns);
  const LiveState cut = read_live_state(text_of(state, 2000));
  ASSERT_GT(cut.past.size(), 8u);
  ASSERT_LT(cut.past.size(), 64u);
  EXPECT_EQ(cut.past.back().number, 1'000'063u) << "the latest are kept";
  EXPECT_EQ(cut.phase->region, "solve");
  EXPECT_EQ(cut.entered.size(), 2u);
  EXPECT_TRUE(cut.all_entered);
  LiveState many = state;
  many.made.assign(64, state.made.front());
  many.made.back().last = 9;
  const LiveState few = read_live_state(text_of(many, 3000));
  ASSERT_LT(few.made.size(), 64u);
  EXPECT_EQ(few.made.back().last, 9u) << "the latest are kept";
  state.entered.assign(100, {2, 1, 9});
  const LiveState short_of_room = read_live_state(text_of(state, 2000));
  EXPECT_TRUE(short_of_room.entered.empty());
  EXPECT_FALSE(short_of_room.all_entered) << "whoever waits for it knows that it does not know";
  EXPECT_EQ(text_of(state, 100), "");
}

TEST(LiveState, RefusesWhatIsNone) {
  const std::string text = text_of(whole());
  const auto with = [&](const std::string& before, const std::string& after) {
    std::string changed = text;
    changed.replace(changed.find(before), before.size(), after);
    return changed;
  };
  for (const std::string& bad :
       {std::string(), std::string("{}"), text.substr(0, text.size() / 2),
        with("\"version\":8", "\"version\":7"), with("[[0,8,", "[[1,8,"), with("[[0,8,", "[[-1,8,"),
        with("\"rank\":1", "\"rank\":3"), with("\"rank\":1", "\"rank\":-1"),
        with("\"rank\":1", "\"rank\":\"one\""), with("\"ranks\":[0,2]", "\"ranks\":[0]"),
        with("\"pid\":77,", "")})
    EXPECT_THROW(read_live_state(bad), Error) << bad;
}

TEST(LiveSocket, NamesAreReadAsTheyWereMade) {
  EXPECT_EQ(live_socket_name("a", LiveSocket::others, 5), "a.others.5.sock");
  EXPECT_EQ(parse_live_socket("/tmp/x", "a.others.5.sock")->rank, LiveSocket::others);
  const auto socket = parse_live_socket("/tmp/x", live_socket_name("a_b-12", 3, 45));
  ASSERT_TRUE(socket);
  EXPECT_EQ(socket->job, "a_b-12");
  EXPECT_EQ(socket->rank, 3);
  EXPECT_EQ(socket->pid, 45);
  EXPECT_EQ(socket->path, "/tmp/x/a_b-12.3.45.sock");
  for (const char* none : {"a.3.45.sock.new", "a.3.sock", ".3.45.sock", "a.-3.45.sock",
                           "a.3.x.sock", "a.3.0.sock", "a.3.45.txt", "a.99999999999.4.sock"})
    EXPECT_FALSE(parse_live_socket("/tmp/x", none)) << none;
}

class LiveFolder : public testing::Test {
 protected:
  LiveFolder() {
    char name[] = "/tmp/live_test.XXXXXX";
    folder_ = mkdtemp(name);
    setenv("XDG_RUNTIME_DIR", folder_.c_str(), 1);
  }
  ~LiveFolder() override { fs::remove_all(folder_); }

  /// A socket on which nobody answers; -1: that nobody listens on.
  int open(const LiveSocket& socket, bool listens) const {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, socket.path.data(), socket.path.size());
    const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
    EXPECT_EQ(bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    if (listens) {
      EXPECT_EQ(listen(fd, 4), 0);
      return fd;
    }
    close(fd);
    return -1;
  }

  std::string folder_;
};

TEST_F(LiveFolder, IsThisUsersAlone) {
  EXPECT_EQ(live_folder(), folder_ + "/pat");
  open_live_folder(live_folder());
  EXPECT_EQ(fs::status(live_folder()).permissions(), fs::perms::owner_all);
  open_live_folder(live_folder());
  fs::permissions(live_folder(), fs::perms::owner_all | fs::perms::others_exec);
  EXPECT_THROW(open_live_folder(live_folder()), Error);
  EXPECT_THROW(live_sockets(), Error);
  fs::remove(live_folder());
  fs::create_directory_symlink("/tmp", live_folder());
  EXPECT_THROW(open_live_folder(live_folder()), Error);
}

TEST_F(LiveFolder, WhatIsGoneIsRemovedAndWhatIsSilentStays) {
  open_live_folder(live_folder());
  const auto named = [](int rank, std::int64_t pid) {
    return *parse_live_socket(live_folder(), live_socket_name("job", rank, pid));
  };
  const std::vector<LiveSocket> sockets = {named(0, getpid()), named(1, 0x3fffffff),
                                           named(2, getpid() + 1)};
  const int silent = open(sockets[0], true);
  open(sockets[1], false);
  const auto answers = ask_live(sockets, std::chrono::milliseconds(20));
  ASSERT_EQ(answers.size(), 3u);
  EXPECT_EQ(answers[0], std::optional<std::string>(""));
  EXPECT_FALSE(answers[1]);
  EXPECT_FALSE(answers[2]);  // there never was one
  EXPECT_TRUE(fs::exists(sockets[0].path));
  EXPECT_FALSE(fs::exists(sockets[1].path));
  close(silent);
}

}  // namespace
}  // namespace pat
