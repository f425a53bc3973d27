// SPDX-License-Identifier: Apache-2.0
//
// What create, update, patch and apply share: what is asked of an object that comes in
// (incoming.cc), and everything after the wanted object is known (write.cc).
//
// Order, as in Kubernetes: ownership is tracked, admission changes, the strategy prepares,
// validation refuses, admission refuses, the store changes. Nothing before the last step has an
// effect, so a refused write leaves no trace.
#pragma once

#include "apiserver/access/certificates.h"
#include "apiserver/admission/admission.h"
#include "apiserver/body/options.h"
#include "apiserver/request.h"
#include "apiserver/resource.h"
#include "json/draft.h"
#include "kube/ownership/managed_fields.h"
#include "store/store.h"

#include <string>
#include <vector>

namespace fixpoint::apiserver {

struct WriteCall {
  const Request& request;
  const Resource& resource;
  CustomKinds& kinds;
  ServiceHoldings& holdings;
  store::Store& store;
  const Environment& environment;
  const Certificates* certificates = nullptr;
  WriteOptions options = {};
  std::vector<std::string> warnings = {};
  // The wanted object before it was decoded, of a patch or an apply; else the body has it. Empty
  // lists and maps are in it, which are not written but show in refusals and in the generation.
  json::Value given = {};

  AdmissionCall admission(std::string_view verb, std::string_view name) const;
  kube::Writer writer() const;  // for managed_fields.h
  std::string key() const { return resource.key(request.ns, request.name); }
};

struct Written {
  json::Value object;  // in the requested version
  bool created = false;
};

// `object` is decoded, defaulted and carries its managedFields.
kube::Answer<Written> finish_create(WriteCall& call, json::Draft object);
// `object` likewise; `current` is what the store holds.
kube::Answer<Written> finish_update(WriteCall& call, const store::RecordRef& current,
                                    json::Draft object);

// What the client is told of a write or of its refusal.
Response answer_to(WriteCall& call, kube::Answer<Written> written);

// The body's namespace is the request's, or missing and then filled in.
kube::Answer<void> adopt_namespace(const WriteCall& call, json::Draft& object);
// The body's name is the one in the URL.
kube::Answer<void> check_name(const WriteCall& call, const json::Draft& object);
// Owners named twice are kept once, with a warning.
void dedup_owners(WriteCall& call, json::Draft& object);
// Ordinary (non-apply) ownership; `live` is null on create.
kube::Answer<void> track(const WriteCall& call, json::View live, json::Draft& object);

// The name that `object` brings, empty for none.
std::string_view name_in(const json::Draft& object);
// The resourceVersion that `object` brings, 0 for none; or why it cannot be one.
kube::Answer<std::uint64_t> version_in(const json::Draft& object);
// The 409s and 422s of optimistic concurrency: uid and resourceVersion of a PUT or PATCH.
kube::Answer<void> check_preconditions(const WriteCall& call, json::View current,
                                       const json::Draft& object);
// Another uid in a PUT means another object: the storage layer's own words.
kube::Answer<void> check_uid(const WriteCall& call, json::View current, const json::Draft& object);

// Whether a PUT or an apply of an absent object makes one. Where that is so it also is through
// /status, as Kubernetes does not tell them apart.
bool creates_when_absent(const WriteCall& call);

// The 415s of a PATCH: which of the types this resource takes.
kube::Answer<void> check_patch_media(const WriteCall& call);

// The 409 in the words of Kubernetes' storage; `why` says which field is another.
kube::Status precondition_failed(const WriteCall& call, const Resource& resource,
                                 std::string_view name, const std::string& why);

// Sets metadata.resourceVersion to the revision the next write will take.
void stamp_revision(json::Draft& object, store::Revision revision);

// True when the last finalizer is gone and nothing else holds a stamped object.
bool ready_to_vanish(const Resource& resource, json::View stored);

// Writes a whole object; `stored` is in the stored version, without its revision.
json::Value put_object(store::Store& store, std::string key, json::Draft stored);
// Removes one. The last words about it are its last stored state at the revision of its end: a
// write that lets it go is never stored, so watchers do not see it.
json::Value erase_object(store::Store& store, const store::Record& current);

// The verbs.
Response create(WriteCall call);
Response update(WriteCall call);
Response patch(WriteCall call);

}  // namespace fixpoint::apiserver
