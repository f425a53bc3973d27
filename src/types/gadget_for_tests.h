// SPDX-License-Identifier: Apache-2.0
//
// Gadget: a kind with one field of everything that a table can say, for the tests of this layer and
// of those above it.
#pragma once

#include "types/kind.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::types {

enum class Mode : std::uint8_t { Fast, Safe };
inline std::span<const std::string_view> enum_names(Mode) {
  static constexpr std::string_view kNames[]{"Fast", "Safe"};
  return kNames;
}

struct Wheel {
  std::string name;
  std::int32_t size = 10;
  std::optional<std::string> tyre;

  static Table table() {
    return describe<Wheel>("A wheel.",
                           {
                               {"name",
                                &Wheel::name,
                                "Its name.",                            {.required = true, .min_length = 1, .max_length = 20}},
                               {"size", &Wheel::size, "Its size.",      {.minimum = 1, .maximum = 100}                       },
                               {"tyre", &Wheel::tyre, "What is on it.", {.max_length = 10}                                   },
    });
  }
};

struct Store {
  kube::Quantity size = *kube::Quantity::parse("10Gi");
  Mode mode = Mode::Safe;
  bool keep = true;
  std::string store_class;

  static Table table() {
    return describe<Store>(
        "Where things are kept.",
        {
            {"size", &Store::size, "How much.", {.at_least = "1Gi", .at_most = "10Ti"}},
            {"mode", &Store::mode, "How carefully."},
            {"keep", &Store::keep, "Whether it outlives the gadget."},
            {"class", &Store::store_class, "Of what sort.", {.immutable = true, .max_length = 63}},
    },
        {{.rule = "self.keep || self.mode == 'Fast'",
          .message = "what is not kept needs no care",
          .field_path = ".keep",
          .reason = "FieldValueForbidden"}});
  }
};

struct GadgetSpec {
  std::string text;
  std::int32_t count = 1;
  std::int64_t large = 5;
  std::uint32_t asn = 64512;
  double ratio = 0.5;
  bool paused = false;
  Mode mode = Mode::Fast;
  std::optional<Mode> other_mode;
  Duration period = std::chrono::minutes(5);
  std::optional<Instant> since;
  std::optional<kube::Quantity> memory;
  std::optional<kube::IntOrString> surge;
  std::string colour = "red";
  std::string address;
  std::vector<Wheel> wheels;
  std::vector<std::string> tags{"plain"};
  std::vector<std::string> lines;
  std::map<std::string, std::string> labels;
  std::map<std::string, Wheel> spares;
  json::Value anything;
  json::Value settings;
  std::optional<json::Value> child;
  std::vector<json::Value> tolerations;
  Store store;
  std::optional<Store> backup =
      Store{.size = *kube::Quantity::parse("2Gi"), .mode = Mode::Fast, .keep = false};
  std::optional<Wheel> fifth;
  std::optional<std::int32_t> maybe = 3;

  static Table table() {
    return describe<GadgetSpec>(
        "What a gadget shall be.",
        {
            {"text", &GadgetSpec::text, "What it says.", {.required = true, .max_length = 12}},
            {"count", &GadgetSpec::count, "How many.", {.minimum = 0, .maximum = 9}},
            {"large",
             &GadgetSpec::large,
             "A multiple.", {.minimum = 0, .exclusive_minimum = true, .multiple_of = 5}},
            {"asn", &GadgetSpec::asn, "A number of 32 bits.", {.minimum = 1}},
            {"ratio",
             &GadgetSpec::ratio,
             "A share.", {.minimum = 0, .maximum = 1, .exclusive_maximum = true}},
            {"paused", &GadgetSpec::paused, "Whether it rests."},
            {"mode", &GadgetSpec::mode, "How it works.", {.immutable = true}},
            {"otherMode", &GadgetSpec::other_mode, "How it might.", {.immutable = true}},
            {"period", &GadgetSpec::period, "How often.", {.at_least = "1s", .at_most = "168h"}},
            {"since", &GadgetSpec::since, "Since when."},
            {"memory", &GadgetSpec::memory, "How much of it."},
            {"surge",
             &GadgetSpec::surge,
             "How many more.", {.minimum = 0, .pattern = "^[0-9]+%$", .example = "30%"}},
            {"colour", &GadgetSpec::colour, "Its colour.", {.one_of = {"red", "green"}}},
            {"address", &GadgetSpec::address, "Where.", {.format = "ipv4", .example = "10.0.0.1"}},
            {"wheels",
             &GadgetSpec::wheels,
             "By name.", {.max_items = 4, .list = ListKind::Map, .keys = {"name"}}},
            {"tags",
             &GadgetSpec::tags,
             "Each once.", {.max_items = 8,
              .list = ListKind::Set,
              .items = {{.min_length = 1, .max_length = 9}}}},
            {"lines",
             &GadgetSpec::lines,
             "As they come.", {.items = {{.pattern = "^[a-z]+$", .example = "abc"}}}},
            {"labels", &GadgetSpec::labels, "By key.", {.max_items = 5, .atomic = true}},
            {"spares", &GadgetSpec::spares, "More wheels.", {.max_items = 5}},
            {"anything", &GadgetSpec::anything, "Whatever."},
            {"settings", &GadgetSpec::settings, "Free fields.", {.holds = Holds::Object}},
            {"child", &GadgetSpec::child, "An object.", {.holds = Holds::Resource}},
            {"tolerations",
             &GadgetSpec::tolerations,
             "Handed on.", {.items = {{.holds = Holds::Object}}}},
            {"store", &GadgetSpec::store, "Where it keeps things."},
            {"backup", &GadgetSpec::backup, "Where else."},
            {"fifth", &GadgetSpec::fifth, "One more wheel."},
            {"maybe", &GadgetSpec::maybe, "A number or null.", {.nullable = true}},
    },
        {{.rule = "self.count <= 3 || self.mode == 'Fast'", .message = "many need to be fast"}});
  }
};

struct GadgetStatus {
  std::string phase;
  std::int32_t ready = 0;
  std::string selector;
  std::vector<Wheel> wheels;

  static Table table() {
    return describe<GadgetStatus>("What a gadget is.",
                                  {
                                      {"phase", &GadgetStatus::phase, "Where it is."},
                                      {"ready", &GadgetStatus::ready, "How many are."},
                                      {"selector", &GadgetStatus::selector, "How to find them."},
                                      {"wheels",
                                       &GadgetStatus::wheels,
                                       "Those seen.", {.list = ListKind::Map, .keys = {"name"}}},
    });
  }
};

struct OldGadgetSpec {
  std::string text;
  static Table table() {
    return describe<OldGadgetSpec>("What a gadget once was.",
                                   {
                                       {"text", &OldGadgetSpec::text, "Text."}
    });
  }
};

inline const Kind& gadget_kind() {
  static const Kind kKind{
      .group = "test.fixpoint.example",
      .name = "Gadget",
      .plural = "gadgets",
      .doc = "A thing with one field of everything.",
      .short_names = {"gd"},
      .categories = {"all", "things"},
      .name_length_max = 52,
      .versions = {{.name = "v1",
                    .spec = &table_of<GadgetSpec>(),
                    .status = &table_of<GadgetStatus>(),
                    .columns = {{.name = "Phase", .path = ".status.phase"},
                                {.name = "Count",
                                 .path = ".spec.count",
                                 .type = "integer",
                                 .doc = "How many.",
                                 .priority = 1},
                                ready_column(),
                                age_column()},
                    .scale = kube::ScalePaths{.spec_replicas = ".spec.count",
                                              .status_replicas = ".status.ready",
                                              .label_selector = ".status.selector"},
                    .selectable_fields = {".spec.colour"},
                    .rules = {{.rule = "self.metadata.name != 'forbidden'",
                               .message = "pick another name"}}},
                      {.name = "v1alpha1",
                    .spec = &table_of<OldGadgetSpec>(),
                    .storage = false,
                    .deprecated = true,
                    .deprecation_warning = "use v1"}}
  };
  return kKind;
}

}  // namespace fixpoint::types
