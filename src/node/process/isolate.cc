// SPDX-License-Identifier: Apache-2.0
#include "node/process/isolate.h"

#include "node/process/kernel_file.h"
#include "node/process/system_error.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <functional>

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fixpoint::node {
namespace {

namespace fs = std::filesystem;

constexpr int kNamespaces = CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWUTS | CLONE_NEWIPC;

// What a container may do as root. Less than container runtimes leave: no device nodes, since
// nothing else keeps a container from the machine's disks.
constexpr std::array kCapabilities{CAP_CHOWN,  CAP_DAC_OVERRIDE, CAP_FSETID,  CAP_FOWNER,
                                   CAP_SETGID, CAP_SETUID,       CAP_SETPCAP, CAP_NET_BIND_SERVICE,
                                   CAP_KILL,   CAP_SYS_CHROOT,   CAP_SETFCAP, CAP_AUDIT_WRITE};

Result<void> mount_at(const char* source, const fs::path& target, const char* type,
                      unsigned long flags, const std::string& options = {}) {
  if (::mount(source, target.c_str(), type, flags, options.empty() ? nullptr : options.c_str()) !=
      0) {
    return trouble("mount " + target.string());
  }
  return {};
}

bool map_self(uid_t uid, gid_t gid) {
  return write_kernel_file("/proc/self/setgroups", "deny") &&
         write_kernel_file("/proc/self/uid_map", fmt::format("{0} {0} 1", uid)) &&
         write_kernel_file("/proc/self/gid_map", fmt::format("{0} {0} 1", gid));
}

// The place where something is to be mounted, made below the new root. Its names may be links
// inside the root; the kernel resolves them there, not on the machine.
Result<fs::path> place_in(const fs::path& root, const std::string& target, bool directory) {
  // Resolved as the container will: each part, links included, below the root.
  fs::path here = root;
  std::size_t links = 0;
  std::vector<std::string> parts;
  for (const auto& part : fs::path(target).lexically_normal().relative_path()) {
    if (!part.empty()) parts.push_back(part.string());
  }
  std::ranges::reverse(parts);
  while (!parts.empty()) {
    const std::string part = parts.back();
    parts.pop_back();
    if (part == "..") {
      if (here != root) here = here.parent_path();
      continue;
    }
    const fs::path next = here / part;
    std::error_code error;
    if (fs::is_symlink(fs::symlink_status(next, error))) {
      constexpr std::size_t kLinksMax = 40;
      if (++links > kLinksMax) return fail(ErrorKind::Invalid, target + ": too many links");
      const fs::path link = fs::read_symlink(next, error);
      if (link.is_absolute()) here = root;
      std::vector<std::string> more;
      for (const auto& one : link.relative_path()) more.push_back(one.string());
      parts.insert(parts.end(), more.rbegin(), more.rend());
      continue;
    }
    const bool last = parts.empty();
    if (!fs::exists(next, error)) {
      if (last && !directory) {
        const int fd = ::open(next.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
        if (fd < 0) return trouble("create " + target);
        ::close(fd);
      } else if (::mkdir(next.c_str(), 0755) != 0) {
        return trouble("create " + target);
      }
    }
    here = next;
  }
  return here;
}

Result<void> bind(const fs::path& root, const BindMount& mount) {
  struct stat info{};
  if (::stat(mount.source.c_str(), &info) != 0) return trouble("open " + mount.source);
  FP_TRY(place, place_in(root, mount.target, S_ISDIR(info.st_mode)));
  FP_TRY_VOID(mount_at(mount.source.c_str(), place, nullptr, MS_BIND | MS_REC));
  if (!mount.read_only) return {};
  return mount_at(nullptr, place, nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID);
}

Result<void> make_dev(const fs::path& root) {
  FP_TRY(dev, place_in(root, "/dev", true));
  FP_TRY_VOID(mount_at("tmpfs", dev, "tmpfs", MS_NOSUID, "mode=755,size=64k"));
  for (const std::string_view name : {"null", "zero", "full", "random", "urandom", "tty"}) {
    const std::string path = fmt::format("/dev/{}", name);
    FP_TRY_VOID(bind(root, {.source = path, .target = path}));
  }
  FP_TRY(shm, place_in(root, "/dev/shm", true));
  FP_TRY_VOID(mount_at("tmpfs", shm, "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777,size=64m"));
  FP_TRY(terminals, place_in(root, "/dev/pts", true));
  auto own = mount_at("devpts", terminals, "devpts", MS_NOSUID | MS_NOEXEC,
                      "newinstance,ptmxmode=0666,mode=0620");
  if (!own) FP_TRY_VOID(bind(root, {.source = "/dev/pts", .target = "/dev/pts"}));
  const std::array<std::pair<const char*, const char*>, 4> links{
      {{"/proc/self/fd", "fd"},
       {"/proc/self/fd/0", "stdin"},
       {"/proc/self/fd/1", "stdout"},
       {"/proc/self/fd/2", "stderr"}}
  };
  for (const auto& [target, name] : links) {
    if (::symlink(target, (dev / name).c_str()) != 0) return trouble("link in /dev");
  }
  if (::symlink("pts/ptmx", (dev / "ptmx").c_str()) != 0) return trouble("link in /dev");
  return {};
}

Result<void> make_system(const fs::path& root) {
  FP_TRY(proc, place_in(root, "/proc", true));
  // Where a fresh one is not allowed, the machine's: it shows more, and harms nobody.
  if (!mount_at("proc", proc, "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC)) {
    FP_TRY_VOID(mount_at("/proc", proc, nullptr, MS_BIND | MS_REC));
  }
  FP_TRY(sys, place_in(root, "/sys", true));
  FP_TRY_VOID(mount_at("/sys", sys, nullptr, MS_BIND | MS_REC));
  // Refused in a user namespace, where its files are not writable anyway.
  (void)::mount(nullptr, sys.c_str(), nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY, nullptr);
  return make_dev(root);
}

Result<void> make_layer(const fs::path& layer) {
  for (const std::string_view part : {"upper", "work", "root"}) {
    std::error_code error;
    fs::create_directories(layer / part, error);
    if (error) return fail(ErrorKind::Unavailable, "create " + (layer / part).string());
    fs::permissions(layer / part, fs::perms(0755), error);
  }
  const std::string options = fmt::format("lowerdir=/,upperdir={},workdir={}",
                                          (layer / "upper").string(), (layer / "work").string());
  if (mount_at("overlay", layer / "root", "overlay", 0, options)) return {};
  return mount_at("overlay", layer / "root", "overlay", 0, options + ",userxattr");
}

Result<void> switch_to(const fs::path& root) {
  if (::chdir(root.c_str()) != 0) return trouble("enter the new root");
  // The old root comes to lie over the new one and is then taken away.
  if (::syscall(SYS_pivot_root, ".", ".") != 0) return trouble("change the root");
  if (::umount2(".", MNT_DETACH) != 0) return trouble("leave the old root");
  if (::chdir("/") != 0) return trouble("enter /");
  return {};
}

}  // namespace

Owner Owner::self() {
  return {.user = ::geteuid(), .group = ::getegid()};
}

Result<int> fork_isolated(Isolation isolation) {
  if (isolation == Isolation::None) {
    const int pid = ::fork();
    return pid < 0 ? Result<int>{trouble("fork")} : Result<int>{pid};
  }
  const int flags = kNamespaces | (::geteuid() == 0 ? 0 : CLONE_NEWUSER) | SIGCHLD;
  const auto pid = ::syscall(SYS_clone, flags, nullptr, nullptr, nullptr, nullptr);
  if (pid < 0) return trouble("make namespaces");
  return static_cast<int>(pid);
}

Result<void> settle_isolated(Isolation isolation, Owner owner) {
  if (isolation == Isolation::None) return {};
  if (owner.user != 0 && !map_self(owner.user, owner.group)) return trouble("map the user");
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
    return trouble("own mounts");
  return {};
}

Result<void> enter_own_root(const RunSpec& spec, const fs::path& layer) {
  FP_TRY_VOID(make_layer(layer));
  const fs::path root = layer / "root";
  std::size_t number = 0;
  for (const auto& hidden : spec.hidden) {
    std::error_code error;
    if (!fs::is_directory(hidden, error)) continue;
    const fs::path empty = layer / "hidden" / std::to_string(number++);
    fs::create_directories(empty, error);
    const bool shared = hidden == "/tmp" || hidden == "/var/tmp";
    fs::permissions(empty, shared ? fs::perms(01777) : fs::perms(0755), error);
    FP_TRY_VOID(bind(root, {.source = empty.string(), .target = hidden}));
  }
  FP_TRY_VOID(make_system(root));
  // Outer places before what lies in them.
  auto mounts = spec.mounts;
  std::ranges::sort(mounts, std::less{}, [](const BindMount& one) { return one.target.size(); });
  for (const auto& mount : mounts) FP_TRY_VOID(bind(root, mount));
  if (spec.read_only_root) {
    FP_TRY_VOID(mount_at(nullptr, root, nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY));
  }
  return switch_to(root);
}

Result<void> drop_rights(const RunSpec& spec) {
  if (::geteuid() == 0) {
    for (int capability = 0; capability <= CAP_LAST_CAP; ++capability) {
      if (std::ranges::find(kCapabilities, capability) != kCapabilities.end()) continue;
      // A kernel that does not know it cannot grant it either.
      (void)::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
    }
    std::vector<gid_t> groups(spec.groups.begin(), spec.groups.end());
    if (::setgroups(groups.size(), groups.data()) != 0) return trouble("set groups");
    const auto group = spec.group.value_or(spec.user ? 0U : ::getegid());
    if (::setresgid(group, group, group) != 0) return trouble("set the group");
    if (spec.user && ::setresuid(*spec.user, *spec.user, *spec.user) != 0) {
      return trouble("set the user");
    }
  }
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return trouble("give up new privileges");
  return {};
}

Result<void> join_namespaces(int init, Isolation isolation) {
  if (isolation == Isolation::None) return {};
  const auto fd = static_cast<int>(::syscall(SYS_pidfd_open, init, 0));
  if (fd < 0) return trouble("find the container's first process");
  const int flags = kNamespaces | (::geteuid() == 0 ? 0 : CLONE_NEWUSER);
  const int joined = ::setns(fd, flags);
  ::close(fd);
  if (joined != 0) return trouble("join the container");
  return {};
}

Isolation find_isolation(const fs::path& scratch) {
  for (const auto isolation : {Isolation::Root, Isolation::Processes}) {
    const auto owner = Owner::self();
    const auto pid = fork_isolated(isolation);
    if (!pid) continue;
    if (*pid == 0) {
      RunSpec spec;
      spec.isolation = isolation;
      const bool ok = settle_isolated(isolation, owner).has_value() &&
                      (isolation != Isolation::Root || enter_own_root(spec, scratch).has_value());
      ::_exit(ok ? 0 : 1);
    }
    int status = 0;
    while (::waitpid(*pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return isolation;
  }
  return Isolation::None;
}

}  // namespace fixpoint::node
