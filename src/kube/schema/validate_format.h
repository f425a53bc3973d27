// SPDX-License-Identifier: Apache-2.0
//
// The string formats a custom resource's schema may ask for, each as strict or lax as the Go
// library Kubernetes checks it with. A format that is not listed is not enforced (nor are
// k8s-short-name and k8s-long-name by 1.34, which knows them but enforces only what the version
// before it did).
#pragma once

#include <cstdint>
#include <string_view>

namespace fixpoint::kube {

enum class Format : std::uint8_t {
  None,
  BsonObjectId,
  Uri,
  Email,
  Hostname,
  Ipv4,
  Ipv6,
  Cidr,
  Mac,
  Uuid,
  Uuid3,
  Uuid4,
  Uuid5,
  Isbn,
  Isbn10,
  Isbn13,
  CreditCard,
  Ssn,
  HexColor,
  RgbColor,
  Byte,
  Password,
  Date,
  Duration,
  DateTime,
};

// Dashes do not count: "date-time" is "datetime".
Format format_named(std::string_view name);

bool has_format(std::string_view text, Format format);

}  // namespace fixpoint::kube
