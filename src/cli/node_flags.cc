// SPDX-License-Identifier: Apache-2.0
#include "cli/node_flags.h"

#include "client/config/files.h"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>
#include <unistd.h>

namespace fixpoint::cli {
namespace {

// A file of lines, or one line with an equals sign for the first blank.
Result<node::ImageMap> image_map_of(std::string_view flag) {
  const auto equals = flag.find('=');
  const bool line = equals != std::string_view::npos && flag.substr(0, equals).find('/') != 0 &&
                    ::access(std::string{flag}.c_str(), R_OK) != 0;
  if (line) {
    return node::ImageMap::parse(
        fmt::format("{} {}", flag.substr(0, equals), flag.substr(equals + 1)));
  }
  FP_TRY(text, client::read_small_file(std::string{flag}));
  return node::ImageMap::parse(text);
}

}  // namespace

Result<node::NodeOptions> node_options(const Arguments& arguments) {
  node::NodeOptions options;
  options.allow_host_path = arguments.given("allow-host-path");
  options.allow_privileged = arguments.given("allow-privileged");
  if (arguments.given("image")) {
    auto map = image_map_of(arguments.value("image"));
    if (!map) return fail_in("--image", std::move(map).error());
    options.images.put_before(*std::move(map));
  }
  return options;
}

std::string machine_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "local";
  std::string out;
  for (const char c : std::string_view{name.data()}) {
    const auto lower = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const bool fits = (lower >= 'a' && lower <= 'z') || (lower >= '0' && lower <= '9');
    if (fits || (!out.empty() && (lower == '-' || lower == '.'))) out += lower;
  }
  constexpr std::size_t kNameMax = 63;
  out.resize(std::min(out.size(), kNameMax));
  while (!out.empty() && (out.back() == '-' || out.back() == '.')) out.pop_back();
  return out.empty() ? "local" : out;
}

}  // namespace fixpoint::cli
