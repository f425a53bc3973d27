// SPDX-License-Identifier: Apache-2.0
#include "front/identity/impersonate.h"

#include "apiserver/access/rbac.h"
#include "front/router.h"
#include "kube/meta/names.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::front {
namespace {

using apiserver::User;

constexpr std::string_view kAccountPrefix = "system:serviceaccount:";
constexpr std::string_view kAuthentication = "authentication.k8s.io";

// What the headers ask for, as sent.
struct Asked {
  std::string user;
  std::vector<std::string> groups;
  std::vector<std::pair<std::string, std::string>> extras;  // one value each
  std::string uid;

  bool nothing() const { return user.empty() && groups.empty() && extras.empty() && uid.empty(); }
};

Asked asked_in(const net::Headers& headers) {
  constexpr std::string_view kExtra = "impersonate-extra-";
  Asked asked;
  if (const std::string* user = headers.find("impersonate-user")) asked.user = *user;
  if (const std::string* uid = headers.find("impersonate-uid")) asked.uid = *uid;
  for (const auto& [name, value] : headers) {
    if (name == "impersonate-group") asked.groups.push_back(value);
    if (name.starts_with(kExtra)) {
      std::string key = name.substr(kExtra.size());
      if (auto decoded = percent_decode(key, false)) key = *std::move(decoded);
      asked.extras.emplace_back(std::move(key), value);
    }
  }
  return asked;
}

// The references as Go prints them: kind, namespace, name, uid, apiVersion, version, field path.
std::string without_user(const Asked& asked) {
  std::string list;
  const auto add = [&](const std::string& text) {
    if (!list.empty()) list += ' ';
    list += text;
  };
  const std::string version = std::string{kAuthentication} + "/v1";
  for (const auto& group : asked.groups) add("{Group  " + group + "    }");
  for (const auto& [key, value] : asked.extras) {
    add("{UserExtra  " + value + "  " + version + "  " + key + "}");
  }
  if (!asked.uid.empty()) add("{UID  " + asked.uid + "  " + version + "  }");
  return "requested [" + list + "] without impersonating a user";
}

struct Account {
  std::string ns;
  std::string name;
};

std::optional<Account> account_in(std::string_view user) {
  if (!user.starts_with(kAccountPrefix)) return std::nullopt;
  user.remove_prefix(kAccountPrefix.size());
  const auto colon = user.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto ns = user.substr(0, colon);
  const auto name = user.substr(colon + 1);
  if (!kube::dns1123_label_problems(ns).empty() ||
      !kube::dns1123_subdomain_problems(name).empty()) {
    return std::nullopt;
  }
  return Account{.ns = std::string{ns}, .name = std::string{name}};
}

// All the rights that `asked` takes, in the order they are looked at.
std::vector<apiserver::Attempt> attempts(const Asked& asked,
                                         const std::optional<Account>& account) {
  std::vector<apiserver::Attempt> all;
  const auto add = [&](std::string_view group, std::string_view resource, std::string_view name,
                       std::string_view subresource = {}) -> apiserver::Attempt& {
    return all.emplace_back(apiserver::Attempt{.verb = "impersonate",
                                               .group = std::string{group},
                                               .resource = std::string{resource},
                                               .subresource = std::string{subresource},
                                               .ns = {},
                                               .name = std::string{name},
                                               .path = {}});
  };
  if (account) {
    add("", "serviceaccounts", account->name).ns = account->ns;
  } else {
    add("", "users", asked.user);
  }
  for (const auto& group : asked.groups) add("", "groups", group);
  for (const auto& [key, value] : asked.extras) add(kAuthentication, "userextras", value, key);
  if (!asked.uid.empty()) add(kAuthentication, "uids", asked.uid);
  return all;
}

bool any_of(const std::vector<std::string>& groups, std::initializer_list<std::string_view> names) {
  return std::ranges::any_of(names, [&](std::string_view name) {
    return std::ranges::find(groups, name) != groups.end();
  });
}

// Groups that are given are the authority; without any, an account has those of its namespace.
std::vector<std::string> groups_of(const Asked& asked, const std::optional<Account>& account) {
  auto groups = asked.groups;
  if (account && groups.empty()) {
    groups = {"system:serviceaccounts", "system:serviceaccounts:" + account->ns};
  }
  if (asked.user == "system:anonymous") {
    if (!any_of(groups, {"system:unauthenticated"})) groups.emplace_back("system:unauthenticated");
  } else if (!any_of(groups, {"system:authenticated", "system:unauthenticated"})) {
    groups.emplace_back("system:authenticated");
  }
  return groups;
}

void add_extra(User& user, const std::string& key, const std::string& value) {
  for (auto& [known, values] : user.extra) {
    if (known == key) return values.push_back(value);
  }
  user.extra.emplace_back(key, std::vector<std::string>{value});
}

}  // namespace

kube::Answer<User> acting_user(const net::Request& request, User sender,
                               const store::Snapshot& snapshot) {
  const Asked asked = asked_in(request.headers);
  if (asked.nothing()) return sender;
  if (asked.user.empty()) {
    return std::unexpected(kube::unreasoned(
        500, "Internal Server Error: " + kube::shown(request.target) + ": " + without_user(asked)));
  }
  const auto account = account_in(asked.user);
  for (const auto& attempt : attempts(asked, account)) {
    const auto decision = authorize(snapshot, sender, attempt);
    if (!decision.allowed) return std::unexpected(refusal(sender, attempt, decision));
  }
  User user{.name = asked.user, .uid = asked.uid, .groups = groups_of(asked, account), .extra = {}};
  for (const auto& [key, value] : asked.extras) add_extra(user, key, value);
  return user;
}

}  // namespace fixpoint::front
