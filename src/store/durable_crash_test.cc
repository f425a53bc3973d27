// SPDX-License-Identifier: Apache-2.0
//
// A process that writes as fast as it can is killed at a random instant, again and again, on the
// same directory. Each life must find every write that an earlier one had reported as durable, and
// nothing half done. FIXPOINT_KILLS asks for more lives than the few of an ordinary run.
#include "base/rng.h"
#include "store/scratch_dir.h"

#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fixpoint::store {
namespace {

constexpr int kKills = 25;
constexpr std::uint64_t kKeys = 60;
constexpr int kPatienceMs = 60'000;

int kills() {
  const char* asked = std::getenv("FIXPOINT_KILLS");
  return asked != nullptr ? std::atoi(asked) : kKills;
}

// What a writer does at a revision follows from the revision alone, so that the reader can tell
// what any state must look like: keys r and r+1 are written by a pair of events with one number.
std::string key_of(std::uint64_t revision) {
  return "k" + std::to_string(revision * 7919 % kKeys);
}

json::Value text_of(std::uint64_t revision) {
  std::string text = std::to_string(revision) + ":";
  text.append(revision % 17 == 0 ? 20'000 : 300, static_cast<char>('a' + revision % 26));
  return json::Value::string(text);
}

// Applies revision r to a store: every eleventh removes its key if it is there.
Event apply(Store& store) {
  const auto revision = store.next_revision().value;
  const auto key = key_of(revision);
  if (revision % 11 == 0 && store.latest().find(key)) {
    return store.erase(key, json::Value::null());
  }
  return store.put(key, text_of(revision));
}

// The child: writes for ever and tells the pipe each durable revision.
[[noreturn]] void write_for_ever(const std::filesystem::path& directory, int pipe) {
  std::atomic<std::uint64_t> durable{0};
  auto kept = Kept::open(directory, [&](const Progress& progress) {
    const auto revision = progress.durable.value;
    if (progress.error || ::write(pipe, &revision, sizeof revision) != sizeof revision) ::_exit(3);
    durable = revision;
    durable.notify_one();
  });
  if (!kept) {
    std::fprintf(stderr, "%s\n", kept.error().message.c_str());
    ::_exit(2);
  }
  durable = kept->store.revision().value;
  for (;;) {
    kept->log->append(apply(kept->store));
    // A server has a bounded number of requests in flight.
    for (auto seen = durable.load(); kept->store.revision().value > seen + 64;
         seen = durable.load()) {
      durable.wait(seen);
    }
  }
}

// The last durable revision the pipe tells.
std::uint64_t last_reported(int pipe, std::uint64_t before) {
  std::uint64_t revision = before;
  std::uint64_t read_revision = 0;
  while (::read(pipe, &read_revision, sizeof read_revision) == sizeof read_revision) {
    EXPECT_GE(read_revision, revision) << "a durable revision went back";
    revision = read_revision;
  }
  return revision;
}

struct Life {
  std::uint64_t acknowledged = 0;
  int exit_status = 0;
};

Life live_and_die(const std::filesystem::path& directory, std::uint64_t acknowledged, Rng& rng) {
  int pipe[2];
  EXPECT_EQ(::pipe2(pipe, O_CLOEXEC), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(pipe[0]);
    write_for_ever(directory, pipe[1]);
  }
  ::close(pipe[1]);
  // Dies at a random instant: every other one while it opens or at its first writes, the rest after
  // it has told of one, however slow the machine. It is the kill that must be at no chosen moment,
  // so this one wait is by the clock.
  if (rng.below(2) == 0) {
    pollfd told{.fd = pipe[0], .events = POLLIN, .revents = 0};
    EXPECT_EQ(::poll(&told, 1, kPatienceMs), 1) << "the writer wrote nothing";
  }
  ::usleep(static_cast<useconds_t>(rng.below(60'000)));
  ::kill(child, SIGKILL);
  Life life;
  ::waitpid(child, &life.exit_status, 0);
  life.acknowledged = last_reported(pipe[0], acknowledged);
  ::close(pipe[0]);
  return life;
}

TEST(DurableCrash, EveryAcknowledgedWriteSurvivesAKillAtAnyInstant) {
  const ScratchDir dir;
  Rng rng{2026};
  Store expected;
  std::uint64_t acknowledged = 0;

  for (int i = 0; i < kills(); ++i) {
    const Life life = live_and_die(dir.data(), acknowledged, rng);
    ASSERT_TRUE(WIFSIGNALED(life.exit_status)) << "the writer ended by itself";
    acknowledged = life.acknowledged;

    const auto kept = Kept::open(dir.data());
    ASSERT_TRUE(kept) << kept.error().message;
    ASSERT_GE(kept->store.revision().value, acknowledged) << "an acknowledged write is lost";
    while (expected.revision() < kept->store.revision()) apply(expected);
    ASSERT_EQ(expected.revision(), kept->store.revision()) << "revisions went back";
    ASSERT_TRUE(expected.latest() == kept->store.latest()) << "kill " << i;
    acknowledged = kept->store.revision().value;
  }

  EXPECT_GT(acknowledged, 100U) << "the writers hardly wrote";
}

}  // namespace
}  // namespace fixpoint::store
