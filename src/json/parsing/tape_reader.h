// SPDX-License-Identifier: Apache-2.0
//
// TapeReader: walks a Tape once and lays out a block, whole or cut to a Shape.
//
// It gives up on what it would read otherwise than Go (a key given twice, a container too large to
// be counted by the tape): the caller then asks the exact reader.
// Read next: parse.cc and json/shape/shape_parse.cc, its two users.
#pragma once

#include "json/builder.h"
#include "json/parsing/key_guess.h"
#include "json/parsing/tape.h"
#include "json/shape/shape_node.h"

#include <optional>
#include <string_view>
#include <vector>

namespace fixpoint::json {

class TapeReader {
 public:
  explicit TapeReader(const Tape& tape);

  // The value at this place as a block of its own. Nothing if the exact reader has to look.
  std::optional<Value> whole(std::size_t at);
  std::optional<Value> cut(std::size_t at, const Shape::Node& shape, Stamp stamp = {});

 private:
  void value(std::uint32_t key, std::uint32_t to);
  void container(std::uint32_t key, std::uint32_t to);
  void members(std::uint32_t own_key, std::uint32_t first, std::uint32_t count);

  void cut_value(const Shape::Node& shape, std::uint32_t key, std::uint32_t to);
  void cut_array(const Shape::Node& shape, std::uint32_t key, std::uint32_t to);
  void cut_object(const Shape::Node& shape, Stamp stamp, std::uint32_t key, std::uint32_t to);
  // Which members of the object stay and how, pushed on kept_; how many stay.
  std::uint32_t choose(const Shape::Node& shape, std::size_t end, bool& has_version,
                       bool& has_kind);

  struct Order {
    KeyGuess::Place place;
    std::string_view last;
    bool first = true;
    bool sorted = true;
  };
  std::uint32_t next_key(Order& order, std::string_view name);
  void settle(const Order& order, std::uint32_t first, std::uint32_t count);

  const Tape& tape_;
  BlockBuilder* out_ = nullptr;
  KeyGuess& guess_;
  std::size_t at_ = 0;
  bool odd_ = false;
  // Shapes of the members of the objects being cut, null for those left out.
  std::vector<const Shape::Node*> kept_;
};

}  // namespace fixpoint::json
