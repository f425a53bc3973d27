// SPDX-License-Identifier: Apache-2.0
#include "node/pod/image_map.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace fixpoint::node {
namespace {

// A newer generation stands in for an older one only where nothing else is installed, and the
// event of the container says which program it is.
constexpr std::string_view kStandard = R"(
valkey/valkey:9*   valkey-server-9|valkey-server                --bind /data
valkey/valkey:8*   valkey-server-8|valkey-server|redis-server   valkey-server=valkey-server-8|valkey-server|redis-server valkey-cli=valkey-cli|redis-cli --bind /data
valkey/valkey:7*   redis-server                                 valkey-server=redis-server valkey-cli=redis-cli --bind /data
valkey/valkey:*    valkey-server|redis-server                   valkey-server=valkey-server|redis-server valkey-cli=valkey-cli|redis-cli --bind /data
redis:*            redis-server                                 --bind /data
busybox:*          sh
alpine:*           sh
debian:*           sh|bash
stellar/stellar-core:*      @stellar-core
stellar/horizon:*           @horizon       stellar-horizon=@horizon
stellar/stellar-horizon:*   @horizon       stellar-horizon=@horizon
stellar/stellar-rpc:*       @stellar-rpc
stellar/soroban-rpc:*       @stellar-rpc   soroban-rpc=@stellar-rpc
ubuntu:*           bash|sh
)";

bool matches(std::string_view pattern, std::string_view text) {
  std::size_t star = std::string_view::npos;
  std::size_t resume = 0;
  std::size_t p = 0;
  std::size_t t = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::vector<std::string> words_before_comment(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : line) {
    if (c == '#') break;
    if (c != ' ' && c != '\t' && c != '\r') {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::exchange(word, {}));
    }
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

std::vector<std::string> alternatives(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const auto bar = std::min(text.find('|'), text.size());
    if (bar > 0) out.emplace_back(text.substr(0, bar));
    text.remove_prefix(std::min(bar + 1, text.size()));
  }
  return out;
}

Result<ImageRow> row_of(const std::vector<std::string>& words) {
  if (words.size() < 2) return fail(ErrorKind::Invalid, "an image and its program are needed");
  ImageRow row{.pattern = words[0],
               .programs = alternatives(words[1]),
               .aliases = {},
               .address_option = {},
               .directory = {}};
  if (row.pattern.find(':') == std::string::npos && !row.pattern.ends_with('*')) {
    row.pattern += ":*";
  }
  for (std::size_t i = 2; i < words.size(); ++i) {
    const auto& word = words[i];
    const auto equals = word.find('=');
    if (word.starts_with("--")) {
      row.address_option = word;
    } else if (word.starts_with('/')) {
      row.directory = word;
    } else if (equals != std::string::npos && equals > 0) {
      row.aliases[word.substr(0, equals)] = word.substr(equals + 1);
    } else {
      return fail(ErrorKind::Invalid,
                  fmt::format("\"{}\" is neither NAME=PROGRAM, --OPTION nor /DIRECTORY", word));
    }
  }
  return row;
}

bool is_lower_name(std::string_view part) {
  return !part.empty() && std::ranges::all_of(part, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
  });
}

bool is_tag(std::string_view tag) {
  constexpr std::size_t kTagMax = 128;
  return !tag.empty() && tag.size() <= kTagMax && std::ranges::all_of(tag, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  });
}

}  // namespace

Result<std::string> image_name(std::string_view image) {
  const auto bad = [&](std::string_view why) {
    return fail(ErrorKind::Invalid,
                fmt::format("Failed to apply default image tag \"{0}\": couldn't parse image name "
                            "\"{0}\": invalid reference format{1}",
                            image, why));
  };
  std::string_view rest = image.substr(0, image.find('@'));
  const bool digest = rest.size() < image.size();
  std::string_view tag = digest ? "" : "latest";
  const auto colon = rest.rfind(':');
  if (colon != std::string_view::npos && rest.find('/', colon) == std::string_view::npos) {
    tag = rest.substr(colon + 1);
    rest = rest.substr(0, colon);
    if (!is_tag(tag)) return bad("");
  }
  // A registry is told by its dot or port.
  const auto slash = rest.find('/');
  if (slash != std::string_view::npos) {
    const auto host = rest.substr(0, slash);
    if (host.find_first_of(".:") != std::string_view::npos || host == "localhost") {
      rest.remove_prefix(slash + 1);
    }
  }
  if (rest.starts_with("library/")) rest.remove_prefix(8);
  std::string_view left = rest;
  while (true) {
    const auto end = std::min(left.find('/'), left.size());
    const auto part = left.substr(0, end);
    if (!is_lower_name(part)) {
      const bool upper = std::ranges::any_of(part, [](char c) { return c >= 'A' && c <= 'Z'; });
      return bad(upper ? fmt::format(": repository name ({}) must be lowercase",
                                     rest.find('/') == std::string_view::npos
                                         ? fmt::format("library/{}", rest)
                                         : std::string{rest})
                       : std::string{});
    }
    if (end == left.size()) break;
    left.remove_prefix(end + 1);
  }
  return fmt::format("{}:{}", rest, tag);
}

ImageMap ImageMap::standard() {
  auto map = parse(kStandard);
  FP_CHECK(map.has_value());
  return *std::move(map);
}

Result<ImageMap> ImageMap::parse(std::string_view text) {
  ImageMap map;
  int number = 0;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto words = words_before_comment(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (words.empty()) continue;
    auto row = row_of(words);
    if (!row) return fail_in(fmt::format("image map, line {}", number), std::move(row).error());
    map.rows_.push_back(*std::move(row));
  }
  return map;
}

void ImageMap::put_before(ImageMap first) {
  rows_.insert(rows_.begin(), std::make_move_iterator(first.rows_.begin()),
               std::make_move_iterator(first.rows_.end()));
}

Result<ImageProgram> ImageMap::find(std::string_view image, const Find& find) const {
  FP_TRY(name, image_name(image));
  const auto row = std::ranges::find_if(
      rows_, [&](const ImageRow& candidate) { return matches(candidate.pattern, name); });
  if (row == rows_.end()) return ImageProgram{};
  for (const auto& program : row->programs) {
    if (program.starts_with('@') || find(program)) return ImageProgram{&*row, program};
  }
  return fail(ErrorKind::NotFound,
              fmt::format("no local program for image \"{}\": {} is not installed", image,
                          fmt::join(row->programs, " or ")));
}

std::vector<std::string> ImageProgram::stand_in_names() const {
  std::vector<std::string> names;
  if (!is_stand_in()) return names;
  names.push_back(program.substr(1));
  for (const auto& [name, stands_for] : row->aliases) {
    if (stands_for.starts_with('@')) names.push_back(name);
  }
  return names;
}

std::vector<std::string> command_of(const ImageProgram& image, std::vector<std::string> command,
                                    std::vector<std::string> args, std::string_view address) {
  std::vector<std::string> words = std::move(command);
  if (words.empty()) {
    // As images' entry points do: options and configuration files are for the program, anything
    // else is a command of its own.
    const bool own = image.is_stand_in() || args.empty() || args[0].starts_with('-') ||
                     args[0].ends_with(".conf");
    if (own) words.push_back(image.is_stand_in() ? image.program.substr(1) : image.program);
  }
  words.insert(words.end(), std::make_move_iterator(args.begin()),
               std::make_move_iterator(args.end()));
  // A stand-in's names are files in its container.
  if (image.row == nullptr || image.is_stand_in()) return words;
  std::string& first = words.front();
  if (const auto alias = image.row->aliases.find(first); alias != image.row->aliases.end()) {
    // Of the alternatives the image's own program, when it is one of them.
    const auto choices = alternatives(alias->second);
    const bool own = std::ranges::find(choices, image.program) != choices.end();
    first = own || choices.empty() ? image.program : choices.front();
  }
  const auto& option = image.row->address_option;
  const bool server = first == image.program || first.ends_with("/" + image.program);
  if (server && !option.empty() && std::ranges::find(words, option) == words.end()) {
    words.push_back(option);
    words.emplace_back(address);
  }
  return words;
}

}  // namespace fixpoint::node
