// SPDX-License-Identifier: Apache-2.0
//
// Objects for the tests of the cache: everything that its rules look at, in one line.
#pragma once

#include "client/collection.h"
#include "json/parsing/parse.h"
#include "json/value.h"
#include "kube/meta/gvk.h"
#include "kube/meta/metadata.h"

#include <cstdint>
#include <string>

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
    const auto text = version_text.empty() ? std::to_string(version) : version_text;
    const auto labels = app.empty() ? "" : R"("labels":{"app":")" + app + R"("},)";
    const auto owners = owner.empty() ? ""
                                      : R"("ownerReferences":[{"apiVersion":"v1","kind":"Owner",)"
                                        R"("name":"o","controller":true,"uid":")" +
                                            owner + R"("}],)";
    return json::parse(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{)" + labels + owners +
                       R"("name":")" + name + R"(","namespace":")" + ns +
                       R"(","resourceVersion":")" + text + R"(","uid":")" + uid +
                       R"("},"data":{"v":")" + text + R"("}})")
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
  return std::string{kube::name_of(object)} + "@" + std::string{kube::resource_version_of(object)};
}

}  // namespace fixpoint::runtime
