// SPDX-License-Identifier: Apache-2.0
#include "cluster/loops/certificate_signer.h"

#include "base/base64.h"
#include "base/rfc3339.h"
#include "cluster/decision.h"
#include "json/draft.h"

#include <algorithm>
#include <chrono>
#include <optional>

namespace fixpoint::cluster {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::string_view kRequests = "certificatesigningrequests.certificates.k8s.io/";
constexpr std::string_view kSigner = "kubernetes.io/kube-apiserver-client";

// As a real controller manager has them: at most a year, at least ten minutes; from a little
// earlier, because clocks differ, which is taken off the end again unless it would be felt there.
constexpr auto kLongest = seconds(hours(24 * 365));
constexpr auto kShortest = seconds(minutes(10));
constexpr auto kEarlier = minutes(5);
constexpr auto kFelt = seconds(hours(8));

bool is_true(json::View request, std::string_view type) {
  for (const json::View condition : request.get("status", "conditions").elements()) {
    if (condition.get("type").as_string() == type) {
      return condition.get("status").as_string() == "True";
    }
  }
  return false;
}

bool waits(json::View request) {
  return request.get("spec", "signerName").as_string() == kSigner && is_true(request, "Approved") &&
         !is_true(request, "Denied") && !is_true(request, "Failed") &&
         request.get("status", "certificate").as_string().empty();
}

bool uses(json::View request, std::string_view usage) {
  const json::View usages = request.get("spec", "usages");
  return std::ranges::any_of(usages.elements(),
                             [&](json::View one) { return one.as_string() == usage; });
}

// What a client has no use for; empty: it may have all that is asked.
std::string usage_problem(json::View request) {
  for (const json::View one : request.get("spec", "usages").elements()) {
    const auto usage = one.as_string();
    if (usage != "client auth" && usage != "digital signature" && usage != "key encipherment") {
      return "invalid usage for client certificate: " + std::string{usage};
    }
  }
  if (uses(request, "client auth")) return {};
  return "missing required usage for client certificate: client auth";
}

std::optional<CertificateOrder> order_for(json::View request, Instant now) {
  auto pem = base64_decode(request.get("spec", "request").as_string());
  if (!pem) return std::nullopt;  // what is stored was read before
  const auto asked = request.get("spec", "expirationSeconds");
  const auto lasts =
      asked.is_int() ? std::clamp(seconds(asked.as_int()), kShortest, kLongest) : kLongest;
  return CertificateOrder{.request_pem = *std::move(pem),
                          .digital_signature = uses(request, "digital signature"),
                          .key_encipherment = uses(request, "key encipherment"),
                          .from = now - kEarlier,
                          .until = now + lasts - (lasts < kFelt ? minutes(0) : kEarlier)};
}

json::Value failed(json::View request, std::string message, Instant now) {
  json::Draft changed{request};
  const auto moment = format_seconds(now);
  changed.object_at("status")
      .array_at("conditions")
      .push_back(json::Draft::object({
          {"type",               "Failed"                 },
          {"status",             "True"                   },
          {"reason",             "SignerValidationFailure"},
          {"message",            std::move(message)       },
          {"lastUpdateTime",     moment                   },
          {"lastTransitionTime", moment                   }
  }));
  return changed.freeze();
}

// The request as it is to be; nothing where it cannot be answered.
std::optional<json::Value> answered(json::View request, Instant now, const SignCertificate& sign) {
  if (auto problem = usage_problem(request); !problem.empty()) {
    return failed(request, std::move(problem), now);
  }
  const auto order = order_for(request, now);
  if (!order) return std::nullopt;
  const auto certificate = sign(*order);
  if (!certificate) return std::nullopt;
  json::Draft changed{request};
  changed.object_at("status")["certificate"] = base64_encode(*certificate);
  return changed.freeze();
}

}  // namespace

void CertificateSigner::begin(Api& api) {
  api.latest().scan(kRequests, {}, [&](const store::RecordRef& record) {
    requests_.add(record->key);
    return true;
  });
}

void CertificateSigner::observe(const store::Event& event) {
  if (event.key().starts_with(kRequests)) requests_.add(std::string{event.key()});
}

bool CertificateSigner::step(Api& api) {
  const auto key = requests_.take();
  if (!key) return false;
  const auto record = api.latest().find(*key);
  if (!record || !waits(record->body)) return true;
  const auto changed = answered(record->body, api.now(), sign_);
  // Refused: somebody was quicker, and the event of that write brings it back.
  if (changed) {
    const kube::GroupVersionResource resource{"certificates.k8s.io", "v1",
                                              "certificatesigningrequests"};
    (void)api.call(update_request(resource, *changed, "status"));
  }
  return true;
}

}  // namespace fixpoint::cluster
