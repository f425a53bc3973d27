// SPDX-License-Identifier: Apache-2.0
#include "kinds/openapi/json_text.h"

#include "json/print.h"

namespace fixpoint::kinds {

void JsonText::separate() {
  if (!first_) text_ += ',';
  first_ = false;
}

JsonText& JsonText::open() {
  separate();
  text_ += '{';
  first_ = true;
  return *this;
}

JsonText& JsonText::close() {
  text_ += '}';
  first_ = false;
  return *this;
}

JsonText& JsonText::open_list() {
  separate();
  text_ += '[';
  first_ = true;
  return *this;
}

JsonText& JsonText::close_list() {
  text_ += ']';
  first_ = false;
  return *this;
}

JsonText& JsonText::key(std::string_view name) {
  separate();
  json::print_string(name, text_);
  text_ += ':';
  first_ = true;
  return *this;
}

JsonText& JsonText::string(std::string_view value) {
  separate();
  json::print_string(value, text_);
  return *this;
}

JsonText& JsonText::boolean(bool value) {
  return raw(value ? "true" : "false");
}

JsonText& JsonText::raw(std::string_view json) {
  separate();
  text_ += json;
  return *this;
}

}  // namespace fixpoint::kinds
