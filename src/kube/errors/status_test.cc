// SPDX-License-Identifier: Apache-2.0
#include "kube/errors/status.h"

#include "json/parsing/parse.h"
#include "json/print.h"

#include <gtest/gtest.h>

namespace fixpoint::kube {
namespace {

std::string status_text(const Status& status) {
  const auto body = to_json(status);
  return json::to_text(body);
}

TEST(Gvk, PrintsAndParsesGroupVersions) {
  EXPECT_EQ((GroupVersion{"apps", "v1"}.api_version()), "apps/v1");
  EXPECT_EQ((GroupVersion{"", "v1"}.api_version()), "v1");
  EXPECT_EQ((GroupKind{"apps", "Deployment"}.to_string()), "Deployment.apps");
  EXPECT_EQ((GroupVersionKind{"", "v1", "Event"}.to_string()), "/v1, Kind=Event");
  EXPECT_EQ(*parse_group_version("apps/v1"), (GroupVersion{"apps", "v1"}));
  EXPECT_EQ(*parse_group_version("v1"), (GroupVersion{"", "v1"}));
  EXPECT_EQ(parse_group_version("a/b/c").error().message, "unexpected GroupVersion string: a/b/c");
}

TEST(FieldPath, PrintsChildrenKeysAndIndexes) {
  const FieldPath spec{"spec"};
  const FieldPath ports = spec.child("ports");
  const FieldPath first = ports.index(0);
  EXPECT_EQ(first.child("name").to_string(), "spec.ports[0].name");
  EXPECT_EQ(spec.key("a.b").to_string(), "spec[a.b]");
  EXPECT_EQ(FieldPath{}.to_string(), "<nil>");
  const FieldPath root;
  EXPECT_EQ(root.child("values").to_string(), "values");
}

TEST(FieldError, ReadsAsARealServerWritesIt) {
  const FieldPath path{"spec"};
  const auto three = json::Value::integer(3);
  const auto word = json::Value::string("a\"b");
  EXPECT_EQ(required(path, "").to_string(), "spec: Required value");
  EXPECT_EQ(invalid(path, three, "must be less").to_string(),
            "spec: Invalid value: 3: must be less");
  EXPECT_EQ(duplicate(path, word).to_string(), "spec: Duplicate value: \"a\\\"b\"");
  EXPECT_EQ(too_long(path, 1).to_string(), "spec: Too long: may not be more than 1 byte");
  EXPECT_EQ(too_many(path, 3, 2).to_string(), "spec: Too many: 3: must have at most 2 items");
  EXPECT_EQ(not_supported(path, word, {"x", "y"}).to_string(),
            "spec: Unsupported value: \"a\\\"b\": supported values: \"x\", \"y\"");
  EXPECT_EQ(forbidden(path, "no").to_string(), "spec: Forbidden: no");
}

TEST(Status, NamesTheResource) {
  EXPECT_EQ(status_text(not_found({"apps", "deployments"}, "web")),
            R"({"apiVersion":"v1","code":404,"details":{"group":"apps","kind":"deployments",)"
            R"("name":"web"},"kind":"Status","message":"deployments.apps \"web\" not found",)"
            R"("metadata":{},"reason":"NotFound","status":"Failure"})");
  EXPECT_EQ(already_exists({"", "pods"}, "p").message, "pods \"p\" already exists");
  EXPECT_EQ(
      conflict_modified({"", "pods"}, "p").message,
      "Operation cannot be fulfilled on pods \"p\": the object has been modified; please apply "
      "your changes to the latest version and try again");
  EXPECT_EQ(forbidden({"", "pods"}, "", "no").message, "pods is forbidden: no");
  EXPECT_EQ(forbidden({"", ""}, "", "no").message, "forbidden: no");
}

TEST(Status, AnUnknownPathHasEmptyDetails) {
  EXPECT_EQ(status_text(not_found_path()),
            R"({"apiVersion":"v1","code":404,"details":{},"kind":"Status","message":)"
            R"("the server could not find the requested resource","metadata":{},)"
            R"("reason":"NotFound","status":"Failure"})");
  EXPECT_FALSE(bad_request("x").details);
}

TEST(Status, GathersFieldErrorsAndSaysEqualOnesOnce) {
  const FieldPath path{"spec"};
  const auto one = invalid({"", "Pod"}, "p", {required(path, "")});
  const auto three = invalid({"apps", "Deployment"}, "d",
                             {required(path, ""), required(path, ""), forbidden(path, "no")});

  EXPECT_EQ(one.message, "Pod \"p\" is invalid: spec: Required value");
  EXPECT_EQ(three.message,
            "Deployment.apps \"d\" is invalid: [spec: Required value, spec: Forbidden: no]");
  ASSERT_EQ(three.details->causes.size(), 3U);
  EXPECT_EQ(three.details->causes[2].reason, "FieldValueForbidden");
  EXPECT_EQ(three.details->causes[2].message, "Forbidden: no");
  EXPECT_EQ(three.details->causes[2].field, "spec");
}

TEST(Status, AResourceVersionFromTheFutureAsksToTryAgain) {
  const auto status = too_large_resource_version(9, 5);
  EXPECT_EQ(status.message, "Timeout: Too large resource version: 9, current: 5");
  EXPECT_EQ(status.details->retry_after_seconds, 1);
  EXPECT_EQ(status.details->causes.at(0).reason, "ResourceVersionTooLarge");
}

}  // namespace
}  // namespace fixpoint::kube
