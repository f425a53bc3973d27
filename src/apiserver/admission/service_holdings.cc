// SPDX-License-Identifier: Apache-2.0
#include "apiserver/admission/service_holdings.h"

#include "base/error.h"

#include <charconv>

namespace fixpoint::apiserver {
namespace {

constexpr std::string_view kServices = "services/";

const store::RecordRef& record_of(const store::Event& event) {
  return event.after ? event.after : event.last;
}

std::optional<std::uint8_t> octet(std::string_view text) {
  std::uint8_t number = 0;
  const auto* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
  return number;
}

template <class Number>
void bump(std::unordered_map<Number, std::uint32_t>& holders, Number number, int sign) {
  if (sign > 0) {
    ++holders[number];
    return;
  }
  const auto known = holders.find(number);
  FP_CHECK(known != holders.end());
  if (--known->second == 0) holders.erase(known);
}

}  // namespace

std::optional<Host> host_of(std::string_view address) {
  if (!address.starts_with(kServiceRange)) return std::nullopt;
  address.remove_prefix(kServiceRange.size());
  const auto dot = address.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const auto high = octet(address.substr(0, dot));
  const auto low = octet(address.substr(dot + 1));
  if (!high || !low) return std::nullopt;
  return static_cast<Host>((*high << 8U) | *low);
}

void ServiceHoldings::follow(const store::Store& store) {
  if (!catch_up(store)) read_all(store);
}

bool ServiceHoldings::catch_up(const store::Store& store) {
  const auto now = store.revision();
  if (!last_ || now < seen_) return false;
  if (now.value - seen_.value > services_ * kEventsPerService) return false;
  const auto events = store.events_after(store::Revision{seen_.value - 1});
  if (!events || events->empty() || record_of(events->front()) != last_) return false;
  for (std::size_t i = 1; i < events->size(); ++i) note((*events)[i]);
  last_ = record_of(events->back());
  seen_ = now;
  return true;
}

void ServiceHoldings::read_all(const store::Store& store) {
  addresses_.clear();
  ports_.clear();
  services_ = 0;
  store.latest().scan(kServices, {}, [&](const store::RecordRef& service) {
    count(service, 1);
    return true;
  });
  seen_ = store.revision();
  last_ = {};
  if (seen_.value == 0) return;
  // Just after a restart there is no such event; with the next one there will be.
  const auto events = store.events_after(store::Revision{seen_.value - 1});
  if (events && !events->empty()) last_ = record_of(events->back());
}

void ServiceHoldings::note(const store::Event& event) {
  if (!event.key().starts_with(kServices)) return;
  if (event.before) count(event.before, -1);
  if (event.after) count(event.after, 1);
}

void ServiceHoldings::count(const store::RecordRef& service, int sign) {
  services_ += static_cast<std::size_t>(sign);
  ++services_read_;
  const json::View spec = service->body.get("spec");
  for (const json::View address : spec.get("clusterIPs").elements()) {
    if (const auto host = host_of(address.as_string())) bump(addresses_, *host, sign);
  }
  if (const auto health = spec.get("healthCheckNodePort").as_int(); health != 0) {
    bump(ports_, health, sign);
  }
  for (const json::View port : spec.get("ports").elements()) {
    if (const auto number = port.get("nodePort").as_int(); number != 0) {
      bump(ports_, number, sign);
    }
  }
}

}  // namespace fixpoint::apiserver
