// SPDX-License-Identifier: Apache-2.0
//
// quantity_parse.json: [text, printed, error, whole value, thousandths] of Kubernetes' own parser.
// quantity_sum.json: [a, b, a + b, a - b, comparison].
#include "kube/scalars/quantity.h"

#include "base/rng.h"
#include "kube/table_for_tests.h"

#include <array>
#include <cstdint>
#include <string_view>

#include <gtest/gtest.h>

namespace fixpoint::kube {
namespace {

Quantity must(std::string_view text) {
  auto quantity = Quantity::parse(text);
  EXPECT_TRUE(quantity.has_value()) << text;
  return quantity.value_or(Quantity{});
}

TEST(Quantity, PrintsWhatARealServerPrintsAfterDecoding) {
  const auto table = read_table("kube/quantity_parse.json");
  for (const json::View row : table.view().elements()) {
    const auto text = text_of(row[0]);
    const auto quantity = Quantity::parse(text);
    if (row[1].is_null()) {
      ASSERT_FALSE(quantity) << text;
      EXPECT_EQ(quantity.error().message, text_of(row[2])) << text;
      continue;
    }
    ASSERT_TRUE(quantity) << text << ": " << quantity.error().message;
    EXPECT_EQ(quantity->to_string(), text_of(row[1])) << text;
  }
}

TEST(Quantity, RoundsUpToWholeNumbersAndThousandths) {
  const auto table = read_table("kube/quantity_parse.json");
  for (const json::View row : table.view().elements()) {
    if (row[1].is_null()) continue;
    const auto quantity = must(row[0].as_string());
    // Go's own answers overflow for amounts past int64 and lose the sign of tiny ones; ours do not.
    if (quantity.sign() < 0 || quantity > must("9223372036854775")) continue;
    EXPECT_EQ(quantity.value(), row[3].as_int()) << text_of(row[0]);
    EXPECT_EQ(quantity.milli_value(), row[4].as_int()) << text_of(row[0]);
  }
}

TEST(Quantity, AddsSubtractsAndComparesExactly) {
  const auto table = read_table("kube/quantity_sum.json");
  for (const json::View row : table.view().elements()) {
    const auto a = must(row[0].as_string());
    const auto b = must(row[1].as_string());
    const auto label = text_of(row[0]) + " and " + text_of(row[1]);
    EXPECT_EQ((a + b).to_string(), text_of(row[2])) << label;
    EXPECT_EQ((a - b).to_string(), text_of(row[3])) << label;
    EXPECT_EQ(a < b ? -1 : (a > b ? 1 : 0), row[4].as_int()) << label;
  }
}

TEST(Quantity, SaturatesInsteadOfOverflowing) {
  EXPECT_EQ(must("100000000000000000000").value(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(must("-100000000000000000000").value(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(must("-1500m").value(), -2);
}

TEST(Quantity, KnowsWhetherItIsAWholeNumber) {
  EXPECT_EQ(must("2Ki").exact(), 2048);
  EXPECT_EQ(must("1500m").exact(), std::nullopt);
  EXPECT_EQ(must("100E").exact(), std::nullopt);
}

TEST(Quantity, RefusesWhatWouldBeExpensive) {
  EXPECT_FALSE(Quantity::parse("1e1000000000"));
  EXPECT_FALSE(Quantity::parse(std::string(2000, '1')));
  EXPECT_EQ(must("1e-2000").to_string(), "1e-9");
}

TEST(Quantity, SumsUndoThemselves) {
  Rng rng{7};
  constexpr std::string_view kSuffixes[] = {"n", "u",  "m",  "",   "k", "M",
                                            "G", "Ki", "Mi", "Gi", "e3"};
  const auto random_quantity = [&] {
    const auto suffix = kSuffixes[rng.below(std::size(kSuffixes))];
    return must((rng.below(2) == 0 ? "-" : "") + std::to_string(rng.below(1'000'000'000)) +
                std::string{suffix});
  };
  for (int i = 0; i < 2000; ++i) {
    const auto a = random_quantity();
    const auto b = random_quantity();
    ASSERT_EQ(a + b - b, a);
    ASSERT_EQ(a + b, b + a);
    ASSERT_EQ(a < b, (b - a).sign() > 0);
    ASSERT_EQ(must((a + b).to_string()), a + b);
  }
}

TEST(Quantity, IsCountedBeyond64BitsAsARealServerDoes) {
  struct Row {
    std::string_view text;
    std::int64_t value;
    bool whole;
  };
  constexpr std::array kRows{
      Row{"100E",                   0,                    true },
      Row{"100000000000000000000",  7766279631452241920,  false},
      Row{"12345678901234567890",   -6101065172474983726, false},
      Row{"-100000000000000000000", -200376420520688,     false},
      Row{"9223372036854775807",    9223372036854775807,  true },
      Row{"1.5",                    2,                    false},
      Row{"1Ki",                    1024,                 true },
  };
  for (const auto& row : kRows) {
    const auto quantity = Quantity::parse(row.text);
    ASSERT_TRUE(quantity.has_value()) << row.text;
    EXPECT_EQ(quantity->go_value(), row.value) << row.text;
    EXPECT_EQ(quantity->whole_to_go(), row.whole) << row.text;
  }
}

}  // namespace
}  // namespace fixpoint::kube
