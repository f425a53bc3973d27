// SPDX-License-Identifier: Apache-2.0
//
// The public networks as their own tools follow them: who validates, at which address, with which
// archive. These are facts of those networks and change with them; a validator of the public
// network should choose for itself.
#include "operators/stellar/configuration/quorum.h"
#include "operators/stellar/configuration/settings.h"

#include <algorithm>
#include <span>

namespace fixpoint::operators::stellar {
namespace {

struct Row {
  std::string_view name;
  std::string_view domain;
  std::string_view key;
  std::string_view address;
  std::string_view archive;
};

constexpr Row kTestnet[]{
    {"sdf_testnet_1", "testnet.stellar.org",
     "GDKXE2OZMJIPOSLNA6N6F2BVCI3O777I2OOC4BV7VOYUEHYX7RTRYA7Y", "core-testnet1.stellar.org",
     "http://history.stellar.org/prd/core-testnet/core_testnet_001"},
    {"sdf_testnet_2", "testnet.stellar.org",
     "GCUCJTIYXSOXKBSNFGNFWW5MUQ54HKRPGJUTQFJ5RQXZXNOLNXYDHRAP", "core-testnet2.stellar.org",
     "http://history.stellar.org/prd/core-testnet/core_testnet_002"},
    {"sdf_testnet_3", "testnet.stellar.org",
     "GC2V2EFSXN6SQTWVYA5EPJPBWWIMSD2XQNKUOHGEKB535AQE2I6IXV2Z", "core-testnet3.stellar.org",
     "http://history.stellar.org/prd/core-testnet/core_testnet_003"},
};

constexpr Row kMainnet[]{
    {"bootes",                  "publicnode.org",            "GCVJ4Z6TI6Z2SOGENSPXDQ2U4RKH3CNQKYUHNSSPYFPNWTLGS6EBH7I2",
     "bootes.publicnode.org:11625",                                                                                                                                   "https://bootes-history.publicnode.org"                 },
    {"lyra",                    "publicnode.org",            "GCIXVKNFPKWVMKJKVK2V4NK7D4TC6W3BUMXSIJ365QUAXWBRPPJXIR2Z",
     "lyra.publicnode.org:11625",                                                                                                                                     "https://lyra-history.publicnode.org"                   },
    {"hercules",                "publicnode.org",            "GBLJNN3AVZZPG2FYAYTYQKECNWTQYYUUY2KVFN2OUKZKBULXIXBZ4FCT",
     "hercules.publicnode.org:11625",                                                                                                                                 "https://hercules-history.publicnode.org"               },
    {"lobstr_1_eu",             "lobstr",                    "GCFONE23AB7Y6C5YZOMKUKGETPIAJA4QOYLS5VNS4JHBGKRZCPYHDLW7",
     "v1.stellar.lobstr.co:11625",                                                                                                                                    "https://archive.v1.stellar.lobstr.co"                  },
    {"lobstr_2_eu",             "lobstr",                    "GCB2VSADESRV2DDTIVTFLBDI562K6KE3KMKILBHUHUWFXCUBHGQDI7VL",
     "v2.stellar.lobstr.co:11625",                                                                                                                                    "https://archive.v2.stellar.lobstr.co"                  },
    {"lobstr_5_india",          "lobstr",                    "GA5STBMV6QDXFDGD62MEHLLHZTPDI77U3PFOD2SELU5RJDHQWBR5NNK7",
     "v5.stellar.lobstr.co:11625",                                                                                                                                    "https://archive.v5.stellar.lobstr.co"                  },
    {"FT_SCV_2",                "www.franklintempleton.com",
     "GCMSM2VFZGRPTZKPH5OABHGH4F3AVS6XTNJXDGCZ3MKCOSUBH3FL6DOB",                                                         "stellar2.franklintempleton.com:11625",
     "https://stellar-history-usc.franklintempleton.com/azuscshf401"                                                                                                                                                          },
    {"FT_SCV_3",                "www.franklintempleton.com",
     "GA7DV63PBUUWNUFAF4GAZVXU2OZMYRATDLKTC7VTCG7AU4XUPN5VRX4A",                                                         "stellar3.franklintempleton.com:11625",
     "https://stellar-history-ins.franklintempleton.com/azinsshf401"                                                                                                                                                          },
    {"FT_SCV_1",                "www.franklintempleton.com",
     "GARYGQ5F2IJEBCZJCBNPWNWVDOFK7IBOHLJKKSG2TMHDQKEEC6P4PE4V",                                                         "stellar1.franklintempleton.com:11625",
     "https://stellar-history-usw.franklintempleton.com/azuswshf401"                                                                                                                                                          },
    {"satoshipay_de",           "satoshipay",                "GC5SXLNAM3C4NMGK2PXK4R34B5GNZ47FYQ24ZIBFDFOCU6D4KBN4POAE",
     "stellar-de-fra.satoshipay.io:11625",                                                                                                                            "https://stellar-history-de-fra.satoshipay.io"          },
    {"satoshipay_sg",           "satoshipay",                "GBJQUIXUO4XSNPAUT6ODLZUJRV2NPXYASKUBY4G5MYP3M47PCVI55MNT",
     "stellar-sg-sin.satoshipay.io:11625",                                                                                                                            "https://stellar-history-sg-sin.satoshipay.io"          },
    {"satoshipay_us",           "satoshipay",                "GAK6Z5UVGUVSEK6PEOCAYJISTT5EJBB34PN3NOLEQG2SUKXRVV2F6HZY",
     "stellar-us-iowa.satoshipay.io:11625",                                                                                                                           "https://stellar-history-us-iowa.satoshipay.io"         },
    {"Gamma Node Validator",    "stellar.creit.tech",
     "GBF7QOLFPTHUEDUPTT4ZTULDTA3QXDIO75JHKJN2IYD7YGQLYUTR75BT",                                                         "gamma.validator.stellar.creit.tech:11625",
     "https://gamma-history.validator.stellar.creit.tech"                                                                                                                                                                     },
    {"Alpha Node Validator",    "stellar.creit.tech",
     "GBPLJDBFZO2H7QQH7YFCH3HFT6EMC42Z2DNJ2QFROCKETAPY54V4DCZD",                                                         "alpha.validator.stellar.creit.tech:11625",
     "https://alpha-history.validator.stellar.creit.tech"                                                                                                                                                                     },
    {"Beta Node Validator",     "stellar.creit.tech",
     "GDDANSYOYSY5EPSFHBRPCLX6XMHPPLIMHVIDXG6IPQLVVLRI2BN4HMH3",                                                         "beta.validator.stellar.creit.tech:11625",
     "https://beta-history.validator.stellar.creit.tech"                                                                                                                                                                      },
    {"SDF 2",                   "sdf",                       "GCM6QMP3DLRPTAZW2UZPCPX2LF3SXWXKPMP3GKFZBDSF3QZGV2G5QSTK",
     "core-live-b.stellar.org:11625",                                                                                                                                 "http://history.stellar.org/prd/core-live/core_live_002"},
    {"SDF 1",                   "sdf",                       "GCGB2S2KGYARPVIA37HYZXVRM2YZUEXA6S33ZU5BUDC6THSB62LZSTYH",
     "core-live-a.stellar.org:11625",                                                                                                                                 "http://history.stellar.org/prd/core-live/core_live_001"},
    {"SDF 3",                   "sdf",                       "GABMKJM6I25XI4K7U6XWMULOUQIQ27BCTMLS6BYYSOWKTBUXVRJSXHYQ",
     "core-live-c.stellar.org:11625",                                                                                                                                 "http://history.stellar.org/prd/core-live/core_live_003"},
    {"Blockdaemon Validator 3", "blockdaemon",
     "GAYXZ4PZ7P6QOX7EBHPIZXNWY4KCOBYWJCA4WKWRKC7XIUS3UJPT6EZ4",                                                         "stellar-full-validator3.bdnodes.net:11625", "https://stellar-full-history3.bdnodes.net"             },
    {"blockdaemon_2",           "blockdaemon",               "GAVXB7SBJRYHSG6KSQHY74N7JAFRL4PFVZCNWW2ARI6ZEKNBJSMSKW7C",
     "stellar-full-validator2.bdnodes.net:11625",                                                                                                                     "https://stellar-full-history2.bdnodes.net"             },
    {"blockdaemon_1",           "blockdaemon",               "GAAV2GCVFLNN522ORUYFV33E76VPC22E72S75AQ6MBR5V45Z5DWVPWEU",
     "stellar-full-validator1.bdnodes.net:11625",                                                                                                                     "https://stellar-full-history1.bdnodes.net"             },
};

std::span<const Row> rows_of(std::string_view passphrase) {
  if (passphrase == kTestnetPassphrase) return kTestnet;
  if (passphrase == kMainnetPassphrase) return kMainnet;
  return {};
}

}  // namespace

std::optional<Quorum> standard_quorum(std::string_view network_passphrase) {
  const auto rows = rows_of(network_passphrase);
  if (rows.empty()) return std::nullopt;
  Quorum quorum;
  for (const auto& row : rows) {
    const bool known =
        !quorum.home_domains.empty() && quorum.home_domains.back().domain == row.domain;
    if (!known)
      quorum.home_domains.push_back({.domain = std::string{row.domain}, .quality = "HIGH"});
    quorum.validators.push_back({.name = std::string{row.name},
                                 .home_domain = std::string{row.domain},
                                 .public_key = std::string{row.key},
                                 .address = std::string{row.address},
                                 .history = history_get_command(row.archive)});
  }
  // One home domain is no quorum of equals: core wants to be told that this is meant.
  quorum.unsafe = quorum.home_domains.size() == 1;
  quorum.failure_safety = 1;
  return quorum;
}

void admit_self(Quorum& quorum, const std::string& home_domain) {
  const auto same = [&](const HomeDomain& one) { return one.domain == home_domain; };
  if (quorum.validators.empty() || std::ranges::any_of(quorum.home_domains, same)) return;
  quorum.home_domains.push_back({.domain = home_domain, .quality = "LOW"});
  // Beside a single other domain the node alone can break its own quorum.
  if (quorum.unsafe) quorum.failure_safety = 0;
}

std::vector<std::string> standard_archives(std::string_view network_passphrase) {
  std::vector<std::string> urls;
  for (const auto& row : rows_of(network_passphrase)) urls.emplace_back(row.archive);
  return urls;
}

}  // namespace fixpoint::operators::stellar
