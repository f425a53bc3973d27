// SPDX-License-Identifier: Apache-2.0
//
// Typed: an Operator from four functions on C++ types.
//
//   struct Greeter {
//     using Spec = GreetingSpec;      // with a types::Table each
//     using Status = GreetingStatus;
//     struct Facts { … };             // whatever decide and conclude need to know
//
//     static types::Kind kind();
//     static Declaration declare();
//     Result<Facts> observe(const Primary<Spec>&, const Reader&, Probes&) const;
//     Plan decide(const Primary<Spec>&, const Facts&, Instant now) const;
//     Verdict<Status> conclude(const Primary<Spec>&, const Facts&, const Outcomes&) const;
//     // If there is more to say:
//     kube::FieldErrors validate(const Spec&) const;  // what tables cannot express
//     Plan cleanup(const Primary<Spec>&, const Facts&, Instant now) const;
//     Verdict<Status> reject(const kube::FieldErrors&) const;
//     Samples samples(const Primary<Spec>&, const Facts&) const;  // for the metrics page
//   };
//
// The spec reaches the author decoded and checked; the status leaves encoded.
// Read next: examples/greeting, a whole operator; docs/tutorial.md.
#pragma once

#include "client/call.h"
#include "json/draft.h"
#include "kube/meta/gvk.h"
#include "runtime/operator.h"
#include "runtime/registry.h"
#include "types/decode.h"
#include "types/encode.h"
#include "types/kind.h"

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fixpoint::runtime {

// The object a pass is about, as it was when the pass began.
struct PrimaryObject {
  kube::Key key;
  kube::Uid uid;
  std::int64_t generation = 0;
  json::Value object;
};
PrimaryObject primary_object(json::View object);

template <class Spec>
struct Primary : PrimaryObject {
  Spec spec;
};

// What the status shall say; the runtime adds observedGeneration and times.
template <class Status>
struct Verdict {
  Status status;
  std::vector<Condition> conditions;
  // What is said once, when the status changes to this; of reject() instead of the usual one.
  std::optional<EmitStep> event{};
};

// The kind of an operator, made once.
template <class Author>
const types::Kind& kind_of() {
  static const types::Kind kKind = Author::kind();
  return kKind;
}

// Where kinds are served: an author's own, and Kubernetes' ("apps/v1", "Deployment"), which must
// exist.
client::Resource resource_of(const types::Kind& kind);
client::Resource builtin(std::string_view api_version, std::string_view kind);

Watch reconciles(const types::Kind& kind);
Watch owns(std::string_view api_version, std::string_view kind);
Watch reads(std::string_view api_version, std::string_view kind);

// An object beside the primary, of its name unless told otherwise, as a plan applies it. Who owns
// it is the executor's to say. `rest` is everything below apiVersion, kind and metadata.
using Members = std::initializer_list<std::pair<std::string_view, json::Draft>>;
json::Value child(const kube::Key& place, std::string_view api_version, std::string_view kind,
                  Members rest);
json::Draft object(Members members);
json::Draft list(std::initializer_list<json::Draft> elements);

// The condition Ready: false with the first problem among the outcomes, false while `waiting_for`
// says what is not there yet, true otherwise.
Condition ready(const Outcomes& outcomes, std::string waiting_for = {});

template <class Author>
class Typed final : public Operator {
 public:
  using Spec = typename Author::Spec;
  using Status = typename Author::Status;
  using AuthorFacts = typename Author::Facts;

  explicit Typed(Author author = {})
      : author_(std::move(author)), declaration_(Author::declare()) {}

  const Declaration& declaration() const override { return declaration_; }

  kube::FieldErrors check(json::View object) const override { return inspect(object).errors; }

  Checked inspect(json::View object) const override {
    auto decoded = types::decode<Spec>(object.get("spec"), kube::FieldPath{"spec"});
    if (!decoded.ok()) return {std::move(decoded.errors), nullptr};
    auto spec = std::make_shared<const Spec>(std::move(decoded.value));
    kube::FieldErrors errors;
    // Rules of the author's may rely on the table's.
    if constexpr (requires { author_.validate(*spec); }) errors = author_.validate(*spec);
    return {std::move(errors), std::move(spec)};
  }

  Conclusion reject(json::View object, const kube::FieldErrors& errors) const override {
    if constexpr (requires { author_.reject(errors); }) {
      return conclusion_of(author_.reject(errors));
    } else {
      auto conclusion = Operator::reject(object, errors);
      // A status that must have some fields has them, as nobody has filled them.
      if (types::has_required(types::table_of<Status>())) {
        conclusion.status = types::encode(Status{});
      }
      return conclusion;
    }
  }

  Result<Facts> observe(const Reader& reader, Probes& probes, const kube::Key&) const override {
    auto seen = std::make_shared<Seen>();
    static_cast<PrimaryObject&>(seen->primary) = primary_object(reader.primary());
    if (const auto decoded = reader.decoded()) {
      seen->primary.spec = *static_cast<const Spec*>(decoded.get());
    } else {
      // Errors are check()'s; of an object that is being deleted whatever can be read is.
      seen->primary.spec = types::decode<Spec>(reader.primary().get("spec")).value;
    }
    FP_TRY(facts, author_.observe(seen->primary, reader, probes));
    seen->facts = std::move(facts);
    return Facts{std::move(seen)};
  }

  Plan decide(const Facts& facts, Instant now) const override {
    const auto& seen = seen_in(facts);
    return author_.decide(seen.primary, seen.facts, now);
  }

  Plan cleanup(const Facts& facts, Instant now) const override {
    const auto& seen = seen_in(facts);
    if constexpr (requires { author_.cleanup(seen.primary, seen.facts, now); }) {
      return author_.cleanup(seen.primary, seen.facts, now);
    } else {
      return Operator::cleanup(facts, now);
    }
  }

  Conclusion conclude(const Facts& facts, const Outcomes& outcomes) const override {
    const auto& seen = seen_in(facts);
    return conclusion_of(author_.conclude(seen.primary, seen.facts, outcomes));
  }

  Samples samples(const Facts& facts) const override {
    const auto& seen = seen_in(facts);
    if constexpr (requires { author_.samples(seen.primary, seen.facts); }) {
      return author_.samples(seen.primary, seen.facts);
    } else {
      return Operator::samples(facts);
    }
  }

 private:
  struct Seen {
    Primary<Spec> primary;
    AuthorFacts facts;
  };
  static const Seen& seen_in(const Facts& facts) { return *static_cast<const Seen*>(facts.get()); }
  static Conclusion conclusion_of(Verdict<Status> verdict) {
    return {.status = types::encode(verdict.status),
            .conditions = std::move(verdict.conditions),
            .event = std::move(verdict.event)};
  }

  Author author_;
  Declaration declaration_;
};

// An entry of a registry for an operator of one controller.
template <class Author>
OperatorEntry entry_of(std::string_view name, std::string_view summary) {
  return {.name = name,
          .summary = summary,
          .make =
              [] {
                std::vector<Part> parts;
                parts.push_back({.reconciler = std::make_unique<Typed<Author>>(), .outside = {}});
                return parts;
              },
          .kinds = [] { return std::vector<const types::Kind*>{&kind_of<Author>()}; },
          .diagram = nullptr};
}

}  // namespace fixpoint::runtime
