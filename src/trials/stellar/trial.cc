// SPDX-License-Identifier: Apache-2.0
#include "trials/stellar/trial.h"

#include "json/draft.h"
#include "json/parsing/parse.h"
#include "operators/stellar/observe.h"
#include "operators/stellar/stellar.h"
#include "trials/stellar/mistakes.h"
#include "trials/stellar/picture.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <memory>
#include <string>

#include <fmt/format.h>

namespace fixpoint::trials::stellar {
namespace {

using operators::stellar::Author;

void strip_rules(json::Draft& draft) {
  if (draft.is_object()) {
    draft.erase("x-kubernetes-validations");
    for (auto& [key, value] : draft.members()) strip_rules(value);
  } else if (draft.is_array()) {
    for (auto& element : draft.elements()) strip_rules(element);
  }
}

// As an operator before this one would have defined it: the server lets every spec through, and
// what is wrong with it is the operator's to find.
json::Value older_definition() {
  json::Draft definition(types::crd(runtime::kind_of<Author>()));
  strip_rules(definition);
  return definition.freeze();
}

// A mesh's kind, without any schema.
json::Value definition_of(const operators::stellar::ChildKind& kind) {
  const auto gvk = kind.gvk();
  std::string singular = gvk.kind;
  std::ranges::transform(singular, singular.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return *json::parse(fmt::format(
      R"({{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)"
      R"("metadata":{{"name":"{0}.{1}"}},"spec":{{"group":"{1}","scope":"Namespaced",)"
      R"("names":{{"plural":"{0}","singular":"{2}","kind":"{3}","listKind":"{3}List"}},)"
      R"("versions":[{{"name":"{4}","served":true,"storage":true,"schema":{{"openAPIV3Schema":)"
      R"({{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}}}}]}}}})",
      kind.plural, gvk.group, singular, gvk.kind, gvk.version));
}

// Mistakes that need not be noticed.
std::map<std::string, std::string> explained() {
  const std::string leftovers =
      "what a cleanup forgets and the node owns the runtime removes before the finalizer goes";
  return {
      {"case: ec3: Services are not removed",                       leftovers},
      {"case: ec8: a deletion that failed once is not tried again", leftovers},
      {"case: ec8: the claim stays when its pods are gone",         leftovers},
      {"case: ec5: a silent node is not let go",
       "announcing the deletion ends what is said of the silence"            },
  };
}

}  // namespace

verify::world::Trial trial() {
  auto parts = operators::stellar::entry().make();
  verify::world::Trial made{
      .name = "stellar",
      .summary = "nodes of a Stellar network, through their twelve edge cases",
      .reconciler = std::shared_ptr<const runtime::Operator>(std::move(parts.front().reconciler)),
      .definitions = {older_definition()},
      .scenarios = scenarios(),
      .variants = mistakes(),
      .explained = explained()};
  for (const auto* kind : all_kinds()) {
    if (!kind->plural.empty()) made.definitions.push_back(definition_of(*kind));
  }
  return made;
}

}  // namespace fixpoint::trials::stellar
