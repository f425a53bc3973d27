// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/custom_kinds.h"

#include <array>

namespace fixpoint::conformance {
namespace {

constexpr std::array kSorts{
    Sort{.group_version = "conform.example.com/v1",
         .kind = "Gadget",
         .resource = "gadgets",
         .body = R"({"spec":{"size":3}})",
         .change = R"({"spec":{"size":4}})",
         .has_status = true},
    Sort{.group_version = "conform.example.com/v1",
         .kind = "Bag",
         .resource = "bags",
         .body = R"({"spec":{"any":[1,{"a":null}]},"more":"x"})",
         .change = R"({"more":"y"})"},
    Sort{.group_version = "conform.example.com/v1alpha1",
         .kind = "Zone",
         .resource = "zones",
         .namespaced = false,
         .body = R"({"spec":{"region":"south"}})",
         .change = R"({"spec":{"weight":4}})"},
    Sort{.group_version = "conform.example.com/v1",
         .kind = "Crate",
         .resource = "crates",
         .body = R"({"spec":{"count":1,"rows":[{"name":"a","value":"1"}],"set":["x"]}})",
         .change = R"({"spec":{"word":"w"}})",
         .has_status = true},
};

constexpr Sort kOldGadget{.group_version = "conform.example.com/v1beta1",
                          .kind = "Gadget",
                          .resource = "gadgets",
                          .body = R"({"spec":{"size":3,"old":"here"}})",
                          .change = R"({"spec":{"size":4}})",
                          .has_status = true};

}  // namespace

std::span<const Sort> custom_sorts() {
  return kSorts;
}

const Sort& old_gadget() {
  return kOldGadget;
}

}  // namespace fixpoint::conformance
