#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# A person at work on a cluster of simulated nodes: jobs, daemons, a drained node, an autoscaler.
# Every step waits for what it promises and fails when it does not come.
#
#   cluster.sh KUBECTL KUBECONFIG
set -euo pipefail
kubectl=$1
config=$2

k() {
  echo "\$ kubectl $*"
  timeout 90 "$kubectl" --kubeconfig "$config" "$@"
}

k create job once --image=busybox -- true
k wait --for=condition=complete job/once --timeout=60s

k create cronjob tick --image=busybox --schedule='0 0 1 1 *' -- true
k create job now --from=cronjob/tick
k wait --for=condition=complete job/now --timeout=60s

k apply -f - <<'AGENT'
apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: agent
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec:
      containers: [{name: c, image: agent}]
AGENT
k rollout status daemonset/agent --timeout=60s
k rollout restart daemonset/agent
k rollout status daemonset/agent --timeout=60s

k create deployment web --image=nginx --replicas=4
k rollout status deployment/web --timeout=60s
k create poddisruptionbudget web --selector=app=web --min-available=3
k wait --for=jsonpath='{.status.disruptionsAllowed}'=1 pdb/web --timeout=60s

k cordon simulated-0
k drain simulated-0 --ignore-daemonsets --timeout=80s
k rollout status deployment/web --timeout=60s
k get pods -l app=web -o jsonpath='{.items[*].spec.nodeName}' | tee /dev/stderr | { ! grep -q simulated-0; }
k get pods -l app=agent -o jsonpath='{.items[*].spec.nodeName}' | grep -q simulated-0
k uncordon simulated-0

k autoscale deployment web --min=1 --max=2
k wait --for=jsonpath='{.spec.replicas}'=2 deployment/web --timeout=60s
k rollout status deployment/web --timeout=60s
k delete job/once job/now --wait
k get all
