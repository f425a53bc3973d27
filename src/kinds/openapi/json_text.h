// SPDX-License-Identifier: Apache-2.0
//
// JsonText: writes JSON text straight out, in the order it is told. For documents that are too big
// to build as a tree first.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fixpoint::kinds {

class JsonText {
 public:
  JsonText& open();  // {
  JsonText& close();
  JsonText& open_list();  // [
  JsonText& close_list();
  JsonText& key(std::string_view name);
  JsonText& string(std::string_view value);
  JsonText& boolean(bool value);
  // JSON text as it is.
  JsonText& raw(std::string_view json);
  JsonText& member(std::string_view name, std::string_view value) {
    return key(name).string(value);
  }

  std::string take() { return std::move(text_); }

 private:
  void separate();

  std::string text_;
  bool first_ = true;  // nothing stands before in this object or list, or a key does
};

}  // namespace fixpoint::kinds
