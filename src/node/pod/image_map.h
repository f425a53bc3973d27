// SPDX-License-Identifier: Apache-2.0
//
// ImageMap: which local program stands for a container image.
//
// A table that people read and write, one image a line, first match wins:
//
//   # image            program                     words
//   valkey/valkey:7*   redis-server                valkey-cli=redis-cli --bind /data
//
// The program is what runs when the container gives no command (a|b|c: the first that is
// installed). NAME=PROGRAM: what a command of that name means there. An option such as --bind is
// added with the pod's address unless the container gives it. A path is the working directory.
// @NAME is a stand-in that this program brings along: it runs under that name, and NAME=@PROGRAM
// is another name for it. An image that no line matches has no program: its containers are
// simulated.
#pragma once

#include "base/error.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::node {

struct ImageRow {
  std::string pattern;  // with * for anything
  std::vector<std::string> programs;
  std::map<std::string, std::string> aliases;
  std::string address_option;  // "--bind"; empty: none
  std::string directory;       // to work in; empty: /
};

// What a container of an image runs.
struct ImageProgram {
  const ImageRow* row = nullptr;  // null: simulated
  std::string program;            // the one that is installed; "@stellar-core": a stand-in

  bool is_stand_in() const { return program.starts_with('@'); }
  // The names under which the container finds the stand-in.
  std::vector<std::string> stand_in_names() const;
};

// "valkey/valkey:8.1": without registry and digest, with a tag. Invalid with Kubernetes' words.
Result<std::string> image_name(std::string_view image);

class ImageMap {
 public:
  // Where a program is, or nothing: PATH, in the shipped program.
  using Find = std::function<std::optional<std::string>(std::string_view name)>;

  // The table that Fixpoint comes with.
  static ImageMap standard();
  // Lines as above; the error names the line.
  static Result<ImageMap> parse(std::string_view text);
  // Lines of `first` win.
  void put_before(ImageMap first);

  // Invalid: no such image name. NotFound: a line matches and none of its programs is installed.
  Result<ImageProgram> find(std::string_view image, const Find& find) const;

  const std::vector<ImageRow>& rows() const { return rows_; }

 private:
  std::vector<ImageRow> rows_;
};

// The words to run: the container's command and arguments, or the image's program with them.
std::vector<std::string> command_of(const ImageProgram& image, std::vector<std::string> command,
                                    std::vector<std::string> args, std::string_view address);

}  // namespace fixpoint::node
