// SPDX-License-Identifier: Apache-2.0
//
// From bytes to an object of a resource: parse, check apiVersion and kind, drop unknown fields,
// set defaults; every refusal in the words of a real server.
#pragma once

#include "apiserver/body/options.h"
#include "apiserver/resource.h"
#include "base/error.h"
#include "json/value.h"
#include "kube/errors/status.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::apiserver {

// An object as its type holds it: unknown fields gone, forms canonical.
struct Normalised {
  json::Value object;
  // `unknown field "spec.foo"`: what strict validation objects to, in its order.
  std::vector<std::string> problems;
  bool inexact = false;  // the text knows better: see kube::TypedObject
};
// `object` is an object or null, which is an empty one. The error is the decoder's sentence ("json:
// cannot unmarshal number into …").
Result<Normalised> normalise(const Resource& resource, const json::Value& object,
                             Weakness weakness);
// The same for a built-in kind, from well-formed text: with the order of the text.
Result<Normalised> normalise_text(const Resource& resource, std::string_view text,
                                  Weakness weakness);

// An empty list of managedFields asks to forget all owners; of a built-in kind typed decoding drops
// it, so it is put back for track_update() to see.
json::Value keep_reset(const Resource& resource, json::View given, json::Value decoded);

// Defaults of the kind or of the CRD's schema.
json::Value with_defaults(const Resource& resource, const json::Value& object, Weakness weakness);

// The body of a POST or PUT, normalised and defaulted. Unknown and duplicate fields become warnings
// or the refusal, by `validation`.
kube::Answer<json::Value> decode_body(const Resource& resource, const Request& request,
                                      FieldValidation validation, Weakness weakness,
                                      std::vector<std::string>& warnings);

// The 415 of a body in none of the media types that are read here.
kube::Answer<void> check_body_media(const Resource& resource, const Request& request);
kube::Status unknown_format(bool protobuf_too);

// The same for the body of a subresource, which has a type of its own and no hooks.
kube::Answer<json::Value> decode_body_as(const kube::GroupVersionKind& kind, const Request& request,
                                         FieldValidation validation, Weakness weakness,
                                         std::vector<std::string>& warnings);

// A YAML body. Keys given twice are an error only under strict validation: the last one counts, and
// the decoder's sentence about them is kept.
struct YamlBody {
  json::Value value;
  std::vector<std::string> duplicates;
};
Result<YamlBody> parse_yaml_body(std::string_view text);

// A body by its media type, JSON, YAML or protobuf, with nothing checked. The error is the
// decoder's. `expected` is the kind of a protobuf body that does not name one.
Result<json::Value> parse_unchecked(const Request& request, const kube::GroupVersionKind& expected);

// What strict validation says of all of it.
std::string strict_error(const std::vector<std::string>& problems);
// The same as warnings; a sentence about YAML may hold several.
void add_warnings(std::vector<std::string> problems, std::vector<std::string>& warnings);

}  // namespace fixpoint::apiserver
