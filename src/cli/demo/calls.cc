// SPDX-License-Identifier: Apache-2.0
#include "cli/demo/calls.h"

#include <utility>

#include <fmt/format.h>

namespace fixpoint::cli::demo {

std::unexpected<Error> wrong(std::string message) {
  return fail(ErrorKind::Internal, std::move(message));
}

Call get(std::string_view target) {
  return {.target = std::string{target}};
}
Call get_table(std::string_view target) {
  return {.target = std::string{target}, .accept = std::string{kAsTable}};
}
Call merge_patch(std::string_view target, std::string_view body) {
  return {.method = "PATCH",
          .target = std::string{target},
          .body = std::string{body},
          .content_type = std::string{kMergePatch}};
}
Call post(std::string_view target, std::string body) {
  return {.method = "POST", .target = std::string{target}, .body = std::move(body)};
}
Call remove(std::string_view target) {
  return {.method = "DELETE", .target = std::string{target}};
}

Result<json::Value> apply(Session& session, std::string_view target, std::string_view yaml,
                          std::string_view manager) {
  FP_TRY(reply, session.call({.method = "PATCH",
                              .target = fmt::format("{}?fieldManager={}", target, manager),
                              .body = std::string{yaml},
                              .content_type = std::string{kApplyYaml}}));
  if (reply.status == 200 || reply.status == 201) return reply.body;
  return wrong(fmt::format("apply of {} was answered {}: {}", target, reply.status,
                           reply.body.get("message").as_string()));
}

Result<void> show_table(Session& session, const Page& page, std::string_view target) {
  FP_TRY(table, session.expect(200, get_table(target)));
  if (table.get("kind").as_string() != "Table") return wrong("no Table was answered");
  page.table(rows_of(table));
  return {};
}

Result<json::Value> until(Session& session, std::string_view what, std::string_view collection,
                          std::string_view name, const Holds& holds) {
  json::Value found;
  bool done = false;
  const auto watching = session.watch(
      get(fmt::format("{}?watch=true&fieldSelector=metadata.name%3D{}", collection, name)),
      [&](json::View event) {
        const auto object = event.get("object");
        if (done || event.get("type").as_string() == "DELETED" || !holds(object)) return;
        found = json::Value(object);
        done = true;
      });
  FP_TRY_VOID(session.wait(what, [&] { return done; }));
  return found;
}

}  // namespace fixpoint::cli::demo
