// SPDX-License-Identifier: Apache-2.0
#include "node/agent/compose.h"

#include "kube/meta/metadata.h"
#include "kube/scalars/quantity.h"
#include "node/pod/environment.h"
#include "node/pod/image_map.h"
#include "node/pod/status.h"
#include "node/volume/file_tree.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

namespace fixpoint::node {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDefaultPath =
    "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
// The administrator's home; in two words, for the lint takes it for a path of one machine.
constexpr std::string_view kRootHome =
    "/"
    "root";
// Where containers find a stand-in's names, in a root of their own.
constexpr std::string_view kStandInDirectory = "/opt/fixpoint/bin";
// A stand-in finds paths in files, where nobody rewrites them: "/config=/var/…", one a line.
constexpr std::string_view kMountsVariable = "FIXPOINT_MOUNTS";
// Whom a container that must not be root becomes when nobody says whom.
constexpr std::uint32_t kNobody = 65534;

std::string host_name_of(json::View pod) {
  constexpr std::size_t kHostNameMax = 63;
  const auto given = pod.get("spec", "hostname").as_string();
  return std::string{(given.empty() ? kube::name_of(pod) : given).substr(0, kHostNameMax)};
}

json::View security(json::View pod, json::View container, std::string_view field) {
  const json::View own = container.get("securityContext", field);
  return own.is_null() ? pod.get("spec", "securityContext", field) : own;
}

class Composer {
 public:
  Composer(Host& host, const ComposeCall& call) : host_(host), call_(call) {}

  std::expected<Composed, Waiting> run() {
    auto image = find_image();
    if (!image) return std::unexpected(std::move(image).error());
    Composed out;
    out.image_id = image->row == nullptr ? "fixpoint://simulated"
                   : image->is_stand_in()
                       ? fmt::format("{}{}", kStandInImage, image->program.substr(1))
                       : "fixpoint://" + image->program;
    auto environment = environment_of(call_.pod, call_.container, host_.sources(), call_.place);
    if (!environment) return config_error(environment.error().message);
    if (auto ok = check_rights(); !ok) return std::unexpected(std::move(ok).error());
    auto mounts = call_.volumes.mounts_of(call_.pod, call_.container, *environment);
    if (!mounts) return config_error(mounts.error().message);
    if (image->row == nullptr) return out;
    out.run = spec_for(*image, *std::move(environment), *std::move(mounts));
    return out;
  }

 private:
  static std::unexpected<Waiting> config_error(std::string why) {
    return std::unexpected(Waiting{"CreateContainerConfigError", std::move(why)});
  }

  std::expected<ImageProgram, Waiting> find_image() const {
    const auto name = call_.container.get("image").as_string();
    const bool never = call_.container.get("imagePullPolicy").as_string() == "Never";
    const auto not_present = [&] {
      return std::unexpected(Waiting{
          "ErrImageNeverPull",
          fmt::format("Container image \"{}\" is not present with pull policy of Never", name)});
    };
    auto image = host_.options().images.find(name, find_in_path);
    if (!image && image.error().kind == ErrorKind::Invalid) {
      return std::unexpected(Waiting{"InvalidImageName", image.error().message});
    }
    if (never && (!image || image->row == nullptr)) return not_present();
    if (!image) return std::unexpected(Waiting{"ErrImagePull", image.error().message});
    return *std::move(image);
  }

  std::expected<void, Waiting> check_rights() const {
    const json::View context = call_.container.get("securityContext");
    if (context.get("privileged").as_bool() && !host_.options().allow_privileged) {
      return config_error("privileged containers are not allowed on this node");
    }
    const json::View user = security(call_.pod, call_.container, "runAsUser");
    if (security(call_.pod, call_.container, "runAsNonRoot").as_bool() && user.is_int() &&
        user.as_int() == 0) {
      return config_error(
          fmt::format("container's runAsUser breaks non-root policy (pod: \"{}\", container: {})",
                      pod_name_for_people(call_.pod), call_.container.get("name").as_string()));
    }
    return {};
  }

  RunSpec spec_for(const ImageProgram& image, Environment environment,
                   std::vector<BindMount> mounts) {
    RunSpec spec;
    spec.isolation = host_.isolation();
    spec.log = call_.log;
    spec.orphan_time = host_.options().orphan_time;
    spec.host_name = host_name_of(call_.pod);
    if (!call_.pod.get("spec", "hostNetwork").as_bool()) spec.address = call_.place.pod_ip;
    spec.takes_input = call_.container.get("stdin").as_bool();
    spec.terminal = call_.container.get("tty").as_bool();
    spec.read_only_root =
        call_.container.get("securityContext", "readOnlyRootFilesystem").as_bool();
    set_user(spec);
    set_limits(spec);
    auto line = command_line_of(call_.container, environment);
    spec.words =
        command_of(image, std::move(line.command), std::move(line.args), call_.place.pod_ip);
    if (spec.words.front() == image.program) {
      spec.words.front() = find_in_path(image.program).value_or(image.program);
    }
    const bool own_root = spec.isolation == Isolation::Root;
    if (image.is_stand_in() && own_root) add_stand_in(spec, image, mounts, environment);
    add_mounts(spec, mounts);
    spec.directory = call_.container.get("workingDir").as_string();
    if (spec.directory.empty()) spec.directory = image.row->directory;
    if (spec.directory.empty()) spec.directory = "/";
    fill(environment, spec);
    if (!own_root) {
      auto where = mounts_text(spec.mounts);
      use_machine_paths(spec, environment);
      // Paths of the machine, which nobody may take for the container's.
      if (image.is_stand_in()) {
        environment[std::string{kMountsVariable}] = std::move(where);
        add_stand_in(spec, image, mounts, environment);
      }
    }
    for (const auto& [name, value] : environment)
      spec.environment.push_back(fmt::format("{}={}", name, value));
    return spec;
  }

  void set_user(RunSpec& spec) const {
    const auto number = [&](std::string_view field) -> std::optional<std::uint32_t> {
      const json::View found = security(call_.pod, call_.container, field);
      if (!found.is_int()) return std::nullopt;
      return static_cast<std::uint32_t>(found.as_int());
    };
    spec.user = number("runAsUser");
    spec.group = number("runAsGroup");
    if (!spec.user && security(call_.pod, call_.container, "runAsNonRoot").as_bool()) {
      spec.user = kNobody;
    }
    const json::View context = call_.pod.get("spec", "securityContext");
    for (const json::View group : context.get("supplementalGroups").elements()) {
      spec.groups.push_back(static_cast<std::uint32_t>(group.as_int()));
    }
    if (const json::View group = context.get("fsGroup"); group.is_int()) {
      spec.groups.push_back(static_cast<std::uint32_t>(group.as_int()));
    }
  }

  void set_limits(RunSpec& spec) const {
    const json::View limits = call_.container.get("resources", "limits");
    if (const auto memory = kube::Quantity::parse(limits.get("memory").as_string("0"))) {
      spec.memory_bytes_max = memory->value();
    }
    if (const auto cpu = kube::Quantity::parse(limits.get("cpu").as_string("0"))) {
      spec.cpu_millis_max = cpu->milli_value();
    }
  }

  // This program under the names that the image's own would have, first in PATH. In a root of its
  // own the container has it as files there, for its user may not get to where it really lies.
  void add_stand_in(RunSpec& spec, const ImageProgram& image, std::vector<BindMount>& mounts,
                    Environment& environment) const {
    const bool mounted = spec.isolation == Isolation::Root;
    std::error_code error;  // what is missing then is said when it is run
    const auto program = fs::canonical(host_.options().program, error).string();
    const fs::path links = call_.container_directory / "bin";
    if (!mounted) fs::create_directories(links, error);
    const auto directory = mounted ? std::string{kStandInDirectory} : links.string();
    for (const auto& name : image.stand_in_names()) {
      const auto file = fmt::format("{}/{}", directory, name);
      if (mounted) {
        mounts.push_back({.source = program, .target = file, .read_only = true});
      } else {
        fs::remove(file, error);
        fs::create_symlink(program, file, error);
      }
      // An image's program may also be called by its full path.
      auto& first = spec.words.front();
      if (first == name || first.ends_with(fmt::format("/{}", name))) first = file;
    }
    auto& path = environment.try_emplace("PATH", kDefaultPath).first->second;
    path = fmt::format("{}:{}", directory, path);
  }

  static std::string mounts_text(const std::vector<BindMount>& mounts) {
    std::string text;
    for (const auto& mount : mounts) text += fmt::format("{}={}\n", mount.target, mount.source);
    return text;
  }

  void add_mounts(RunSpec& spec, std::vector<BindMount> mounts) const {
    const auto has = [&](std::string_view target) {
      return std::ranges::any_of(mounts, [&](const auto& one) { return one.target == target; });
    };
    spec.mounts = std::move(mounts);
    if (spec.isolation != Isolation::Root) return;
    spec.hidden = {"/tmp", "/var/tmp", "/home", "/run"};
    spec.hidden.emplace_back(kRootHome);
    spec.hidden.push_back(host_.options().directory.string());
    for (const std::string_view name : {"hosts", "resolv.conf"}) {
      const fs::path file = call_.pod_directory / name;
      const std::string target = fmt::format("/etc/{}", name);
      std::error_code error;
      if (!has(target) && fs::exists(file, error)) {
        spec.mounts.push_back({.source = file.string(), .target = target});
      }
    }
    const auto words =
        call_.container.get("terminationMessagePath").as_string("/dev/termination-log");
    spec.mounts.push_back({.source = last_words_file(call_.container_directory).string(),
                           .target = std::string{words}});
    // A program of one's own may lie where containers see nothing.
    const auto& program = spec.words.front();
    const bool unseen = std::ranges::any_of(spec.hidden, [&](const std::string& directory) {
      return program.starts_with(directory + "/");
    });
    if (unseen) spec.mounts.push_back({.source = program, .target = program, .read_only = true});
  }

  void fill(Environment& environment, const RunSpec& spec) const {
    environment.emplace("PATH", kDefaultPath);
    environment.emplace("HOSTNAME", spec.host_name);
    environment.emplace("HOME", spec.user.value_or(0) == 0 ? kRootHome : "/");
    environment.emplace("POD_IP", call_.place.pod_ip);
  }

  void use_machine_paths(RunSpec& spec, Environment& environment) const {
    auto mounts = spec.mounts;
    const auto words = call_.container.get("terminationMessagePath").as_string();
    if (!words.empty()) {
      mounts.push_back({.source = last_words_file(call_.container_directory).string(),
                        .target = std::string{words}});
    }
    for (auto& word : spec.words) word = with_machine_paths(word, mounts);
    for (auto& [name, value] : environment) value = with_machine_paths(value, mounts);
    spec.directory = with_machine_paths(spec.directory, mounts);
    std::error_code error;
    if (spec.directory == "/" || !fs::is_directory(spec.directory, error)) {
      const fs::path work = call_.container_directory / "work";
      fs::create_directories(work, error);
      spec.directory = work.string();
    }
    spec.mounts.clear();
  }

  Host& host_;
  const ComposeCall& call_;
};

bool may_precede(char c) {
  return std::string_view{" \t\n=:,;'\"(<>|&`"}.find(c) != std::string_view::npos;
}

bool may_follow(char c) {
  return c == '/' || std::string_view{" \t\n:,;'\")<>|&`"}.find(c) != std::string_view::npos;
}

}  // namespace

std::expected<Composed, Waiting> compose(Host& host, const ComposeCall& call) {
  return Composer(host, call).run();
}

std::optional<std::string> find_in_path(std::string_view program) {
  const auto usable = [](const std::string& path) {
    std::error_code error;
    return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
  };
  if (program.find('/') != std::string_view::npos) {
    const std::string path{program};
    return usable(path) ? std::optional{path} : std::nullopt;
  }
  const char* own = std::getenv("PATH");
  const std::string path = fmt::format("{}:{}", own == nullptr ? "" : own, kDefaultPath);
  std::string_view rest = path;
  while (!rest.empty()) {
    const auto end = std::min(rest.find(':'), rest.size());
    auto candidate = fmt::format("{}/{}", rest.substr(0, end), program);
    if (end > 0 && usable(candidate)) return candidate;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return std::nullopt;
}

std::string with_machine_paths(std::string_view text, const std::vector<BindMount>& mounts) {
  // The innermost mount that begins here; what was put in is not looked at again, for it may lie
  // where another mount of the container's would be.
  const auto mount_at = [&](std::size_t at) -> const BindMount* {
    if (at > 0 && !may_precede(text[at - 1])) return nullptr;
    const BindMount* best = nullptr;
    for (const auto& mount : mounts) {
      const auto end = at + mount.target.size();
      const bool here = text.substr(at).starts_with(mount.target) &&
                        (end == text.size() || may_follow(text[end]));
      if (here && (best == nullptr || mount.target.size() > best->target.size())) best = &mount;
    }
    return best;
  };
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    if (const auto* mount = mount_at(at)) {
      out += mount->source;
      at += mount->target.size();
    } else {
      out += text[at++];
    }
  }
  return out;
}

fs::path last_words_file(const fs::path& container_directory) {
  return container_directory / "last-words";
}

Result<void> write_name_files(Host& host, json::View pod, const Place& place,
                              const fs::path& pod_directory) {
  const json::View spec = pod.get("spec");
  const std::string name = host_name_of(pod);
  std::string hosts =
      "# Kubernetes-managed hosts file.\n127.0.0.1\tlocalhost\n"
      "::1\tlocalhost ip6-localhost ip6-loopback\n";
  std::string full = name;
  if (const auto subdomain = spec.get("subdomain").as_string(); !subdomain.empty()) {
    full = fmt::format("{}.{}.{}.svc.{}\t{}", name, subdomain, kube::namespace_of(pod),
                       host.options().cluster_domain, name);
  }
  hosts += fmt::format("{}\t{}\n", place.pod_ip, full);
  for (const json::View alias : spec.get("hostAliases").elements()) {
    hosts += alias.get("ip").as_string();
    for (const json::View one : alias.get("hostnames").elements()) {
      hosts += fmt::format("\t{}", one.as_string());
    }
    hosts += '\n';
  }
  FP_TRY_VOID(write_whole_file(pod_directory / "hosts", hosts, 0644));
  if (host.dns().empty() || spec.get("dnsPolicy").as_string() == "Default") return {};
  const auto& domain = host.options().cluster_domain;
  const std::string resolver =
      fmt::format("search {0}.svc.{1} svc.{1} {1}\nnameserver {2}\noptions ndots:5\n",
                  kube::namespace_of(pod), domain, host.dns());
  return write_whole_file(pod_directory / "resolv.conf", resolver, 0644);
}

}  // namespace fixpoint::node
