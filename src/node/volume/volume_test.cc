// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"
#include "node/pod/pod_for_tests.h"
#include "node/volume/file_tree.h"
#include "node/volume/volume_files.h"
#include "store/scratch_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fixpoint::node {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string content(const fs::path& path) {
  return read_file(path).value_or("");
}

class VolumeFiles : public testing::Test {
 protected:
  VolumeFiles() {
    sources_.put(R"({"kind":"ConfigMap","metadata":{"name":"c"},"data":{"a.conf":"A","b":"B"},
                     "binaryData":{"bin":"AAE="}})");
    sources_.put(R"({"kind":"Secret","metadata":{"name":"s"},"data":{"pw":"c2VjcmV0"}})");
  }
  Result<FileSet> of(std::string_view volume) {
    volume_ = parsed(volume);
    return files_of(volume_,
                    {.pod = pod_, .sources = sources_, .place = place_, .tokens = tokens_});
  }

  json::Value pod_ = pod_with(R"({"containers":[{"name":"a"}]})");
  json::Value volume_;
  FakeSources sources_;
  Place place_{.pod_ip = "127.1.0.9", .host_ip = "127.0.0.1"};
  std::string token_;
  Tokens tokens_ = [this](const TokenWish&) { return token_.empty() ? nullptr : &token_; };
};

TEST_F(VolumeFiles, AreTheKeysOfAConfigMapOrThoseThatAreListed) {
  const auto all = of(R"({"configMap":{"name":"c"}})");
  ASSERT_TRUE(all.has_value());
  EXPECT_EQ(all->size(), 3U);
  EXPECT_EQ(all->at("bin").bytes, std::string("\0\1", 2));

  const auto some =
      of(R"({"configMap":{"name":"c","items":[{"key":"b","path":"x/y","mode":256}]}})");
  ASSERT_TRUE(some.has_value());
  EXPECT_EQ(some->size(), 1U);
  EXPECT_EQ(some->at("x/y"), (FileContent{"B", 0400}));
}

TEST_F(VolumeFiles, SayWhatIsMissingUnlessItIsOptional) {
  EXPECT_EQ(of(R"({"configMap":{"name":"x"}})").error().message, "configmap \"x\" not found");
  EXPECT_EQ(of(R"({"secret":{"secretName":"x"}})").error().message, "secret \"x\" not found");
  EXPECT_EQ(of(R"({"configMap":{"name":"c","items":[{"key":"z","path":"z"}]}})").error().message,
            "configmap references non-existent config key: z");
  EXPECT_EQ(of(R"({"secret":{"secretName":"s","items":[{"key":"z","path":"z"}]}})").error().message,
            "references non-existent secret key: z");
  EXPECT_TRUE(of(R"({"secret":{"secretName":"x","optional":true}})").has_value());
}

TEST_F(VolumeFiles, ProjectSeveralSourcesAndWaitForTokens) {
  constexpr std::string_view kProjected = R"({"projected":{"defaultMode":292,"sources":[
      {"configMap":{"name":"c","items":[{"key":"b","path":"b"}]}},{"secret":{"name":"s"}},
      {"downwardAPI":{"items":[{"path":"ns","fieldRef":{"fieldPath":"metadata.namespace"}}]}},
      {"serviceAccountToken":{"path":"token","expirationSeconds":600}}]}})";
  EXPECT_EQ(of(kProjected).error().kind, ErrorKind::Unavailable);

  token_ = "T";
  const auto files = of(kProjected);

  ASSERT_TRUE(files.has_value()) << files.error().message;
  EXPECT_EQ(files->at("b"), (FileContent{"B", 0444}));
  EXPECT_EQ(files->at("pw").bytes, "secret");
  EXPECT_EQ(files->at("ns").bytes, "ns");
  EXPECT_EQ(files->at("token").bytes, "T");
  EXPECT_EQ(tokens_of(volume_), (std::vector<TokenWish>{
                                    {"", 600}
  }));
}

TEST_F(VolumeFiles, NeverLeadOutOfTheVolume) {
  for (const std::string_view path :
       {"../x", "a/../../x", "/etc/passwd", "", "a//b", "./a", "..x"}) {
    EXPECT_FALSE(check_file_path(path).has_value()) << path;
  }
  EXPECT_TRUE(check_file_path("a/..b/c").has_value());
}

class FileTree : public testing::Test {
 protected:
  store::ScratchDirectory scratch_ =
      *store::ScratchDirectory::make("test", std::filesystem::temp_directory_path());
  fs::path root_ = scratch_.path() / "volume";
};

TEST_F(FileTree, ChangesAllFilesByMovingOneLink) {
  ASSERT_EQ(write_file_set(root_,
                           {
                               {"a",   {"1", 0644}},
                               {"d/b", {"2", 0400}}
  }),
            true);
  EXPECT_EQ(content(root_ / "a"), "1");
  EXPECT_EQ(content(root_ / "d/b"), "2");
  EXPECT_EQ(fs::read_symlink(root_ / "a"), fs::path("..data/a"));
  const auto before = fs::read_symlink(root_ / "..data");

  EXPECT_EQ(write_file_set(root_,
                           {
                               {"a",   {"1", 0644}},
                               {"d/b", {"2", 0400}}
  }),
            false);
  EXPECT_EQ(fs::read_symlink(root_ / "..data"), before);

  ASSERT_EQ(write_file_set(root_,
                           {
                               {"a", {"3", 0644}}
  }),
            true);
  EXPECT_EQ(content(root_ / "a"), "3");
  EXPECT_FALSE(fs::exists(fs::symlink_status(root_ / "d")));
  EXPECT_FALSE(fs::exists(root_ / before));
}

TEST_F(FileTree, GivesFilesToTheGroupOfThePodWhereItMay) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  ASSERT_EQ(write_file_set(root_,
                           {
                               {"a", {"1", 0440}}
  },
                           10'000),
            true);

  struct stat info{};
  ASSERT_EQ(::stat((root_ / "a").c_str(), &info), 0);
  EXPECT_EQ(info.st_gid, 10'000U);
  EXPECT_EQ(info.st_uid, 0U);
  EXPECT_EQ(info.st_mode & 0777U, 0440U);
}

TEST_F(FileTree, RefusesASubPathThatLeadsOutByNameOrByLink) {
  fs::create_directories(root_);
  fs::create_directory_symlink(scratch_.path(), root_ / "out");

  EXPECT_TRUE(directory_below(root_, "x/y").has_value());
  EXPECT_TRUE(fs::is_directory(root_ / "x/y"));
  EXPECT_FALSE(directory_below(root_, "../x").has_value());
  EXPECT_THAT(directory_below(root_, "out/evil").error().message, HasSubstr("leads out"));
  EXPECT_FALSE(fs::exists(scratch_.path() / "evil"));
}

}  // namespace
}  // namespace fixpoint::node
