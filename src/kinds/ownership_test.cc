// SPDX-License-Identifier: Apache-2.0
//
// Who owns what after creating and after applying one object of every kind: the tables' struct and
// omitempty marks, list keys and atomic parts against a real kube-apiserver 1.34.4. The objects of
// ordinary creates are as they are before admission, which owns nothing of what it adds.
#include "base/thoroughness_for_tests.h"
#include "json/draft.h"
#include "json/print.h"
#include "kinds/kind.h"
#include "kube/ownership/managed_fields.h"
#include "kube/table_for_tests.h"

#include <string>
#include <thread>
#include <vector>

namespace fixpoint::kinds {
namespace {

kube::Writer writer_for(const Kind& kind) {
  kube::Writer writer;
  writer.schema = kind.schema();
  writer.kind = kind.gvk;
  writer.manager = "kk";
  if (kind.has_status) writer.reset_fields = {{"status"}};
  return writer;
}

json::Value written(const kube::Writer& writer, json::View row) {
  if (row.get("op").as_string() == "apply") {
    auto answer = kube::apply(writer, {}, row.get("sent"), kube::Force::No);
    EXPECT_TRUE(answer.has_value()) << (answer ? "" : answer.error().message);
    return answer ? *std::move(answer) : json::Value{};
  }
  json::Draft object(row.get("sent"));
  EXPECT_TRUE(kube::track_update(writer, {}, object).has_value());
  return object.freeze();
}

TEST(Ownership, OfEveryKindIsThatOfARealServer) {
  const json::Value rows = kube::read_table("kinds/ownership.json");
  ASSERT_GE(rows.size(), 70U);

  for (const json::View row : rows.view().elements()) {
    SCOPED_TRACE(kube::text_of(row.get("op")) + " " + kube::text_of(row.get("kind")));
    const auto version = kube::parse_group_version(row.get("apiVersion").as_string());
    const Kind* kind = find(
        kube::GroupVersionKind{version->group, version->version, kube::text_of(row.get("kind"))});
    ASSERT_NE(kind, nullptr);
    const json::Value object = written(writer_for(*kind), row);
    EXPECT_EQ(json::to_text(object.get("metadata", "managedFields")[0].get("fieldsV1")),
              json::to_text(row.get("owned")));
  }
}

// Every object that differs from this one in one place: another value, none, an empty one, one
// element less.
void add_variants(json::Draft& root, json::Draft& at, std::vector<json::Value>& out) {
  const auto with = [&](json::Draft other) {
    std::swap(at, other);
    out.push_back(root.freeze());
    std::swap(at, other);
  };
  switch (at.type()) {
    case json::Type::Null: return with("x");
    case json::Type::Bool: return with(!at.as_bool());
    case json::Type::Int:
    case json::Type::Float: with(0); return with(at.as_int() + 7);
    case json::Type::String:
      for (const auto* text : {"", "0", "0s", "another"}) with(text);
      return;
    case json::Type::Array:
      with(json::Draft::array());
      for (auto& element : at.elements()) add_variants(root, element, out);
      if (at.size() > 1) {
        json::Draft fewer = at;
        fewer.elements().pop_back();
        with(std::move(fewer));
      }
      return;
    case json::Type::Object:
      with(json::Draft::object());
      for (auto& [key, member] : at.members()) add_variants(root, member, out);
      for (std::size_t i = 0; i < at.size(); ++i) {
        json::Draft fewer = at;
        fewer.members().erase(fewer.members().begin() + static_cast<std::ptrdiff_t>(i));
        with(std::move(fewer));
      }
      return;
  }
}

std::string owned_in(const kube::Writer& writer, const json::Value& sent) {
  json::Draft object{sent};
  EXPECT_TRUE(kube::track_update(writer, {}, object).has_value());
  const json::Value tracked = object.freeze();
  return json::to_text(tracked.get("metadata", "managedFields"));
}

// What is remembered of objects belongs to a thread, so a new one remembers nothing.
std::string owned_in_a_new_thread(const kube::Writer& writer, const json::Value& sent) {
  std::string owned;
  std::thread([&] { owned = owned_in(writer, sent); }).join();
  return owned;
}

TEST(Ownership, OfANewObjectIsNotMistakenForThatOfOneLikeIt) {
  const json::Value rows = kube::read_table("kinds/ownership.json");
  std::size_t cases = 0;

  for (const json::View row : rows.view().elements()) {
    if (row.get("op").as_string() == "apply") continue;
    SCOPED_TRACE(kube::text_of(row.get("kind")));
    const auto version = kube::parse_group_version(row.get("apiVersion").as_string());
    const Kind* kind = find(
        kube::GroupVersionKind{version->group, version->version, kube::text_of(row.get("kind"))});
    ASSERT_NE(kind, nullptr);
    const auto writer = writer_for(*kind);
    json::Draft sent{row.get("sent")};
    std::vector<json::Value> variants;
    add_variants(sent, sent, variants);
    for (const auto& variant : variants) {
      if (cases++ % kCasesStride != 0) continue;
      const auto first = owned_in(writer, sent.freeze());  // remembered from here on
      ASSERT_EQ(first, owned_in(writer, sent.freeze()));
      ASSERT_EQ(owned_in(writer, variant), owned_in_a_new_thread(writer, variant))
          << json::to_text(variant);
    }
  }
  EXPECT_GE(cases, 1000U);
}

}  // namespace
}  // namespace fixpoint::kinds
