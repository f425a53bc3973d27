// SPDX-License-Identifier: Apache-2.0
//
// Gen: seeded choices, and the requests that most areas need. The same seed makes the same sequence
// on every machine.
#pragma once

#include "base/rng.h"
#include "json/draft.h"
#include "json/value.h"
#include "tests/conformance/step.h"

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::conformance {

class Gen {
 public:
  explicit Gen(std::uint64_t seed) : rng_(seed) {}

  bool chance(int percent) { return rng_.below(100) < static_cast<std::uint64_t>(percent); }
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(rng_.below(static_cast<std::uint64_t>(high - low + 1)));
  }
  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[rng_.below(from.size())];
  }
  std::string pick(std::initializer_list<std::string_view> from) {
    return std::string{from.begin()[rng_.below(from.size())]};
  }
  std::uint64_t next() { return rng_.next(); }

 private:
  Rng rng_;
};

// One kind as areas speak of it: where it lives and a body that every server takes.
struct Sort {
  std::string_view group_version;  // "v1", "apps/v1"
  std::string_view kind;
  std::string_view resource;
  bool namespaced = true;
  // The body but for apiVersion, kind and metadata; `<<ns>>` and `<<id>>` allowed.
  std::string_view body;
  // A merge patch that every server takes, for kinds whose objects can change; else empty.
  std::string_view change;
  bool has_status = false;
  bool expensive = false;  // definitions, webhooks…: rare, they slow a real server down
};

// Every built-in kind that can be created, and the custom kinds of setup.h.
std::span<const Sort> sorts();
const Sort& sort(std::string_view resource);

// "/api/v1/namespaces/<<ns>>/configmaps" and one item of it. Names of what lives in no namespace
// get the sequence's id in front: "<<id>>-a".
std::string collection(const Sort& sort);
std::string name_in(const Sort& sort, std::string_view name);
std::string item(const Sort& sort, std::string_view name);

// The whole object with that name; `metadata` is merged into its metadata.
json::Value object(const Sort& sort, std::string_view name, json::View metadata = {});

Step create(const Sort& sort, const json::Value& body);
Step get(const Sort& sort, std::string_view name);
// Reads (as the last answer told it), merges `change` in and writes back.
Step update(const Sort& sort, std::string_view name, std::string change);
// A patch of any content type; below, of each by its name.
Step patch_of_type(const Sort& sort, std::string_view name, std::string patch,
                   std::string_view type);
Step merge_patch(const Sort& sort, std::string_view name, std::string patch);
Step json_patch(const Sort& sort, std::string_view name, std::string patch);
Step strategic_patch(const Sort& sort, std::string_view name, std::string patch);
Step apply(const Sort& sort, std::string_view name, std::string body, std::string_view manager,
           bool force = false);
Step remove(const Sort& sort, std::string_view name, std::string options = {});
Step remove_collection(const Sort& sort, std::string query = {});
Step list(const Sort& sort, std::string query = {});
Step watch(const Sort& sort, std::string query = {});
// The same on a subresource: `on(update(…), "status")`.
Step on(Step step, std::string_view subresource);
// The same with more in its query.
Step with(Step step, std::string_view query);

// One thing wrong: a member dropped, doubled, renamed, moved; a value of another type, too large,
// too long, not ASCII, nested deep. The result is text since some of it is no JSON value.
std::string mutated(Gen& gen, json::View body);

}  // namespace fixpoint::conformance
