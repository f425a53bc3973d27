// SPDX-License-Identifier: Apache-2.0
#include "front/answers/negotiate.h"

#include <gtest/gtest.h>

namespace fixpoint::front {
namespace {

TEST(Negotiate, TakesTheAlternativeOfTheHighestQuality) {
  EXPECT_EQ(negotiate("application/json;q=0.1, application/yaml;q=0.9")->encoding, Encoding::Yaml);
  EXPECT_EQ(negotiate("text/html;q=0.9, application/yaml;q=0.8, */*;q=0.1")->encoding,
            Encoding::Yaml);
  EXPECT_EQ(negotiate("*/*, application/yaml")->encoding, Encoding::Yaml);
  EXPECT_EQ(negotiate("")->encoding, Encoding::Json);
}

TEST(Negotiate, KnowsBothVersionsOfTheTransformedForms) {
  const auto table = negotiate("application/json;as=Table;v=v1beta1;g=meta.k8s.io");
  ASSERT_TRUE(table.has_value());
  EXPECT_EQ(table->form, Form::Table);
  EXPECT_EQ(table->meta, MetaVersion::V1beta1);
  const auto fallback = negotiate("application/json;as=Table;v=v9;g=meta.k8s.io, application/json");
  ASSERT_TRUE(fallback.has_value());
  EXPECT_EQ(fallback->form, Form::Object);
}

TEST(Negotiate, SomeObjectsHaveNoTable) {
  constexpr std::string_view kTable = "application/json;as=Table;v=v1;g=meta.k8s.io";
  constexpr std::string_view kPartial =
      "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";

  EXPECT_FALSE(negotiate(kTable, Offer::Untabled).has_value());
  EXPECT_EQ(negotiate(std::string{kTable} + ", application/json", Offer::Untabled)->form,
            Form::Object);
  EXPECT_EQ(negotiate(kPartial, Offer::Untabled)->form, Form::PartialObject);
}

TEST(Negotiate, RefusesHalfATransformation) {
  EXPECT_FALSE(negotiate("application/json;v=v1").has_value());
  EXPECT_FALSE(negotiate("application/json;as=Table").has_value());
  EXPECT_FALSE(negotiate("application/yaml;stream=watch").has_value());
}

TEST(Negotiate, ShowsAStatusInAFormThatNeedsNoTransformation) {
  EXPECT_EQ(negotiate_status("application/yaml").encoding, Encoding::Yaml);
  EXPECT_EQ(negotiate_status("application/yaml;as=Table;v=v1;g=meta.k8s.io").encoding,
            Encoding::Json);
  EXPECT_EQ(negotiate_status("text/html").encoding, Encoding::Json);
}

TEST(Negotiate, RoutesOfBuiltinKindsWantATypeTheyProduceByItsFullName) {
  EXPECT_TRUE(check_routed("text/html, */*", Produces::Objects).has_value());
  EXPECT_TRUE(check_routed("application/json;as=Nope", Produces::Objects).has_value());
  const auto refused = check_routed("application/*", Produces::ObjectsAndStreams);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, 406);
  EXPECT_EQ(refused.error().message,
            "406: Not Acceptable\n\nAvailable representations: application/json, "
            "application/yaml, application/vnd.kubernetes.protobuf, application/json;stream=watch, "
            "application/vnd.kubernetes.protobuf;stream=watch");
}

TEST(Negotiate, FindsTheBestOfTheTypesThatADocumentComesIn) {
  constexpr std::string_view kTypes[] = {"application/json", "application/x@v1+protobuf"};
  EXPECT_EQ(best_accepted("", kTypes), 0U);
  EXPECT_EQ(best_accepted("*/*", kTypes), 0U);
  EXPECT_EQ(best_accepted("application/*;q=0.1, text/html", kTypes), 0U);
  EXPECT_EQ(best_accepted("application/x@v1+protobuf", kTypes), 1U);
  EXPECT_EQ(best_accepted("application/json;q=0.5, application/x@v1+protobuf", kTypes), 1U);
  EXPECT_EQ(best_accepted("application/x@v1+protobuf, application/json", kTypes), 1U);
  EXPECT_EQ(best_accepted("text/html, application/yaml", kTypes), std::nullopt);
}

TEST(Negotiate, PrettyIsWhatGoReadsAsTrue) {
  EXPECT_TRUE(wants_pretty("T", "kubectl"));
  EXPECT_FALSE(wants_pretty("yes", "curl/8"));
  EXPECT_TRUE(wants_pretty("", "curl/8"));
  EXPECT_FALSE(wants_pretty("", "kubectl"));
}

}  // namespace
}  // namespace fixpoint::front
