// SPDX-License-Identifier: Apache-2.0
//
// What goes over a container's attach socket, between its supervisor and an agent: pieces with a
// letter that says what they are and their length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fixpoint::node {

enum class AttachKind : char {
  Output = 'o',
  Error = 'e',
  // To the container.
  Input = 'i',
  EndOfInput = 'z',
  Size = 's',  // of its terminal, two numbers of two bytes: width, height
};

struct AttachFrame {
  AttachKind kind{};
  std::string bytes;
};

// Longer ones are cut into several.
inline constexpr std::size_t kAttachBytesMax = 64 * 1024;
std::string attach_frame(AttachKind kind, std::string_view bytes);

class AttachDecoder {
 public:
  void feed(std::string_view bytes) { held_.append(bytes); }
  std::optional<AttachFrame> next();
  // The other side is no speaker of this.
  bool is_broken() const { return broken_; }

 private:
  std::string held_;
  bool broken_ = false;
};

}  // namespace fixpoint::node
