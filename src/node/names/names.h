// SPDX-License-Identifier: Apache-2.0
//
// Names: a tiny DNS server on loopback, for pods: services and their pods by name.
//
// SVC.NS.svc.DOMAIN is the addresses of its ready pods, headless or not: nothing here forwards a
// cluster address to them. HOST.SVC.NS.svc.DOMAIN is one pod's. Pods of this node are matched by
// selector, since endpoints may not hold loopback addresses; those of other nodes come from
// EndpointSlices. Everything else is asked of the machine's own server. Programs find it by
// resolv.conf, which knows no port but 53, so it needs the right to use that one.
#pragma once

#include "net/loop.h"
#include "runtime/cache/cache.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::node {

struct NameAnswer {
  bool ours = false;   // below the cluster's domain
  bool known = false;  // there is such a name
  std::vector<std::string> addresses;
};
// What is known of one namespace.
struct NameSources {
  std::vector<json::View> services;
  std::vector<json::View> pods;    // of this node
  std::vector<json::View> slices;  // EndpointSlices
};
NameAnswer look_up(std::string_view name, std::string_view domain, const NameSources& sources);
// The namespace a name is about; empty when it is not one of ours.
std::string namespace_in(std::string_view name, std::string_view domain);

class Names final : private net::Pollable {
 public:
  // Null when the port may not be used.
  static std::unique_ptr<Names> open(net::Loop& loop, const std::string& address,
                                     std::string domain);
  ~Names() override;
  Names(const Names&) = delete;
  Names& operator=(const Names&) = delete;

  void use(const runtime::CacheSession& session) { session_ = &session; }
  const std::string& address() const { return address_; }

 private:
  class Upstream;
  Names(net::Loop& loop, int fd, std::string address, std::string domain);
  void ready(std::uint32_t events) override;
  NameSources sources_for(std::string_view name) const;

  net::Loop& loop_;
  int fd_;
  std::string address_;
  std::string domain_;
  const runtime::CacheSession* session_ = nullptr;
  std::unique_ptr<Upstream> upstream_;
};

}  // namespace fixpoint::node
