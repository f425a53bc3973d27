// SPDX-License-Identifier: Apache-2.0
//
// Ownership and apply against what a real kube-apiserver 1.34.4 did: each row of the table is one
// request with the object before it and the answer, times included.
#include "base/rfc3339.h"
#include "json/draft.h"
#include "json/print.h"
#include "kube/ownership/managed_fields.h"
#include "kube/ownership/within_for_tests.h"
#include "kube/schema/schema_for_tests.h"
#include "kube/table_for_tests.h"

#include <algorithm>

namespace fixpoint::kube {
namespace {

// The time of the request: the newest one in the answer, or, if nothing changed, one that no entry
// may show.
Instant time_of_request(json::View before, json::View after) {
  Instant newest{};
  for (const json::View entry : after.get("metadata", "managedFields").elements())
    if (const auto at = parse_rfc3339(entry.get("time").as_string()))
      newest = std::max(newest, *at);
  return before == after ? newest + std::chrono::hours(1) : newest;
}

GroupVersionKind kind_of(json::View row) {
  const auto version = parse_group_version(row.get("apiVersion").as_string());
  return {version->group, version->version, text_of(row.get("kind"))};
}

std::vector<std::vector<std::string>> reset_fields(json::View row) {
  if (row.get("kind").as_string() != "Thing") return {};
  if (row.get("subresource").as_string() == "status") return {{"spec"}, {"metadata"}};
  return {{"status"}};
}

Writer writer_of(const TestSchemas& schemas, json::View row) {
  Writer writer;
  writer.schema = &schemas.of(text_of(row.get("kind")));
  writer.kind = kind_of(row);
  writer.manager = row.get("manager").as_string();
  writer.subresource = row.get("subresource").as_string();
  writer.now = time_of_request(row.get("live"), row.get("object"));
  writer.reset_fields = reset_fields(row);
  return writer;
}

void expect_status(const Status& status, json::View row) {
  EXPECT_EQ(status.code, row.get("code").as_int());
  EXPECT_EQ(status.message, text_of(row.get("status", "message")));
  EXPECT_EQ(status.reason, text_of(row.get("status", "reason")));
  const json::View causes = row.get("status", "details", "causes");
  ASSERT_EQ(status.details ? status.details->causes.size() : 0U, causes.size());
  for (std::size_t i = 0; i < causes.size(); ++i) {
    EXPECT_EQ(status.details->causes[i].reason, text_of(causes[i].get("reason")));
    EXPECT_EQ(status.details->causes[i].message, text_of(causes[i].get("message")));
    EXPECT_EQ(status.details->causes[i].field, text_of(causes[i].get("field")));
  }
}

void expect_ownership(json::View ours, json::View theirs) {
  EXPECT_EQ(json::to_text(ours.get("metadata", "managedFields")),
            json::to_text(theirs.get("metadata", "managedFields")));
}

json::Value without_managed_fields(json::View object) {
  json::Draft draft(object);
  draft.object_at("metadata").erase("managedFields");
  return draft.freeze();
}

// The part that this endpoint does not reset afterwards.
json::Value written_part(const Writer& writer, json::View object) {
  json::Draft draft(without_managed_fields(object));
  for (const auto& path : writer.reset_fields) draft.erase(path.front());
  return draft.freeze();
}

void replay_apply(const Writer& writer, json::View row) {
  const Force force = row.get("op").as_string() == "force" ? Force::Yes : Force::No;
  const auto answer = apply(writer, row.get("live"), row.get("config"), force);
  if (row.get("code").as_int() >= 300) {
    ASSERT_FALSE(answer.has_value()) << json::to_text(*answer);
    expect_status(answer.error(), row);
    return;
  }
  ASSERT_TRUE(answer.has_value()) << answer.error().message;
  json::Draft stored(*answer);
  keep_unchanged_times(row.get("live"), stored);
  const json::Value object = stored.freeze();
  expect_ownership(object, row.get("object"));
  const json::Value ours = written_part(writer, object);
  const json::Value theirs = written_part(writer, row.get("object"));
  expect_within(ours, theirs, "");
  // Only a custom resource comes back without defaults of its kind.
  if (row.contains("live") && writer.schema->go_kind == GoKind::None)
    expect_within(theirs, ours, "");
}

void replay_update(const Writer& writer, json::View row) {
  json::Draft object(without_managed_fields(row.get("object")));
  if (const auto sent = row.find("sentManagedFields"))
    object["metadata"]["managedFields"] = json::Draft(*sent);
  ASSERT_TRUE(track_update(writer, row.get("live"), object).has_value());
  keep_unchanged_times(row.get("live"), object);
  const json::Value tracked = object.freeze();
  expect_ownership(tracked, row.get("object"));
}

TEST(RecordedApply, OwnersAndObjectsAreThoseOfARealServer) {
  const json::Value table = read_table("kube/apply.json");
  const TestSchemas schemas(table.get("schemas"));
  ASSERT_GT(table.get("rows").size(), 100U);

  for (const json::View row : table.get("rows").elements()) {
    SCOPED_TRACE(text_of(row.get("title")));
    const Writer writer = writer_of(schemas, row);
    if (row.get("op").as_string() == "update") {
      replay_update(writer, row);
    } else {
      replay_apply(writer, row);
    }
  }
}

}  // namespace
}  // namespace fixpoint::kube
