// SPDX-License-Identifier: Apache-2.0
#include "node/addresses.h"

#include "base/file.h"
#include "json/draft.h"
#include "json/parsing/parse.h"
#include "json/print.h"
#include "node/volume/file_tree.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace fixpoint::node {
namespace {

std::string address(int block, std::uint32_t host) {
  const std::uint32_t number = host + 1;  // y.z = 0.0 is no host
  return fmt::format("127.{}.{}.{}", block, number / 256, number % 256);
}

Result<json::Value> read(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return json::Value{};
  FP_TRY(text, read_file(file));
  auto parsed = json::parse(text);
  if (!parsed) {
    return fail(ErrorKind::Invalid,
                fmt::format("{} is damaged ({}); remove it once no pod of this node runs",
                            file.string(), parsed.error().message));
  }
  return *std::move(parsed);
}

}  // namespace

Result<Addresses> Addresses::open(std::filesystem::path file, const Claim& claim,
                                  std::uint64_t first) {
  FP_TRY(saved, read(file));
  const auto before = static_cast<int>(saved.get("block").as_int());
  int block = 0;
  if (before >= kBlockFirst && before <= kBlockLast && claim(before)) block = before;
  for (int other = kBlockFirst; block == 0 && other <= kBlockLast; ++other) {
    if (other != before && claim(other)) block = other;
  }
  if (block == 0) {
    return fail(ErrorKind::Exhausted, "all blocks 127.1 to 127.254 are taken by other nodes");
  }
  Addresses out(std::move(file), block);
  if (block == before) first = static_cast<std::uint64_t>(saved.get("next").as_int());
  out.next_ = static_cast<std::uint32_t>(first % kHosts);
  for (const auto [uid, ip] : saved.get("pods").members()) {
    out.by_uid_[std::string{uid}] = ip.as_string();
  }
  return out;
}

const std::string* Addresses::find(std::string_view uid) const {
  const auto found = by_uid_.find(uid);
  return found == by_uid_.end() ? nullptr : &found->second;
}

Result<std::string> Addresses::take(std::string_view uid) {
  if (const auto* known = find(uid)) return *known;
  const auto taken = [&](const std::string& ip) {
    return std::ranges::any_of(by_uid_, [&](const auto& entry) { return entry.second == ip; });
  };
  for (std::uint32_t tried = 0; tried < kHosts; ++tried) {
    std::string ip = address(block_, next_);
    next_ = (next_ + 1) % kHosts;
    if (taken(ip)) continue;
    by_uid_[std::string{uid}] = ip;
    FP_TRY_VOID(save());
    return ip;
  }
  return fail(ErrorKind::Exhausted, "every address of this node is taken by a pod");
}

Result<void> Addresses::release(std::string_view uid) {
  const auto found = by_uid_.find(uid);
  if (found == by_uid_.end()) return {};
  by_uid_.erase(found);
  return save();
}

Result<void> Addresses::save() const {
  json::Draft out = json::Draft::object();
  out["block"] = block_;
  out["next"] = static_cast<std::int64_t>(next_);
  for (const auto& [uid, ip] : by_uid_) out.object_at("pods")[uid] = ip;
  const json::Value frozen = out.freeze();
  return write_whole_file(file_, json::to_pretty_text(frozen) + "\n", 0600);
}

BlockClaims::~BlockClaims() {
  for (const auto& [block, fd] : sockets_) ::close(fd);
}

bool BlockClaims::take(int block) {
  if (sockets_.contains(block)) return true;
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  const std::string text = fmt::format("fixpoint-node-127.{}", block);
  std::memcpy(name.sun_path + 1, text.data(), text.size());  // a leading zero: no file
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
  if (::bind(fd, reinterpret_cast<const sockaddr*>(&name), size) != 0) {
    ::close(fd);
    return false;
  }
  sockets_[block] = fd;
  return true;
}

}  // namespace fixpoint::node
