// SPDX-License-Identifier: Apache-2.0
//
// Memory: what one server told during one sequence, for the placeholders of its later steps.
#pragma once

#include "json/value.h"
#include "tests/conformance/server.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::conformance {

class Memory {
 public:
  Memory(std::string ns, std::string id) : ns_(std::move(ns)), id_(std::move(id)) {}

  void learn(const Call& call, const Answer& answer);
  // `text` with its placeholders filled in.
  std::string fill(std::string_view text) const;
  // The newest object seen at this path (placeholders allowed); null if none was.
  json::Value newest(std::string_view path) const;
  std::string namespace_path() const { return "/api/v1/namespaces/" + ns_; }

 private:
  struct Seen {
    json::Value object;
    std::string uid;
    std::vector<std::string> versions;  // each once, oldest first
  };
  void learn_object(const std::string& path, json::View object);
  std::string value_of(std::string_view placeholder) const;
  const Seen* find(std::string_view path) const;

  std::string ns_;
  std::string id_;
  std::map<std::string, Seen, std::less<>> seen_;
  std::string continue_ = "unknown";
  std::string listed_;
};

}  // namespace fixpoint::conformance
