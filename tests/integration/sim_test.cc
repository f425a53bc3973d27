// SPDX-License-Identifier: Apache-2.0
//
// A stand-in as a process of its own, under the real program's name: what it says to a file it does
// not take, how it behaves when it is told to, and that it ends when it is asked to.
#include "base/error.h"
#include "net/client.h"
#include "store/scratch_directory.h"
#include "tests/integration/kubectl.h"
#include "tests/patience.h"
#include "tests/shipped_program.h"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fixpoint {
namespace {

using ::testing::HasSubstr;

class StandInProcess : public testing::Test {
 public:
  StandInProcess() {
    // An address of one's own spares looking for free ports: every process id (they have 22 bits)
    // has another, as neighbours of this test have ids next to its own.
    const auto pid = static_cast<unsigned>(::getpid());
    address_ =
        fmt::format("127.{}.{}.{}", 128U + (pid >> 16U & 0x3FU), pid >> 8U & 0xFFU, pid & 0xFFU);
    std::filesystem::create_symlink(shipped_program(), core_);
    write("");
  }
  ~StandInProcess() override {
    if (pid_ > 0) ::kill(pid_, SIGKILL);
    if (pid_ > 0) ::waitpid(pid_, nullptr, 0);
  }

 protected:
  void write(std::string_view line) const {
    std::ofstream(file_)
        << "NODE_SEED=\"SBI3CZU7XZEWVXU7OZLW5MMUQAP334JFOPXSLTPOH43IRTEQ2QYXU5RG\"\n"
        << "NETWORK_PASSPHRASE=\"mine\"\nNODE_IS_VALIDATOR=true\n"
        << "PUBLIC_HTTP_PORT=true\nUNSAFE_QUORUM=true\nFAILURE_SAFETY=0\n"
        << fmt::format("DATABASE=\"sqlite3://{0}/db\"\nBUCKET_DIR_PATH=\"{0}/b\"\n",
                       scratch_.path().string())
        << line << "\n[QUORUM_SET]\nVALIDATORS=[\"$self\"]\n";
  }
  std::string command(std::string_view action) const {
    return fmt::format("{} {} --conf {} 2>&1", core_.string(), action, file_.string());
  }

  void start() {
    ASSERT_THAT(output_of(command("new-db")), HasSubstr("new database made"));
    std::string pod = "POD_IP=" + address_;
    std::string sync = "FIXPOINT_SIM_SYNC_TIME=1ms";
    char* environment[]{pod.data(), sync.data(), nullptr};
    std::string program = core_.string();
    std::string run = "run";
    std::string flag = "--conf";
    std::string file = file_.string();
    char* words[]{program.data(), run.data(), flag.data(), file.data(), nullptr};
    ASSERT_EQ(::posix_spawn(&pid_, program.c_str(), nullptr, nullptr, words, environment), 0);
    ASSERT_TRUE(eventually([&] { return ask("/info").has_value(); }));
  }
  Result<net::Response> ask(std::string target, Duration limit = kPatience) const {
    net::ClientOptions to;
    to.host = address_;
    to.port = 11626;
    net::ClientRequest request;
    request.target = std::move(target);
    return net::blocking_request(to, std::move(request), limit);
  }
  std::string said(std::string target) const {
    const auto answer = ask(std::move(target));
    EXPECT_TRUE(answer.has_value()) << answer.error().message;
    return answer ? answer->body : "";
  }
  int status_of(std::string target) const {
    const auto answer = ask(std::move(target));
    EXPECT_TRUE(answer.has_value()) << answer.error().message;
    return answer ? answer->status : 0;
  }
  void tell(const std::string& mode) const {
    const auto answer = ask("/fixpoint/behave?mode=" + mode);
    ASSERT_TRUE(answer.has_value()) << answer.error().message;
    EXPECT_EQ(answer->status, 200) << answer->body;
  }
  // The exit status; it has ended afterwards.
  int wait_for_end() {
    int status = 0;
    EXPECT_EQ(::waitpid(pid_, &status, 0), pid_);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  store::ScratchDirectory scratch_{"sim"};
  std::filesystem::path core_ = scratch_.path() / "stellar-core";
  std::filesystem::path file_ = scratch_.path() / "stellar-core.cfg";
  std::string address_;
  pid_t pid_ = -1;
};

TEST_F(StandInProcess, RefusesAFileThatTheRealProgramRefuses) {
  EXPECT_THAT(output_of(command("run")), HasSubstr("make it with new-db"));
  write("LOG_LEVEL=\"info\"");
  EXPECT_THAT(output_of(command("run")), HasSubstr("Unknown configuration entry: 'LOG_LEVEL'"));
  write("HTTP_PORT=");
  EXPECT_THAT(output_of(command("run")), HasSubstr("line 9, column 11: a value is expected here"));
  write("");
  EXPECT_THAT(output_of(command("dance")), HasSubstr("there is no \"dance\" here"));
}

TEST_F(StandInProcess, BehavesAsItIsTold) {
  ASSERT_NO_FATAL_FAILURE(start());
  // A moment after its start, which the first look may come before.
  ASSERT_TRUE(eventually([&] { return said("/info").find("\"Synced!\"") != std::string::npos; }));

  ASSERT_NO_FATAL_FAILURE(tell("lag"));
  EXPECT_THAT(said("/info"), HasSubstr("\"Catching up\""));
  ASSERT_NO_FATAL_FAILURE(tell("fail"));
  EXPECT_EQ(status_of("/info"), 500);
  ASSERT_NO_FATAL_FAILURE(tell("hang"));
  EXPECT_FALSE(ask("/info", std::chrono::milliseconds(200)).has_value());
  ASSERT_NO_FATAL_FAILURE(tell("late&delay=200ms"));
  const auto before = std::chrono::steady_clock::now();
  EXPECT_EQ(status_of("/info"), 200);
  EXPECT_GE(std::chrono::steady_clock::now() - before, std::chrono::milliseconds(200));
  EXPECT_EQ(status_of("/fixpoint/behave?mode=dance"), 400);
  ASSERT_NO_FATAL_FAILURE(tell("die"));
  EXPECT_EQ(wait_for_end(), 1);
}

TEST_F(StandInProcess, EndsWhenItIsAskedToAlsoWhileItHangs) {
  ASSERT_NO_FATAL_FAILURE(start());
  ASSERT_NO_FATAL_FAILURE(tell("hang"));
  EXPECT_FALSE(ask("/info", std::chrono::milliseconds(50)).has_value());

  ASSERT_EQ(::kill(pid_, SIGTERM), 0);

  EXPECT_EQ(wait_for_end(), 0);
}

}  // namespace
}  // namespace fixpoint
