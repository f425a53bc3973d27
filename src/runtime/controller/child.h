// SPDX-License-Identifier: Apache-2.0
//
// Children: how an object is marked as the primary's, and how to tell whose it is (rule 5).
//
// A child carries a controller reference where Kubernetes allows one and the owner label where it
// does not, and the hash of what was wanted of it when it was last written: a changed wish is known
// without asking the server, even when it only leaves something out.
#pragma once

#include "base/hash.h"
#include "client/call.h"
#include "json/value.h"
#include "kube/meta/gvk.h"
#include "runtime/plan.h"

#include <optional>
#include <string>
#include <string_view>

namespace fixpoint::runtime {

inline constexpr std::string_view kHashAnnotation = "fixpoint.dev/desired-hash";
// Where only the label says whose it is: "namespace/name" of the owner, to find it by.
inline constexpr std::string_view kOwnerAnnotation = "fixpoint.dev/owner";
// Behind the hash of an object that was created and never applied: our fields are not yet owned by
// apply (see ownership_patch).
inline constexpr std::string_view kCreatedSuffix = "-created";

struct Owner {
  kube::GroupVersionKind kind;
  kube::Key key;
  std::string uid;
};

// The kind and key an object names; an error says what is missing.
Result<ObjectRef> ref_of(json::View object);

enum class Standing : std::uint8_t {
  Ours,
  Former,   // of an object of the primary's name that is gone: the garbage collector's
  Foreign,  // anybody else's, or nobody's
};
// `stamp` is what the wanted object carries as kStampAnnotation: nobody's object with the same one
// is ours.
Standing standing(json::View object, const Owner& owner, std::string_view stamp = {});

// True when the child may carry a reference to its owner.
bool can_reference(const Owner& owner, const kube::Key& child);

// `desired` in its place and with the marks. An empty hash text leaves the annotation out. A Kept
// one says only where its owner is to be found, for the news of it.
json::Value as_child(json::View desired, const kube::Key& place, const Owner& owner,
                     std::string_view hash_text, Ownership ownership = Ownership::Owned);
// With metadata.uid: refused unless it is that object.
json::Value bound_to(json::View object, std::string_view uid);

// Whom a child's change is about, when its owner is of this kind.
std::optional<kube::Key> owner_key_of(json::View child, const kube::GroupKind& owner_kind);

// The JSON patch that turns what `manager` owns by having created the object into what it owns by
// apply, so that the next apply removes what it leaves out. Nothing when there is nothing to turn.
// `live` needs its managedFields.
std::optional<json::Value> ownership_patch(json::View live, std::string_view manager);

}  // namespace fixpoint::runtime
