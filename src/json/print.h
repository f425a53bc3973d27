// SPDX-License-Identifier: Apache-2.0
//
// Value to JSON text, byte for byte what Go's encoder prints for the same tree.
#pragma once

#include "json/value.h"

#include <string>
#include <string_view>

namespace fixpoint::json {

// Go escapes <, > and & (and U+2028/9) by default, and so does Kubernetes in what it serves.
enum class Escape : std::uint8_t { Html, Plain };

void print(View value, std::string& out, Escape escape = Escape::Html);
std::string to_text(View value, Escape escape = Escape::Html);
// Indented by two spaces, without a final newline: as ?pretty=true answers.
std::string to_pretty_text(View value, Escape escape = Escape::Html);
void print_string(std::string_view text, std::string& out, Escape escape = Escape::Html);
// A float64 as Go prints it: shortest digits, exponent form below 1e-6 and from 1e21 on.
void print_double(double value, std::string& out);

}  // namespace fixpoint::json
