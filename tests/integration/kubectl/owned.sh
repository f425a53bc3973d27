# SPDX-License-Identifier: Apache-2.0
#
# Prints a ConfigMap "child" owned by the ConfigMap "owner"; owner uid as the argument.
cat <<YAML
{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"child","ownerReferences":
[{"apiVersion":"v1","kind":"ConfigMap","name":"owner","uid":"$1","blockOwnerDeletion":true}]}}
YAML
