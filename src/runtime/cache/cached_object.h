// SPDX-License-Identifier: Apache-2.0
//
// Objects for the tests of the cache: everything that its rules look at, in one line.
#pragma once

#include "client/collection.h"
#include "json/parse.h"
#include "json/value.h"
#include "kube/gvk.h"
#include "kube/metadata.h"

#include <cstdint>
#include <string>

#include <fmt/format.h>

namespace fixpoint::runtime {

struct CachedObject {
  std::string ns = "default";
  std::string name = "a";
  std::string uid = "u1";
  std::uint64_t version = 1;
  std::string app;           // label; empty: none
  std::string owner;         // uid of the controller; empty: none
  std::string version_text;  // instead of `version`

  json::Value value() const {
    const auto labels = app.empty() ? "" : fmt::format(R"("labels":{{"app":"{}"}},)", app);
    const auto owners =
        owner.empty() ? ""
                      : fmt::format(R"("ownerReferences":[{{"apiVersion":"v1","kind":"Owner",)"
                                    R"("name":"o","uid":"{}","controller":true}}],)",
                                    owner);
    const auto text = version_text.empty() ? std::to_string(version) : version_text;
    return json::parse(fmt::format(R"({{"apiVersion":"v1","kind":"ConfigMap","metadata":{{{}{})"
                                   R"("name":"{}","namespace":"{}","resourceVersion":"{}",)"
                                   R"("uid":"{}"}},"data":{{"v":"{}"}}}})",
                                   labels, owners, name, ns, text, uid, text))
        .value();
  }
  operator json::Value() const { return value(); }  // NOLINT: tests read better
};

inline client::Collection config_maps(std::string ns = {}, client::Selector selector = {}) {
  return {
      .resource = {.kind = {"", "v1", "ConfigMap"}, .plural = "configmaps"},
      .ns = std::move(ns),
      .selector = std::move(selector)
  };
}

// "name@version", or "-" for null.
inline std::string brief(json::View object) {
  if (object.is_null()) return "-";
  return fmt::format("{}@{}", kube::name_of(object), kube::resource_version_of(object));
}

}  // namespace fixpoint::runtime
