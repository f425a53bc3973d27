// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/gen.h"

#include "base/error.h"
#include "json/parsing/parse.h"
#include "json/patch/merge_patch.h"
#include "json/print.h"
#include "tests/conformance/area.h"

#include <algorithm>

namespace fixpoint::conformance {
namespace {

Step step(std::string method, std::string path, std::string body = {}, std::string query = {}) {
  Step made;
  made.method = std::move(method);
  made.path = std::move(path);
  made.body = std::move(body);
  made.query = std::move(query);
  return made;
}

}  // namespace

std::string to_text(const Step& step) {
  auto text = step.method + " " + step.path;
  if (!step.query.empty()) text += "?" + step.query;
  return text;
}

const Sort& sort(std::string_view resource) {
  const auto all = sorts();
  const auto at = std::ranges::find(all, resource, &Sort::resource);
  FP_CHECK(at != all.end());
  return *at;
}

std::string collection(const Sort& sort) {
  std::string path = sort.group_version.contains('/') ? "/apis/" : "/api/";
  path += sort.group_version;
  if (sort.namespaced) path += "/namespaces/<<ns>>";
  return path + "/" + std::string{sort.resource};
}

std::string name_in(const Sort& sort, std::string_view name) {
  return sort.namespaced ? std::string{name} : "<<id>>-" + std::string{name};
}

std::string item(const Sort& sort, std::string_view name) {
  return collection(sort) + "/" + name_in(sort, name);
}

json::Value object(const Sort& sort, std::string_view name, json::View metadata) {
  const auto body = json::parse(sort.body.empty() ? "{}" : sort.body);
  FP_CHECK(body.has_value());
  json::Draft made{*body};
  made["apiVersion"] = sort.group_version;
  made["kind"] = sort.kind;
  json::Draft fields = made.contains("metadata") ? *made.find("metadata") : json::Draft::object();
  if (!name.empty()) fields["name"] = name_in(sort, name);
  json::Value merged = fields.freeze();
  if (!metadata.is_null()) merged = json::apply_merge_patch(merged, metadata);
  made["metadata"] = merged;
  return made.freeze();
}

Step create(const Sort& sort, const json::Value& body) {
  return step("POST", collection(sort), json::to_text(body, json::Escape::Plain));
}

Step get(const Sort& sort, std::string_view name) {
  return step("GET", item(sort, name));
}

Step update(const Sort& sort, std::string_view name, std::string change) {
  auto made = step("PUT", item(sort, name), std::move(change));
  made.base = made.path;
  return made;
}

Step patch_of_type(const Sort& sort, std::string_view name, std::string body,
                   std::string_view type) {
  auto made = step("PATCH", item(sort, name), std::move(body));
  made.content_type = type;
  return made;
}

Step merge_patch(const Sort& sort, std::string_view name, std::string body) {
  return patch_of_type(sort, name, std::move(body), "application/merge-patch+json");
}

Step json_patch(const Sort& sort, std::string_view name, std::string body) {
  return patch_of_type(sort, name, std::move(body), "application/json-patch+json");
}

Step strategic_patch(const Sort& sort, std::string_view name, std::string body) {
  return patch_of_type(sort, name, std::move(body), "application/strategic-merge-patch+json");
}

Step apply(const Sort& sort, std::string_view name, std::string body, std::string_view manager,
           bool force) {
  auto made = patch_of_type(sort, name, std::move(body), "application/apply-patch+yaml");
  if (!manager.empty()) made.query = "fieldManager=" + std::string{manager};
  return force ? with(std::move(made), "force=true") : made;
}

Step remove(const Sort& sort, std::string_view name, std::string options) {
  return step("DELETE", item(sort, name), std::move(options));
}

Step remove_collection(const Sort& sort, std::string query) {
  return step("DELETE", collection(sort), {}, std::move(query));
}

Step list(const Sort& sort, std::string query) {
  return step("GET", collection(sort), {}, std::move(query));
}

Step watch(const Sort& sort, std::string query) {
  return step("WATCH", collection(sort), {}, std::move(query));
}

Step on(Step made, std::string_view subresource) {
  made.path += "/" + std::string{subresource};
  return made;
}

Step with(Step made, std::string_view query) {
  if (!made.query.empty()) made.query += "&";
  made.query += query;
  return made;
}

Sequence make_sequence(const Area& area, std::uint64_t seed) {
  Gen gen{seed};
  auto sequence = area.make(gen);
  sequence.area = area.name;
  sequence.seed = seed;
  return sequence;
}

}  // namespace fixpoint::conformance
