// SPDX-License-Identifier: Apache-2.0
#include "front/pages/health.h"

#include <gtest/gtest.h>

namespace fixpoint::front {
namespace {

std::optional<Error> fine() {
  return std::nullopt;
}

std::optional<Error> full() {
  return Error{.kind = ErrorKind::Unavailable, .message = "no space left"};
}

TEST(Health, SaysOkOrListsItsChecks) {
  EXPECT_EQ(health_at("/readyz", {}, fine)->text, "ok");
  EXPECT_EQ(health_at("/livez",
                      {
                          {"verbose", ""}
  },
                      fine)
                ->text,
            "[+]ping ok\n[+]log ok\n[+]store ok\nlivez check passed\n");
}

TEST(Health, IsNotReadyWhileTheDiskRefusesWrites) {
  const auto ready = health_at("/readyz", {}, full);

  EXPECT_EQ(ready->code, 500);
  EXPECT_EQ(ready->text,
            "[+]ping ok\n[+]log ok\n[+]store ok\n[-]durable-log failed: reason withheld\n"
            "readyz check failed\n");
  EXPECT_EQ(health_at("/livez", {}, full)->code, 200);
  EXPECT_EQ(health_at("/readyz/durable-log", {}, full)->text,
            "internal server error: no space left\n");
}

TEST(Health, LeavesOutWhatIsExcludedAndNamesWhatItDoesNotKnow) {
  const apiserver::Query query{
      {"exclude", "durable-log"},
      {"exclude", "bogus"      },
      {"verbose", "1"          }
  };

  const auto ready = health_at("/readyz", query, full);

  EXPECT_EQ(ready->code, 200);
  EXPECT_EQ(ready->text,
            "[+]ping ok\n[+]log ok\n[+]store ok\n[+]durable-log excluded: ok\n"
            "warn: some health checks cannot be excluded: no matches for \"bogus\"\n"
            "readyz check passed\n");
}

TEST(Health, HasNoPageForChecksThereAreNot) {
  EXPECT_FALSE(health_at("/healthz/bogus", {}, fine).has_value());
  EXPECT_FALSE(health_at("/healthz/", {}, fine).has_value());
  EXPECT_EQ(health_at("/healthz/ping", {}, fine)->text, "ok");
}

}  // namespace
}  // namespace fixpoint::front
