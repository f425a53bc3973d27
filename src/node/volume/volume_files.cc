// SPDX-License-Identifier: Apache-2.0
#include "node/volume/volume_files.h"

#include "base/base64.h"
#include "kube/meta/metadata.h"
#include "node/pod/downward.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace fixpoint::node {
namespace {

constexpr std::uint32_t kDefaultMode = 0644;
constexpr std::int64_t kTokenSeconds = 3600;

std::uint32_t mode_of(json::View mode, std::uint32_t fallback) {
  return mode.is_int() ? static_cast<std::uint32_t>(mode.as_int()) & 0777U : fallback;
}

TokenWish token_wish_of(json::View projection) {
  return {.audience = std::string{projection.get("audience").as_string()},
          .seconds = projection.get("expirationSeconds").as_int(kTokenSeconds)};
}

class Collector {
 public:
  explicit Collector(const FileSources& from) : from_(from) {}

  Result<void> config_map(json::View source, std::string_view name_field, std::uint32_t mode) {
    const auto name = source.get(name_field).as_string();
    const json::View object = from_.sources.config_map(key(name));
    if (object.is_null()) return missing(source, "configmap", name);
    FileSet all;
    for (const auto [key, value] : object.get("data").members()) {
      all[std::string{key}] = {std::string{value.as_string()}, mode};
    }
    FP_TRY_VOID(add_decoded(object.get("binaryData"), mode, all));
    return pick(source, mode, std::move(all), "configmap references non-existent config key: ");
  }

  Result<void> secret(json::View source, std::string_view name_field, std::uint32_t mode) {
    const auto name = source.get(name_field).as_string();
    const json::View object = from_.sources.secret(key(name));
    if (object.is_null()) return missing(source, "secret", name);
    FileSet all;
    FP_TRY_VOID(add_decoded(object.get("data"), mode, all));
    return pick(source, mode, std::move(all), "references non-existent secret key: ");
  }

  Result<void> downward(json::View source, std::uint32_t mode) {
    for (const json::View item : source.get("items").elements()) {
      auto value = item.get("fieldRef").is_null()
                       ? resource_value(item.get("resourceFieldRef"), from_.pod, {}, from_.place)
                       : field_value(item.get("fieldRef"), from_.pod, from_.place);
      if (!value) return std::unexpected(std::move(value).error());
      FP_TRY_VOID(
          put(item.get("path").as_string(), {*std::move(value), mode_of(item.get("mode"), mode)}));
    }
    return {};
  }

  Result<void> token(json::View projection, std::uint32_t mode) {
    const std::string* token = from_.tokens(token_wish_of(projection));
    if (token == nullptr) {
      return fail(ErrorKind::Unavailable, "the service account token is not there yet");
    }
    return put(projection.get("path").as_string(), {*token, mode});
  }

  Result<void> projected(json::View source) {
    const auto mode = mode_of(source.get("defaultMode"), kDefaultMode);
    for (const json::View one : source.get("sources").elements()) {
      if (const json::View map = one.get("configMap"); !map.is_null()) {
        FP_TRY_VOID(config_map(map, "name", mode));
      } else if (const json::View secret_source = one.get("secret"); !secret_source.is_null()) {
        FP_TRY_VOID(secret(secret_source, "name", mode));
      } else if (const json::View fields = one.get("downwardAPI"); !fields.is_null()) {
        FP_TRY_VOID(downward(fields, mode));
      } else if (const json::View wish = one.get("serviceAccountToken"); !wish.is_null()) {
        FP_TRY_VOID(token(wish, mode));
      } else {
        return fail(ErrorKind::Invalid, "this projection is not supported on this node");
      }
    }
    return {};
  }

  FileSet take() { return std::move(files_); }

 private:
  kube::Key key(std::string_view name) const {
    return {std::string{kube::namespace_of(from_.pod)}, std::string{name}};
  }

  static Result<void> missing(json::View source, std::string_view kind, std::string_view name) {
    if (source.get("optional").as_bool()) return {};
    return fail(ErrorKind::NotFound, fmt::format("{} \"{}\" not found", kind, name));
  }

  static Result<void> add_decoded(json::View data, std::uint32_t mode, FileSet& out) {
    for (const auto [key, value] : data.members()) {
      FP_TRY(plain, base64_decode(value.as_string()));
      out[std::string{key}] = {std::move(plain), mode};
    }
    return {};
  }

  // All of them under their own names, or those that `items` lists under the names given there.
  Result<void> pick(json::View source, std::uint32_t mode, FileSet all, std::string_view absent) {
    const json::View items = source.get("items");
    if (items.empty()) {
      for (auto& [name, content] : all) FP_TRY_VOID(put(name, std::move(content)));
      return {};
    }
    for (const json::View item : items.elements()) {
      const std::string name{item.get("key").as_string()};
      const auto found = all.find(name);
      if (found == all.end()) {
        if (source.get("optional").as_bool()) continue;
        return fail(ErrorKind::NotFound, std::string{absent} + name);
      }
      FP_TRY_VOID(put(item.get("path").as_string(),
                      {found->second.bytes, mode_of(item.get("mode"), mode)}));
    }
    return {};
  }

  Result<void> put(std::string_view path, FileContent content) {
    FP_TRY_VOID(check_file_path(path));
    files_[std::string{path}] = std::move(content);
    return {};
  }

  const FileSources& from_;
  FileSet files_;
};

}  // namespace

bool has_files(json::View volume) {
  for (const std::string_view kind : {"configMap", "secret", "downwardAPI", "projected"}) {
    if (!volume.get(kind).is_null()) return true;
  }
  return false;
}

std::vector<TokenWish> tokens_of(json::View volume) {
  std::vector<TokenWish> wishes;
  for (const json::View one : volume.get("projected", "sources").elements()) {
    const json::View projection = one.get("serviceAccountToken");
    if (!projection.is_null()) wishes.push_back(token_wish_of(projection));
  }
  return wishes;
}

Result<FileSet> files_of(json::View volume, const FileSources& from) {
  Collector collector(from);
  const json::View map = volume.get("configMap");
  const json::View secret = volume.get("secret");
  const json::View downward = volume.get("downwardAPI");
  if (!map.is_null()) {
    FP_TRY_VOID(collector.config_map(map, "name", mode_of(map.get("defaultMode"), kDefaultMode)));
  } else if (!secret.is_null()) {
    FP_TRY_VOID(
        collector.secret(secret, "secretName", mode_of(secret.get("defaultMode"), kDefaultMode)));
  } else if (!downward.is_null()) {
    FP_TRY_VOID(collector.downward(downward, mode_of(downward.get("defaultMode"), kDefaultMode)));
  } else {
    FP_TRY_VOID(collector.projected(volume.get("projected")));
  }
  return collector.take();
}

Result<void> check_file_path(std::string_view path) {
  const auto bad = [&](std::string_view why) {
    return fail(ErrorKind::Invalid, fmt::format("invalid path \"{}\": {}", path, why));
  };
  constexpr std::size_t kPathMax = 4'096;
  if (path.empty() || path.size() > kPathMax) return bad("must be 1 to 4096 bytes");
  if (path.starts_with('/')) return bad("must be relative");
  if (path.starts_with("..")) return bad("must not start with \"..\"");
  if (path.find('\0') != std::string_view::npos) return bad("must not contain a zero byte");
  std::size_t begin = 0;
  while (begin <= path.size()) {
    const auto end = std::min(path.find('/', begin), path.size());
    const auto part = path.substr(begin, end - begin);
    if (part == ".." || part == "." || part.empty()) return bad("every part must be a name");
    begin = end + 1;
  }
  return {};
}

}  // namespace fixpoint::node
