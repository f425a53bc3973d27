// SPDX-License-Identifier: Apache-2.0
//
// What each call is on the wire; and the retry policy, asked about everything.
#include "client/http/outgoing.h"

#include "client/http/answer.h"
#include "client/http/retry.h"
#include "json/parsing/parse.h"

#include <gtest/gtest.h>

namespace fixpoint::client {
namespace {

using namespace std::chrono_literals;

const Resource kDeployments{
    .kind = {"apps", "v1", "Deployment"},
      .plural = "deployments"
};
const Resource kNodes{
    .kind = {"", "v1", "Node"},
      .plural = "nodes", .scope = Scope::Cluster
};

std::string shown(const Outgoing& out) {
  return out.method + " " + out.target + (out.content_type.empty() ? "" : " " + out.content_type) +
         (out.body.empty() ? "" : " " + out.body);
}

TEST(Outgoing, WritesSayWhoAndHow) {
  const auto body = *json::parse(R"({"a":1})");
  Call call{
      .verb = Verb::Apply,
      .resource = kDeployments,
      .key = {"n", "d"},
      .subresource = "status",
      .body = body,
      .field_manager = "me & you",
      .force = Force::Yes,
      .dry_run = DryRun::Yes,
      .field_validation = FieldValidation::Strict
  };

  EXPECT_EQ(shown(outgoing(call)),
            "PATCH /apis/apps/v1/namespaces/n/deployments/d/status?fieldManager=me%20%26%20you"
            "&fieldValidation=Strict&dryRun=All&force=true application/apply-patch+yaml {\"a\":1}");
  call = {
      .verb = Verb::Update, .resource = kNodes, .key = {"", "x"},
              .body = body
  };
  EXPECT_EQ(shown(outgoing(call)), "PUT /api/v1/nodes/x application/json {\"a\":1}");
  call = {
      .verb = Verb::Create, .resource = kNodes, .key = {"ignored", ""},
              .body = body
  };
  EXPECT_EQ(shown(outgoing(call)), "POST /api/v1/nodes application/json {\"a\":1}");
}

TEST(Outgoing, EveryPatchTypeHasItsContentType) {
  Call call{
      .verb = Verb::Patch, .resource = kNodes, .key = {"", "x"},
              .body = *json::parse("[]")
  };
  const auto type = [&](PatchType patch) {
    call.patch_type = patch;
    return outgoing(call).content_type;
  };

  EXPECT_EQ(type(PatchType::Json), "application/json-patch+json");
  EXPECT_EQ(type(PatchType::Merge), "application/merge-patch+json");
  EXPECT_EQ(type(PatchType::Strategic), "application/strategic-merge-patch+json");
  EXPECT_EQ(outgoing(call).verb, "patch");
}

TEST(Outgoing, DeletesCarryTheirConditions) {
  Call call{
      .verb = Verb::Delete, .resource = kDeployments, .key = {"n", "d"}
  };
  EXPECT_EQ(shown(outgoing(call)), "DELETE /apis/apps/v1/namespaces/n/deployments/d");

  call.preconditions = {.uid = "u", .resource_version = "7"};
  call.propagation = Propagation::Foreground;
  call.grace_seconds = 0;
  call.dry_run = DryRun::Yes;
  EXPECT_EQ(outgoing(call).body,
            R"({"apiVersion":"v1","dryRun":["All"],"gracePeriodSeconds":0,"kind":"DeleteOptions",)"
            R"("preconditions":{"resourceVersion":"7","uid":"u"},)"
            R"("propagationPolicy":"Foreground"})");

  call = {
      .verb = Verb::DeleteCollection,
      .resource = kDeployments,
      .key = {"n",             ""                         },
      .selector = {.labels = "a=b", .fields = "metadata.name=c"}
  };
  EXPECT_EQ(shown(outgoing(call)),
            "DELETE /apis/apps/v1/namespaces/n/deployments?labelSelector=a%3Db"
            "&fieldSelector=metadata.name%3Dc");
}

TEST(Outgoing, NamesCannotLeaveTheirPlaceInThePath) {
  const Call call{
      .resource = kDeployments, .key = {"n/../m", "a?b#c/%"}
  };

  EXPECT_EQ(outgoing(call).target,
            "/apis/apps/v1/namespaces/n%2F..%2Fm/deployments/a%3Fb%23c%2F%25");
}

TEST(Outgoing, MetadataOnlyIsAskedForByType) {
  ListCall call{
      .collection = {.resource = kNodes, .metadata_only = true},
        .limit = 0
  };

  EXPECT_EQ(outgoing(call).target, "/api/v1/nodes");
  EXPECT_TRUE(outgoing(call).accept.contains("as=PartialObjectMetadataList"));
  EXPECT_TRUE(outgoing(WatchCall{.collection = call.collection})
                  .accept.contains("as=PartialObjectMetadata;"));
}

TEST(Outgoing, AContinuedListAsksForNoVersion) {
  const ListCall call{.collection = {.resource = kNodes},
                      .continue_token = "t/=",
                      .resource_version = "7",
                      .resource_version_match = "Exact"};

  EXPECT_EQ(outgoing(call).target, "/api/v1/nodes?limit=500&continue=t%2F%3D");
}

using How = Attempted::How;

TEST(Retry, WritesAreRepeatedOnlyWhenNothingCanHaveBeenDone) {
  Rng rng{1};
  const auto again = [&](Attempted attempt) { return retry_delay(attempt, rng).has_value(); };

  EXPECT_TRUE(again({.how = How::Unsent}));
  EXPECT_FALSE(again({.how = How::Broken}));
  EXPECT_TRUE(again({.code = 429, .retry_after = 1s}));
  EXPECT_TRUE(again({.code = 503, .retry_after = 1s}));
  EXPECT_FALSE(again({.code = 429}));
  for (const int code : {400, 401, 403, 404, 409, 410, 422, 500, 502, 503, 504}) {
    EXPECT_FALSE(again({.code = code})) << code;
  }
  EXPECT_FALSE(again({.code = 500, .retry_after = 1s}));
  EXPECT_FALSE(again({.code = 504, .retry_after = 1s}));
}

TEST(Retry, TheTimeToWaitIsANumberOrADate) {
  const auto read = [](net::Headers headers) { return retry_after_of(headers); };
  constexpr auto kNow = "Sun, 06 Nov 1994 08:49:37 GMT";

  EXPECT_EQ(read({
                {"retry-after", "17"}
  }),
            Duration{17s});
  EXPECT_EQ(read({
                {"retry-after", "Sun, 06 Nov 1994 08:51:37 GMT"},
                {"date",        kNow                           }
  }),
            Duration{120s});
  EXPECT_EQ(read({
                {"retry-after", "Sun, 06 Nov 1994 08:40:00 GMT"},
                {"date",        kNow                           }
  }),
            Duration{0s});
  EXPECT_EQ(read({
                {"retry-after", "Mon, 06 Nov 2034 08:40:00 GMT"},
                {"date",        kNow                           }
  }),
            Duration{24h});
  EXPECT_FALSE(read({
      {"retry-after", "Sun, 06 Nov 1994 08:51:37 GMT"}
  }))
      << "of which clock?";
  EXPECT_FALSE(read({
      {"retry-after", "soon"},
      {"date",        kNow  }
  }));
  EXPECT_FALSE(read({}));
}

TEST(Retry, ReadsAreRepeatedWhileItMayHelp) {
  Rng rng{1};
  const auto again = [&](Attempted attempt) {
    attempt.is_read = true;
    return retry_delay(attempt, rng).has_value();
  };

  EXPECT_TRUE(again({.how = How::Broken}));
  for (const int code : {429, 502, 503, 504}) EXPECT_TRUE(again({.code = code})) << code;
  for (const int code : {400, 401, 403, 404, 410, 500}) EXPECT_FALSE(again({.code = code})) << code;
  EXPECT_TRUE(again({.code = 500, .retry_after = 0s}));
  EXPECT_FALSE(again({.how = How::Unsent, .tries = kTriesMax}));
}

TEST(Retry, WaitsGrowAreSpreadAndHonourTheServer) {
  Rng rng{1};
  for (int tries = 1; tries < kTriesMax; ++tries) {
    const auto whole = std::min<Duration>(kBackoffMax, kFirstBackoff * (1 << (tries - 1)));
    const auto delay = *retry_delay({.how = How::Unsent, .tries = tries}, rng);
    EXPECT_GE(delay, whole / 2);
    EXPECT_LE(delay, whole * 3 / 2);
    const auto asked = *retry_delay({.code = 429, .retry_after = 8s, .tries = tries}, rng);
    EXPECT_GE(asked, 8s);
    EXPECT_LE(asked, 11s);
  }
}

}  // namespace
}  // namespace fixpoint::client
