// SPDX-License-Identifier: Apache-2.0
#include "cluster/workloads/template_hash.h"

#include "json/print.h"

namespace fixpoint::cluster {
namespace {

constexpr std::string_view kSafe = "bcdfghjklmnpqrstvwxz2456789";
constexpr std::uint32_t kOffset = 2166136261U;
constexpr std::uint32_t kPrime = 16777619U;

// FNV-1a.
std::uint32_t add_a(std::uint32_t hash, std::string_view bytes) {
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * kPrime;
  return hash;
}

// FNV-1.
std::uint32_t add_1(std::uint32_t hash, std::string_view bytes) {
  for (const char byte : bytes) hash = (hash * kPrime) ^ static_cast<unsigned char>(byte);
  return hash;
}

}  // namespace

std::string safe_encode(std::uint32_t number) {
  std::string text = std::to_string(number);
  for (char& digit : text) digit = kSafe[static_cast<unsigned char>(digit) % kSafe.size()];
  return text;
}

std::string template_hash(json::View pod_template, std::optional<std::int64_t> collision) {
  std::uint32_t hash = add_a(kOffset, json::to_text(pod_template));
  if (collision) {
    std::string bytes(8, '\0');
    const auto count = static_cast<std::uint32_t>(*collision);
    for (unsigned i = 0; i < 4; ++i) bytes[i] = static_cast<char>((count >> (8 * i)) & 0xffU);
    hash = add_a(hash, bytes);
  }
  return safe_encode(hash);
}

std::string revision_hash(std::string_view data, std::int64_t collision) {
  return safe_encode(add_1(add_1(kOffset, data), std::to_string(collision)));
}

}  // namespace fixpoint::cluster
