// SPDX-License-Identifier: Apache-2.0
//
// A YAML document as libyaml's events describe it, before anything is interpreted.
#pragma once

#include "base/error.h"

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::json {

struct YamlNode {
  enum class Kind : std::uint8_t { Scalar, Sequence, Mapping, Alias };
  Kind kind = Kind::Scalar;
  bool implicit = false;                  // a plain scalar without a tag
  std::size_t line = 0;                   // counted from 0
  std::string tag;                        // in full; empty if none was given
  std::string value;                      // of a scalar; the name of an alias
  std::vector<const YamlNode*> children;  // elements, or keys and values by turns
  const YamlNode* target = nullptr;       // of an alias
};

struct YamlDocument {
  std::deque<YamlNode> nodes;  // owns them all
  const YamlNode* root = nullptr;
};

// Reads a stream one document at a time.
class YamlReader {
 public:
  explicit YamlReader(std::string_view text);
  ~YamlReader();
  YamlReader(const YamlReader&) = delete;
  YamlReader& operator=(const YamlReader&) = delete;

  // The next document, or nothing at the end of the stream.
  Result<std::optional<YamlDocument>> next();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fixpoint::json
