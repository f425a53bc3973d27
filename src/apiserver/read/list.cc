// SPDX-License-Identifier: Apache-2.0
#include "apiserver/read/list.h"

#include "apiserver/body/options.h"
#include "base/base64.h"
#include "json/draft.h"
#include "json/parsing/parse.h"
#include "json/print.h"
#include "kube/meta/metadata.h"

#include <algorithm>

namespace fixpoint::apiserver {
namespace {

using kube::Answer;
using store::Revision;

constexpr std::string_view kContinueTooOld =
    "The provided continue parameter is too old to display a consistent list result. You can start "
    "a new list without the continue parameter, or use the continue token in this response to "
    "retrieve the remainder of the results. Continuing with the provided token results in an "
    "inconsistent list - objects that were created, modified, or deleted between the time the "
    "first "
    "chunk was returned and now may show up in the list.";

// Where a list goes on: after `start` (relative to the list's prefix), at the revision of page one.
// A negative revision means "whatever is current", which an expired token is turned into.
struct Continue {
  std::int64_t revision = 0;
  std::string start;
};

std::string encode(const Continue& token) {
  const auto body =
      json::Draft::object(
          {
              {"v",     "meta.k8s.io/v1"},
              {"rv",    token.revision  },
              {"start", token.start     }
  })
          .freeze();
  return base64_encode(json::to_text(body), Base64::RawUrl);
}

// What Go's decoder says of a token that is JSON of another shape.
std::optional<std::string> token_type_problem(json::View token) {
  const auto problem = [](json::View value, std::string_view where) {
    const auto type = value.is_bool()     ? std::string_view{"bool"}
                      : value.is_number() ? std::string_view{"number"}
                                          : json::to_string(value.type());
    return "json: cannot unmarshal " + std::string{type} + " into Go " + std::string{where};
  };
  if (token.is_null()) return std::nullopt;
  if (!token.is_object()) return problem(token, "value of type storage.continueToken");
  for (const auto key : {"v", "start"}) {
    const json::View member = token.get(key);
    if (member.is_null() || member.is_string()) continue;
    return problem(member, "struct field continueToken." + std::string{key} + " of type string");
  }
  const json::View revision = token.get("rv");
  if (revision.is_null() || revision.is_int()) return std::nullopt;
  return problem(revision, "struct field continueToken.rv of type int64");
}

// True when the path has no empty, "." or ".." part: it cannot lead out of the list's prefix.
bool is_clean(std::string_view start) {
  if (start.starts_with('/')) start.remove_prefix(1);
  while (true) {
    const auto part = start.substr(0, start.find('/'));
    if (part.empty() || part == "." || part == "..") return false;
    if (part.size() == start.size()) return true;
    start.remove_prefix(part.size() + 1);
  }
}

Answer<Continue> decode(std::string_view text) {
  const auto refuse = [](std::string why) {
    return std::unexpected(kube::bad_request("invalid continue token: " + std::move(why)));
  };
  auto bytes = base64_decode(text, Base64::RawUrl);
  if (!bytes) return refuse("continue key is not valid: " + bytes.error().message);
  auto body = json::parse(*bytes);
  if (!body) return refuse("continue key is not valid: " + body.error().message);
  if (const auto problem = token_type_problem(*body)) {
    return refuse("continue key is not valid: " + *problem);
  }
  if (body->get("v").as_string() != "meta.k8s.io/v1") {
    return refuse("continue key is not valid: server does not recognize this encoded version " +
                  std::string{body->get("v").as_string()});
  }
  Continue token{.revision = body->get("rv").as_int(),
                 .start = std::string{body->get("start").as_string()}};
  if (token.revision == 0) {
    return refuse(
        "continue key is not valid: incorrect encoded start resourceVersion (version "
        "meta.k8s.io/v1)");
  }
  if (token.start.empty()) {
    return refuse("continue key is not valid: encoded start key empty (version meta.k8s.io/v1)");
  }
  if (!is_clean(token.start)) {
    return refuse("continue key is not valid: " + token.start);
  }
  return token;
}

Response continue_expired(const Continue& token) {
  Response response = failure(kube::expired(std::string{kContinueTooOld}));
  json::Draft body{response.body};
  std::string start = token.start;
  if (start.starts_with('/')) start.erase(0, 1);
  body.object_at("metadata")["continue"] = encode({.revision = -1, .start = std::move(start)});
  response.body = body.freeze();
  return response;
}

// Kinds with fields of their own to select by each word their refusal; most agree.
std::string unsupported_field(const Resource& resource, std::string_view field) {
  const auto& kind = resource.kind;
  if (kind.group == "batch" && kind.kind == "Job") {
    return "field label " + kube::shown(field) + " not supported for Job";
  }
  if (kind.group == "resource.k8s.io") {
    return "field label not supported for " + kind.group + "/" + kind.version +
           ", Kind=" + kind.kind + ": " + std::string{field};
  }
  return "field label not supported: " + std::string{field};
}

Answer<void> check_field(const Resource& resource, std::string_view field) {
  if (field == "metadata.name") return {};
  if (field == "metadata.namespace" && resource.namespaced) return {};
  std::size_t known = 0;
  if (resource.builtin != nullptr) {
    known = resource.builtin->selectable_fields.size();
    for (const auto& selectable : resource.builtin->selectable_fields) {
      if (selectable.name == field) return {};
    }
  } else {
    known = 1;
    for (const auto& path : resource.custom_version()->selectable_fields) {
      if (std::string_view{path}.substr(1) == field) return {};
    }
  }
  if (field == "metadata.namespace") return {};
  if (known > 0) return std::unexpected(kube::bad_request(unsupported_field(resource, field)));
  return std::unexpected(kube::bad_request(
      kube::shown(field) +
      " is not a known field selector: only \"metadata.name\", \"metadata.namespace\""));
}

// A real server keeps no watch cache of events: what it reads straight from its store is refused in
// the store's words, and nobody is asked to wait for a cache to catch up.
bool is_cached(const Resource& resource) {
  return resource.custom || resource.path.resource != "events";
}

enum class ReadFrom : std::uint8_t { Cache, Store };

// Who reads straight from the store is not told to wait for the cache.
kube::Status from_the_future(Revision wanted, ReadFrom from, const store::Store& store) {
  return kube::too_large_resource_version(wanted.value, store.revision().value,
                                          from == ReadFrom::Cache ? 1 : 0);
}

ReadFrom source_of(const Resource& resource) {
  return is_cached(resource) ? ReadFrom::Cache : ReadFrom::Store;
}

kube::Status bad_revision(const kube::Status& why) {
  return kube::bad_request("invalid resource version: " + why.message);
}

bool too_new(Revision wanted, const store::Store& store, const Environment& environment) {
  return wanted > store.revision() && environment.weakness != Weakness::AllowsFutureVersion;
}

// The name that a list is about, when it is about one: such a list is a look-up, not a scan.
std::optional<std::string> only_name(const Selection& selection, const ListOptions& options) {
  if (!options.continue_token.empty()) return std::nullopt;
  if (selection.resource.namespaced && selection.ns.empty()) return std::nullopt;
  const auto name = selection.fields.exact_value("metadata.name");
  if (!name) return std::nullopt;
  return std::string{*name};
}

// Which snapshot a list reads, by resourceVersion, its match and the limit. A limit asks for
// exactly that version, but not of a single object, which is also never looked up in the cache
// then.
Answer<store::Snapshot> snapshot_for(const ListOptions& options, const Selection& selection,
                                     const store::Store& store, const Environment& environment) {
  auto wanted = parse_list_revision(options.resource_version);
  if (!wanted) return std::unexpected(bad_revision(wanted.error()));
  if (wanted->value == 0) return store.latest();
  const bool single = only_name(selection, options).has_value();
  const bool paged = options.match == VersionMatch::Unset && options.limit > 0;
  if (too_new(*wanted, store, environment)) {
    const bool past_cache = single && (paged || options.match == VersionMatch::Exact);
    return std::unexpected(from_the_future(
        *wanted, past_cache ? ReadFrom::Store : source_of(selection.resource), store));
  }
  const bool exact = options.match == VersionMatch::Exact || (paged && !single);
  if (!exact || environment.weakness == Weakness::IgnoresExactVersion) return store.latest();
  auto old = store.at(*wanted);
  if (!old) {
    return std::unexpected(kube::expired("The resourceVersion for the provided list is too old."));
  }
  return *std::move(old);
}

struct PageBounds {
  std::string after;       // a full store key, or empty
  bool inclusive = false;  // `after` itself belongs to the page
  std::int64_t limit = 0;
};

void fill_page(ListPage& page, const store::Snapshot& snapshot, const Selection& selection,
               const PageBounds& bounds) {
  const std::string prefix = selection.prefix();
  std::string last;
  bool more = false;
  // A full page goes on when any object follows, selected or not: nobody has looked at it yet.
  const auto take = [&](const store::RecordRef& record) {
    if (bounds.limit > 0 && static_cast<std::int64_t>(page.items.size()) == bounds.limit) {
      more = true;
      return false;
    }
    if (selection.matches(record->body)) page.items.push_back(record);
    return true;
  };
  if (const auto at = snapshot.find(bounds.after); bounds.inclusive && at) take(at);
  snapshot.scan(prefix, bounds.after, take);
  if (!more) return;
  last = page.items.back()->key;
  // The next key after `last` is last + '\0', as in Kubernetes' own tokens; "/" marks it relative.
  std::string start = "/" + last.substr(prefix.size()) + std::string(1, '\0');
  page.continue_token = encode(
      {.revision = static_cast<std::int64_t>(page.revision.value), .start = std::move(start)});
  if (selection.labels.empty() && selection.fields.empty()) {
    std::int64_t rest = 0;
    snapshot.scan(prefix, last, [&](const store::RecordRef&) { return ++rest, true; });
    page.remaining_item_count = rest;
  }
}

// The start of a token is the first key of the next page: "name\0" is the one after "name".
void resume(PageBounds& bounds, const Continue& token, const std::string& prefix) {
  std::string start = token.start;
  if (start.starts_with('/')) start.erase(0, 1);
  bounds.inclusive = start.empty() || start.back() != '\0';
  if (!bounds.inclusive) start.pop_back();
  bounds.after = prefix + start;
}

}  // namespace

Answer<Selection> selection_of(const Request& request, const Resource& resource,
                               const ListOptions& options) {
  for (const auto& requirement : options.fields.requirements()) {
    if (auto ok = check_field(resource, requirement.field); !ok) {
      return std::unexpected(ok.error());
    }
  }
  Selection selection{.resource = resource,
                      .ns = resource.namespaced ? request.ns : std::string{},
                      .labels = options.labels,
                      .fields = options.fields};
  // A watch of one object by path is a watch by name.
  if (!request.name.empty()) {
    auto by_name = kube::FieldSelector::parse("metadata.name=" + request.name);
    if (by_name && selection.fields.empty()) selection.fields = *std::move(by_name);
  }
  return selection;
}

Response get(const Request& request, const Resource& resource, const store::Store& store,
             const Environment& environment) {
  auto wanted = parse_list_revision(request.parameter("resourceVersion"));
  if (!wanted) {
    return failure(is_cached(resource) ? wanted.error() : bad_revision(wanted.error()));
  }
  if (too_new(*wanted, store, environment)) {
    return failure(from_the_future(*wanted, source_of(resource), store));
  }
  const auto record = store.latest().find(resource.key(request.ns, request.name));
  if (!record) return failure(kube::not_found(resource.group_resource(), request.name));
  Response response;
  response.body = in_version(resource, record->body);
  if (request.subresource.empty()) response.body = shown(resource, std::move(response.body));
  response.visible = record->modified;
  return response;
}

Response list(const Request& request, const Resource& resource, const store::Store& store,
              const Environment& environment) {
  auto options = parse_list_options(request);
  if (!options) return failure(options.error());
  auto selection = selection_of(request, resource, *options);
  if (!selection) return failure(selection.error());

  PageBounds bounds{.after = {}, .inclusive = false, .limit = options->limit};
  store::Snapshot snapshot = store.latest();
  if (!options->continue_token.empty()) {
    auto token = decode(options->continue_token);
    if (!token) return failure(token.error());
    if (!options->resource_version.empty() && options->resource_version != "0") {
      return failure(
          kube::bad_request("specifying resource version is not allowed when using continue"));
    }
    if (token->revision > 0 && environment.weakness != Weakness::PagesAreNotOneSnapshot) {
      const Revision wanted{static_cast<std::uint64_t>(token->revision)};
      if (too_new(wanted, store, environment)) {
        return failure(from_the_future(wanted, source_of(resource), store));
      }
      auto old = store.at(wanted);
      if (!old) return continue_expired(*token);
      snapshot = *std::move(old);
    }
    resume(bounds, *token, selection->prefix());
  } else {
    auto chosen = snapshot_for(*options, *selection, store, environment);
    if (!chosen) return failure(chosen.error());
    snapshot = *std::move(chosen);
    // From the cache there are no pages: resourceVersion=0 ignores the limit.
    if (options->resource_version == "0" && is_cached(resource) &&
        environment.weakness != Weakness::PagesTheCache) {
      bounds.limit = 0;
    }
  }

  Response response;
  auto& page = response.list.emplace();
  page.item_kind = resource.kind;
  page.list_kind = resource.list_kind;
  page.revision = snapshot.revision();
  page.items_carry_kind = resource.builtin == nullptr;
  if (const auto name = only_name(*selection, *options)) {
    const auto record = snapshot.find(resource.key(selection->ns, *name));
    if (record && selection->matches(record->body)) page.items.push_back(record);
  } else {
    fill_page(page, snapshot, *selection, bounds);
  }
  if (environment.weakness == Weakness::ListsBackwards) std::ranges::reverse(page.items);
  response.visible = snapshot.revision();
  return response;
}

Answer<Watch> open_watch(const Request& request, const Resource& resource,
                         const store::Store& store, const Environment& environment) {
  auto options = parse_list_options(request);
  if (!options) return std::unexpected(options.error());
  auto selection = selection_of(request, resource, *options);
  if (!selection) return std::unexpected(selection.error());
  auto from = parse_list_revision(options->resource_version);
  if (!from) return std::unexpected(from.error());

  Watch watch{.selection = *std::move(selection),
              .from = *from,
              .opened = store.revision(),
              .initial = {},
              .ends = false,
              .bookmarks = options->bookmarks,
              .timeout_seconds = options->timeout_seconds,
              .weakness = environment.weakness};
  const bool list_first = options->send_initial_events.value_or(from->value == 0);
  const auto ended_by = [&](const kube::Status& why) {
    watch.from = store.revision();
    watch.initial = {
        WatchEvent{WatchEventType::Error, kube::to_json(why)}
    };
    watch.ends = true;
    return watch;
  };
  if (list_first) {
    if (too_new(*from, store, environment)) {
      return ended_by(kube::too_large_resource_version(from->value, store.revision().value));
    }
    watch.from = store.revision();
    if (watch.weakness == Weakness::NoInitialEvents) return watch;
    store.latest().scan(watch.selection.prefix(), {}, [&](const store::RecordRef& record) {
      if (watch.selection.matches(record->body)) {
        watch.initial.push_back(
            {WatchEventType::Added, shown(resource, in_version(resource, record->body))});
      }
      return true;
    });
    if (options->send_initial_events.value_or(false) && options->bookmarks &&
        watch.weakness != Weakness::NoInitialEventsEnd) {
      WatchEvent end = watch.bookmark(store.revision());
      json::Draft object{end.object};
      object.object_at("metadata").object_at("annotations")["k8s.io/initial-events-end"] = "true";
      end.object = object.freeze();
      watch.initial.push_back(std::move(end));
    }
    return watch;
  }
  if (from->value == 0) watch.from = store.revision();
  if (watch.weakness == Weakness::WatchStartsNow) watch.from = store.revision();
  if (watch.weakness == Weakness::WatchRepeats) --watch.from.value;
  if (watch.from < store.oldest()) {
    return ended_by(kube::expired("too old resource version: " + std::to_string(watch.from.value) +
                                  " (" + std::to_string(store.oldest().value) + ")"));
  }
  return watch;
}

}  // namespace fixpoint::apiserver
