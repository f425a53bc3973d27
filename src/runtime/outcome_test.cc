// SPDX-License-Identifier: Apache-2.0
#include "runtime/outcome.h"

#include "runtime/reader.h"
#include "runtime/test_replies.h"

#include <gtest/gtest.h>

namespace fixpoint::runtime {
namespace {

TEST(Classify, SaysWhatToDoAboutEachRefusal) {
  EXPECT_EQ(classify(refused(409, "Conflict")).error_class, ErrorClass::Transient);
  EXPECT_EQ(classify(refused(422, "Invalid")).error_class, ErrorClass::Invalid);
  EXPECT_EQ(classify(refused(400, "BadRequest")).error_class, ErrorClass::Invalid);
  EXPECT_EQ(classify(refused(403, "Forbidden", "cannot create")).error_class,
            ErrorClass::Permanent);
  EXPECT_EQ(classify(refused(404, "NotFound")).error_class, ErrorClass::Transient);
  EXPECT_EQ(classify(refused(401, "Unauthorized")).error_class, ErrorClass::Transient);
  EXPECT_EQ(classify(refused(500, "InternalError")).error_class, ErrorClass::Transient);
  EXPECT_EQ(classify(refused(503, "ServiceUnavailable")).error_class, ErrorClass::Transient);
}

TEST(Classify, AUidThatIsAnotherByNowIsAConflict) {
  auto another = refused(422, "Invalid", "metadata.uid: Invalid value: field is immutable");
  another.status.details.emplace().causes.push_back({"FieldValueInvalid", "", "metadata.uid"});

  EXPECT_EQ(classify(another).error_class, ErrorClass::Transient);
  EXPECT_EQ(classify(another).reason, "Conflict");
}

TEST(Classify, ThrottledKeepsTheTimeTheServerNamed) {
  auto named = refused(429, "TooManyRequests");
  named.retry_after = std::chrono::seconds(7);

  EXPECT_EQ(classify(named).error_class, ErrorClass::Throttled);
  EXPECT_EQ(classify(named).retry_after, std::chrono::seconds(7));
  EXPECT_EQ(classify(refused(429, "TooManyRequests")).retry_after, std::chrono::seconds(1));
}

TEST(Classify, AQuotaIsSaidAndTriedSlowly) {
  const auto quota = classify(refused(403, "Forbidden", "exceeded quota: q, requested: pods=1"));

  EXPECT_EQ(quota.error_class, ErrorClass::Throttled);
  EXPECT_EQ(quota.reason, "QuotaExceeded");
  EXPECT_EQ(quota.retry_after, std::chrono::seconds(60));
}

TEST(Classify, CallsThatGotNoAnswerAreTransient) {
  const auto lost = classify({.fate = client::Fate::Unknown, .status = {.code = 0}});
  const auto unsent = classify({.fate = client::Fate::NotSent, .status = {.code = 0}});

  EXPECT_EQ(lost.error_class, ErrorClass::Transient);
  EXPECT_EQ(lost.reason, "OutcomeUnknown");
  EXPECT_EQ(unsent.error_class, ErrorClass::Transient);
}

TEST(Classify, ErrorsFromOutsideByTheirKind) {
  EXPECT_EQ(classify(Error{ErrorKind::Unavailable, "x"}).error_class, ErrorClass::Transient);
  EXPECT_EQ(classify(Error{ErrorKind::Invalid, "x"}).error_class, ErrorClass::Invalid);
  EXPECT_EQ(classify(Error{ErrorKind::Internal, "x"}).error_class, ErrorClass::Permanent);
}

TEST(Reader, TellsNotAnsweredYetFromUnavailable) {
  EXPECT_TRUE(still_asking(not_answered_yet()));
  EXPECT_FALSE(still_asking(Error{ErrorKind::Unavailable, "connection refused"}));
}

TEST(Outcomes, FindsTheFirstProblemOfABranch) {
  const Outcomes outcomes{
      {{.branch = "a", .step = 0, .state = StepState::Done},
       {.branch = "b", .step = 0, .state = StepState::Unchanged},
       {.branch = "b", .step = 1, .state = StepState::Failed}}
  };

  EXPECT_FALSE(outcomes.all_succeeded());
  EXPECT_EQ(outcomes.problem("a"), nullptr);
  EXPECT_EQ(outcomes.problem("b"), &outcomes.steps[2]);
  EXPECT_EQ(outcomes.problem(), &outcomes.steps[2]);
  EXPECT_EQ(outcomes.find("b", 0), &outcomes.steps[1]);
  EXPECT_TRUE(outcomes.wrote());
}

}  // namespace
}  // namespace fixpoint::runtime
