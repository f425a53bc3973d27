// SPDX-License-Identifier: Apache-2.0
//
// The second half of write.h: the wanted object on its way into the store.
#include "apiserver/write/write.h"

#include "apiserver/access/certificate_checks.h"
#include "apiserver/access/escalation.h"
#include "apiserver/access/rbac.h"
#include "apiserver/body/media_type.h"
#include "apiserver/write/given.h"
#include "apiserver/write/stored_size.h"
#include "apiserver/write/strategy.h"
#include "base/hash.h"
#include "base/rfc3339.h"
#include "kinds/validation/network/endpoints.h"
#include "kube/errors/error_words.h"
#include "kube/meta/metadata.h"
#include "kube/meta/names.h"

#include <charconv>

namespace fixpoint::apiserver {
namespace {

using kube::Answer;

// A generated name that is taken is tried again with another suffix, this often.
constexpr int kGeneratedNameTries = 8;

bool given(const json::Draft& metadata, std::string_view key) {
  const json::Draft* member = metadata.find(key);
  return member != nullptr && !member->as_string().empty();
}

void fill_system_fields(const WriteCall& call, json::Draft& object) {
  auto& metadata = object.object_at("metadata");
  const auto weakness = call.environment.weakness;
  for (const auto key : {"deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"}) {
    metadata.erase(key);
  }
  if (!(weakness == Weakness::KeepsCreationTimeOnCreate && given(metadata, "creationTimestamp"))) {
    metadata["creationTimestamp"] = format_seconds(call.environment.now);
  }
  if (weakness == Weakness::KeepsUidOnCreate && given(metadata, "uid")) return;
  metadata["uid"] = weakness == Weakness::KeepsUidOnRecreate ? Rng{hash64(name_in(object))}.uuid()
                                                             : call.environment.rng.uuid();
}

// Picks a free name from generateName; the last try may be taken, and then creation says so.
void generate_name(const WriteCall& call, json::Draft& object) {
  if (!name_in(object).empty()) return;
  const json::Draft* prefix = object.find("metadata", "generateName");
  if (prefix == nullptr || prefix->as_string().empty()) {
    if (call.resource.prefix != "limitranges/") return;
    object.object_at("metadata")["name"] = call.environment.rng.uuid();
    return;
  }
  const std::string stem{prefix->as_string()};
  // An address cannot be made up.
  if (call.resource.prefix == "ipaddresses.networking.k8s.io/") {
    object.object_at("metadata")["name"] = stem;
    return;
  }
  std::string name;
  Rng one_name{0};
  auto& rng =
      call.environment.weakness == Weakness::GeneratesOneName ? one_name : call.environment.rng;
  for (int i = 0; i < kGeneratedNameTries; ++i) {
    name = kube::generate_name(stem, rng);
    if (!call.store.latest().find(call.resource.key(call.request.ns, name))) break;
    if (call.environment.weakness == Weakness::GeneratesOneName) break;
  }
  object.object_at("metadata")["name"] = name;
}

kube::Status taken(const Resource& resource, const store::Record& record, json::View wanted) {
  auto status = kube::already_exists(resource.group_resource(), kube::name_of(wanted));
  // Said even if the name was given: a real server looks no closer.
  if (!wanted.get("metadata", "generateName").as_string().empty()) {
    status.message += ", the server was not able to generate a unique name for the object";
    status.details->retry_after_seconds = 1;
  }
  if (kube::being_deleted(record.body)) {
    status.message = "object is being deleted: " + status.message;
  }
  return status;
}

// What is no number is no version either, and 0 is none.
bool names_a_version(json::View object) {
  const auto text = kube::resource_version_of(object);
  std::uint64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  return problem == std::errc{} && end == text.data() + text.size() && value != 0;
}

// Of a custom resource the refused object itself says what it is.
kube::GroupKind refused_kind(const Resource& resource, json::View object) {
  return resource.builtin == nullptr ? kube::gvk_of(object).group_kind() : resource.error_kind();
}

bool may_replace(const WriteCall& call, const store::Record& existing) {
  if (call.environment.weakness == Weakness::CreateReplaces) return true;
  return call.environment.weakness == Weakness::AllowsCreateOverTerminating &&
         kube::being_deleted(existing.body);
}

// What a dry run answers: the object as it would be, without a new revision.
json::Value as_if_written(json::Draft object, std::string_view revision) {
  auto& metadata = object.object_at("metadata");
  if (revision.empty()) {
    metadata.erase("resourceVersion");
  } else {
    metadata["resourceVersion"] = revision;
  }
  return object.freeze();
}

}  // namespace

AdmissionCall WriteCall::admission(std::string_view verb, std::string_view name) const {
  return {.resource = resource,
          .verb = verb,
          .ns = request.ns,
          .name = name,
          .subresource = request.subresource,
          .user = request.user,
          .environment = environment,
          .dry_run = options.dry_run};
}

Response answer_to(WriteCall& call, Answer<Written> written) {
  if (!written) return failure(written.error(), std::move(call.warnings));
  Response response;
  response.code = written->created ? 201 : 200;
  response.body = std::move(written->object);
  response.warnings = std::move(call.warnings);
  response.visible = call.store.revision();
  return response;
}

void stamp_revision(json::Draft& object, store::Revision revision) {
  object.object_at("metadata")["resourceVersion"] = std::to_string(revision.value);
}

json::Value put_object(store::Store& store, std::string key, json::Draft stored) {
  stamp_revision(stored, store.next_revision());
  json::Value body = stored.freeze();
  store.put(std::move(key), body);
  return body;
}

json::Value erase_object(store::Store& store, const store::Record& current) {
  json::Draft last{current.body};
  stamp_revision(last, store.next_revision());
  json::Value body = last.freeze();
  store.erase(current.key, body);
  return body;
}

namespace {

// What another version wrote gets the stored version's defaults, as whoever reads it would give it.
json::Value stored_form(const Resource& resource, const json::Value& object) {
  auto stored = to_stored(resource, object);
  if (resource.builtin == nullptr || resource.builtin->to_stored == nullptr) return stored;
  const auto* kind = kinds::find(resource.builtin->stored_as);
  if (kind == nullptr || kind->set_defaults == nullptr) return stored;
  json::Draft draft{std::move(stored)};
  kind->set_defaults(draft);
  return draft.freeze();
}

// What is no mistake here: what the server's weakness hides, and the addresses of local pods where
// the cluster's own loops publish them.
void forgive(const WriteCall& call, kube::FieldErrors& errors) {
  overlook(call.environment.weakness, errors);
  if (errors.empty() || call.request.user.name != system_user().name) return;
  const auto& resource = call.resource.path.resource;
  if (resource == "endpoints" || resource == "endpointslices") kinds::allow_loopback(errors);
}

}  // namespace

bool ready_to_vanish(const Resource& resource, json::View stored) {
  if (!kube::being_deleted(stored) || !kube::finalizers_of(stored).empty()) return false;
  if (kube::deletion_grace_seconds_of(stored).value_or(0) != 0) return false;
  // A namespace also waits for its own finalizers, which the namespace controller removes.
  return resource.prefix != "namespaces/" || stored.get("spec", "finalizers").empty();
}

// The answer's object: whoever writes only the status sees all that is stored.
json::Value answered(const WriteCall& call, json::Value object) {
  if (!call.request.subresource.empty()) return object;
  return shown(call.resource, std::move(object));
}

namespace {

Answer<json::Value> fitted_form(const WriteCall& call, json::Value stored) {
  const bool applies = media_type(call.request.content_type) == MediaType::ApplyPatch;
  return fit_to_store(call.resource, std::move(stored), applies ? Owners::Stay : Owners::MayGo,
                      call.environment.weakness);
}

// A PUT or apply that creates needs the right to create, too.
Answer<void> may_create(const WriteCall& call, const json::Draft& object) {
  if (call.request.verb != Verb::Create) {
    auto attempt = attempt_of(call.request);
    attempt.verb = "create";
    const auto decision = authorize(call.store.latest(), call.request.user, attempt);
    if (!decision.allowed) {
      return std::unexpected(refusal(call.request.user, attempt, decision));
    }
  }
  if (call.resource.custom && call.resource.custom->facts.terminating) {
    return std::unexpected(
        kube::forbidden(call.resource.group_resource(), name_in(object),
                        "create not allowed while custom resource definition is terminating"));
  }
  return {};
}

Answer<void> admit_new(WriteCall& call, const AdmissionCall& admission, json::Draft& object) {
  FP_TRY_VOID(admit_namespace(admission, call.store.latest()));
  FP_TRY_VOID(admit_mutating(admission, call.store.latest(), object, {}));
  // Before anything is looked at. Through /status nothing is handed out.
  if (!call.request.subresource.empty()) return {};
  return allocate(admission, call.store, call.holdings, object, {});
}

Answer<void> check_new(WriteCall& call, std::string_view name, const json::Value& candidate) {
  const LongAmounts amounts{call};
  const json::Value looked_at = amounts.put_into(candidate);
  auto errors = validate_create(call.resource, looked_at);
  if (!errors.empty()) {
    const json::Value given = as_given(call, looked_at, kube::EmptyForm::Printed);
    kube::reword(errors, validate_create(call.resource, given));
    amounts.shorten(errors);
  }
  add_request_problem(call, candidate, errors);
  // Whatever a kind looks at: what belongs in a namespace is never stored outside of one.
  if (errors.empty() && call.resource.namespaced && call.request.ns.empty()) {
    errors.push_back(kube::required(kube::FieldPath{"metadata"}.child("namespace"), ""));
  }
  forgive(call, errors);
  if (!errors.empty()) {
    return std::unexpected(kube::invalid(refused_kind(call.resource, candidate), name, errors));
  }
  note_warnings(call.resource, candidate, {}, call.warnings);
  note_bad_pair(call, candidate);
  // What else creates, a PUT or an apply, overwrites the version that it brings. It is storage that
  // looks at it, so a dry run never gets that far.
  const bool post = call.request.verb == Verb::Create;
  if (post && !call.options.dry_run && names_a_version(candidate) &&
      call.environment.weakness != Weakness::AllowsVersionOnCreate) {
    return std::unexpected(
        kube::unreasoned(500, "resourceVersion should not be set on objects to be created"));
  }
  return {};
}

// `candidate` is the object as it was validated.
Answer<Written> store_new(WriteCall& call, const std::string& key, const json::Value& candidate,
                          json::Draft object) {
  // After validation, which does not look at what is only there when the object is read.
  json::Value whole = candidate;
  if (call.resource.builtin != nullptr && call.resource.builtin->as_read != nullptr) {
    call.resource.builtin->as_read(object);
    whole = object.freeze();
  }
  if (call.options.dry_run) {
    const std::string sent{kube::resource_version_of(candidate)};
    const auto stored = stored_form(call.resource, as_if_written(std::move(object), sent));
    return Written{answered(call, in_version(call.resource, stored)), true};
  }
  FP_TRY(fitted, fitted_form(call, stored_form(call.resource, whole)));
  const auto stored = put_object(call.store, key, fitted);
  return Written{answered(call, in_version(call.resource, stored)), true};
}

}  // namespace

Answer<Written> finish_create(WriteCall& call, json::Draft object) {
  FP_TRY_VOID(may_create(call, object));
  fill_system_fields(call, object);
  generate_name(call, object);
  const std::string name{name_in(object)};
  const auto admission = call.admission("create", name);
  FP_TRY_VOID(admit_new(call, admission, object));
  prepare_create(call.resource, object, call.environment, call.warnings);

  const json::Value candidate = object.freeze();
  FP_TRY_VOID(check_new(call, name, candidate));
  FP_TRY_VOID(check_escalation(admission, call.store.latest(), candidate, {}));
  const std::string key = call.resource.key(call.request.ns, name);
  const auto existing = call.store.latest().find(key);
  // Before the name is found taken: a quota is charged for it all the same, until it is recounted.
  const json::Value admitted = with_empty_overhead(call, candidate);
  FP_TRY_VOID(admit_validating(admission, call.store, admitted, {}));
  if (existing && !may_replace(call, *existing)) {
    return std::unexpected(taken(call.resource, *existing, candidate));
  }
  return store_new(call, key, candidate, std::move(object));
}

namespace {

// Updates that only a weakened server refuses.
Answer<void> refuse_by_weakness(const WriteCall& call, json::View old_object) {
  if (call.environment.weakness == Weakness::RefusesEditsWhileDeleting &&
      kube::being_deleted(old_object)) {
    return std::unexpected(
        kube::conflict(call.resource.group_resource(), call.request.name, "is being deleted"));
  }
  if (call.environment.weakness == Weakness::RefusesUpdateInTerminatingNamespace) {
    return admit_namespace(call.admission("create", call.request.name), call.store.latest());
  }
  return {};
}

// A claim, and a Job without labels, is stored less than whole: a real server fills in the rest (a
// Job's labels are its template's) whenever it reads them. So the first write of any kind, which
// stores it, is never one that changes nothing.
bool first_write_counts(const Resource& resource, const store::Record& current) {
  if (current.created != current.modified) return false;
  if (resource.prefix == "persistentvolumeclaims/") return true;
  if (resource.prefix != "jobs.batch/") return false;
  const json::View body = current.body;
  for (const json::View entry : body.get("metadata", "managedFields").elements()) {
    if (entry.get("fieldsV1", "f:metadata").contains("f:labels")) return false;
  }
  return kube::labels_of(body) == body.get("spec", "template").get("metadata", "labels");
}

// What this write does not change stays as it is stored, whatever another version would make of it.
json::Value with_unwritten_part(const WriteCall& call, const json::Value& wanted,
                                json::View current) {
  if (call.resource.builtin == nullptr || call.resource.builtin->to_stored == nullptr ||
      !call.resource.has_status) {
    return wanted;
  }
  const std::string_view part = call.request.subresource == "status" ? "spec" : "status";
  json::Draft kept{wanted};
  kept[part] = json::Draft{current.get(part)};
  return kept.freeze();
}

Answer<void> admit_changed(WriteCall& call, const AdmissionCall& admission, json::Draft& object,
                           const json::Value& old_object) {
  FP_TRY_VOID(refuse_by_weakness(call, old_object));
  FP_TRY_VOID(admit_namespace(admission, call.store.latest()));
  if (call.request.subresource.empty()) {
    FP_TRY_VOID(admit_mutating(admission, call.store.latest(), object, old_object));
  }
  // From here on a write without a version is a write of the current one.
  object.object_at("metadata")["resourceVersion"] = kube::resource_version_of(old_object);
  return allocate(admission, call.store, call.holdings, object, old_object);
}

Answer<void> check_changed(WriteCall& call, const json::Value& candidate,
                           const json::Value& old_object) {
  const auto& part = call.request.subresource;
  const auto validate = [&](const json::Value& form, std::vector<std::string>& warnings) {
    return validate_update(call.resource, part, form, old_object, warnings);
  };
  const LongAmounts amounts{call};
  const json::Value looked_at = amounts.put_into(candidate);
  auto errors = validate(looked_at, call.warnings);
  if (!errors.empty()) {
    std::vector<std::string> again;
    kube::reword(errors, validate(as_given(call, looked_at, kube::EmptyForm::Printed), again));
    amounts.shorten(errors);
  }
  if (call.environment.weakness == Weakness::ForgetsRatcheting) {
    kube::append(errors, validate_create(call.resource, candidate));
  }
  forgive(call, errors);
  if (!errors.empty()) {
    return std::unexpected(
        kube::invalid(refused_kind(call.resource, candidate), call.request.name, errors));
  }
  if (part == "status") {
    note_status_warnings(call.resource, candidate, call.warnings);
  } else {
    note_warnings(call.resource, candidate, old_object, call.warnings);
    note_bad_pair(call, candidate);
  }
  return {};
}

Answer<Written> store_changed(WriteCall& call, const store::RecordRef& current,
                              json::Draft object) {
  // Only what is stored loses it.
  if (!call.options.dry_run) object.object_at("metadata").erase("selfLink");
  const auto revision = kube::resource_version_of(current->body);
  json::Value same_revision = as_if_written(std::move(object), revision);
  json::Value stored =
      with_unwritten_part(call, stored_form(call.resource, same_revision), current->body);
  const bool vanishes = ready_to_vanish(call.resource, stored) &&
                        call.environment.weakness != Weakness::KeepsObjectWithoutFinalizers;
  if (!call.options.dry_run && !vanishes && stored != current->body) {
    FP_TRY(fitted, fitted_form(call, std::move(stored)));
    stored = std::move(fitted);
  }
  same_revision = answered(call, in_version(call.resource, stored));
  if (call.options.dry_run) return Written{std::move(same_revision), false};

  // A write that changes nothing is none: same revision, no event.
  if (stored == current->body && !vanishes && !first_write_counts(call.resource, *current) &&
      call.environment.weakness != Weakness::BumpsVersionOnNoOp) {
    return Written{std::move(same_revision), false};
  }
  if (vanishes) {
    erase_object(call.store, *current);
    // It is never read again, so it shows what was sent.
    same_revision = as_given(call, same_revision, kube::EmptyForm::Answered);
    return Written{shown(call.resource, std::move(same_revision)), false};
  }
  if (call.environment.weakness == Weakness::KeepsVersionOnChange) {
    call.store.put(current->key, stored);
    return Written{std::move(same_revision), false};
  }
  const auto put = put_object(call.store, current->key, stored);
  return Written{answered(call, in_version(call.resource, put)), false};
}

}  // namespace

Answer<Written> finish_update(WriteCall& call, const store::RecordRef& current,
                              json::Draft object) {
  const json::Value old_object = answered(call, in_version(call.resource, current->body));
  const auto admission = call.admission("update", call.request.name);
  FP_TRY_VOID(admit_changed(call, admission, object, old_object));
  const auto& part = call.request.subresource;
  prepare_update(call.resource, part, object, old_object, call.environment);
  if (part.empty()) count_empties(call, object, old_object);

  const json::Value candidate = with_empty_maps(call, object.freeze(), old_object);
  FP_TRY_VOID(check_changed(call, candidate, old_object));
  FP_TRY_VOID(check_escalation(admission, call.store.latest(), candidate, old_object));
  FP_TRY_VOID(admit_validating(admission, call.store, candidate, old_object));
  kube::keep_unchanged_times(old_object, object);
  return store_changed(call, current, std::move(object));
}

}  // namespace fixpoint::apiserver
