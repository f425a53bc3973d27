// SPDX-License-Identifier: Apache-2.0
#include "cluster/event_recorder.h"

#include "base/rfc3339.h"
#include "cluster/controller.h"
#include "json/draft.h"
#include "json/print.h"
#include "kube/meta/metadata.h"

#include <algorithm>

#include <fmt/format.h>

namespace fixpoint::cluster {
namespace {

using json::Draft;

const kube::GroupVersionResource kEvents{"", "v1", "events"};

std::string_view type_name(Notice::Type type) {
  return type == Notice::Type::Normal ? "Normal" : "Warning";
}

Draft reference_to(json::View object) {
  auto reference = Draft::object({
      {"apiVersion",      object.get("apiVersion")         },
      {"kind",            object.get("kind")               },
      {"name",            kube::name_of(object)            },
      {"uid",             kube::uid_of(object)             },
      {"resourceVersion", kube::resource_version_of(object)}
  });
  const auto ns = kube::namespace_of(object);
  if (!ns.empty()) reference["namespace"] = ns;
  return reference;
}

}  // namespace

// A notice is combined with others once too many different ones came within a short time.
bool EventRecorder::combined(const Hash128& similar, const std::string& message, Instant now) {
  auto& known = similar_.at(similar);
  if (now - known.last > kTogether) known.messages.clear();
  known.last = now;
  known.messages.insert(hash128(message));
  if (known.messages.size() < kDifferentMax) return false;
  known.messages.erase(known.messages.begin());
  return true;
}

bool EventRecorder::heard(const Hash128& about, Instant now) {
  auto& bucket = buckets_.at(about);
  if (bucket.at != Instant{}) {
    const double back = std::chrono::duration<double>(now - bucket.at) /
                        std::chrono::duration<double>(kOneMoreEach);
    bucket.tokens = std::min(kBurst, bucket.tokens + std::max(back, 0.0));
  }
  bucket.at = now;
  if (bucket.tokens < 1) return false;
  bucket.tokens -= 1;
  return true;
}

std::string EventRecorder::new_name(std::string_view object, Instant now) {
  // Two recorders may speak of one object in one moment: each has its own part of a millisecond.
  const std::chrono::nanoseconds own(hash64(component_) % 1'000'000);
  last_name_ = std::max(now + own, last_name_ + std::chrono::nanoseconds(1));
  return fmt::format("{}.{:x}", object, last_name_.time_since_epoch().count());
}

std::optional<EventRecorder::Writing> EventRecorder::record(const Notice& notice, Instant now) {
  const json::View object = notice.object;
  const auto type = type_name(notice.type);
  const auto about = fmt::format("{}/{}", kube::uid_of(object), type);
  const auto similar = hash128(fmt::format("{}/{}", about, notice.reason));
  const bool combines = combined(similar, notice.message, now);
  const auto message =
      combines ? "(combined from similar events): " + notice.message : notice.message;
  auto& series = series_.at(
      combines ? similar : hash128(fmt::format("{}/{}/{}", about, notice.reason, message)));
  const auto time = format_seconds(now);
  const bool again = series.count > 0;
  if (!again) series = {.name = new_name(kube::name_of(object), now), .first = time};
  ++series.count;
  if (!heard(hash128(about), now)) return std::nullopt;

  const auto ns = kube::namespace_of(object);
  const auto event =
      Draft::object({
                        {"metadata",           Draft::object({{"name", series.name},
                                                    {"namespace", ns.empty() ? "default" : ns}})},
                        {"involvedObject",     reference_to(object)                                                                 },
                        {"reason",             notice.reason                                                                        },
                        {"message",            message                                                                              },
                        {"source",             Draft::object({{"component", component_}})                                           },
                        {"reportingComponent", component_                                                                           },
                        {"firstTimestamp",     series.first                                                                         },
                        {"lastTimestamp",      time                                                                                 },
                        {"count",              series.count                                                                         },
                        {"type",               type                                                                                 }
  })
          .freeze();
  auto create = create_request(kEvents, event);
  if (!again) return Writing{.request = std::move(create), .create = std::nullopt};
  const auto changes =
      Draft::object({
                        {"count",         series.count},
                        {"lastTimestamp", time        },
                        {"message",       message     }
  })
          .freeze();
  auto patch = request_for(kEvents, apiserver::Verb::Patch, create.ns, series.name);
  patch.content_type = "application/strategic-merge-patch+json";
  patch.body = json::to_text(changes);
  return Writing{.request = std::move(patch), .create = std::move(create)};
}

void EventRecorder::tell(Api& api, const Notice& notice) {
  const auto writing = record(notice, api.now());
  if (!writing) return;
  const auto response = api.call(writing->request);
  // Any other refusal is not worth more: nobody waits for an Event.
  if (response.code == 404 && writing->create) (void)api.call(*writing->create);
}

}  // namespace fixpoint::cluster
