#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# A person at work on a cluster of simulated nodes: jobs, daemons, a drained node, rollouts and the
# way back, an autoscaler, all ways to delete.
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

k set image deployment/web nginx=nginx:2
k rollout status deployment/web --timeout=60s
k rollout history deployment/web | tee /dev/stderr | grep -q '^2 '
k rollout undo deployment/web
k rollout status deployment/web --timeout=60s
k get deployment web -o jsonpath='{.spec.template.spec.containers[0].image}' | grep -qx 'nginx'
k rollout pause deployment/web
k set image deployment/web nginx=nginx:3
k get replicasets -l app=web -o jsonpath='{..image}' | { ! grep -q nginx:3; }
k rollout resume deployment/web
k rollout restart deployment/web
k rollout status deployment/web --timeout=60s
k scale deployment/web --current-replicas=4 --replicas=6
k wait --for=jsonpath='{.status.readyReplicas}'=6 deployment/web --timeout=60s

k autoscale deployment web --min=1 --max=2
k wait --for=jsonpath='{.spec.replicas}'=2 deployment/web --timeout=60s
k rollout status deployment/web --timeout=60s
k apply -f - <<'KEEPER'
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: keeper
spec:
  serviceName: keeper
  replicas: 2
  selector: {matchLabels: {app: keeper}}
  template:
    metadata: {labels: {app: keeper}}
    spec:
      containers: [{name: c, image: keeper}]
KEEPER
k rollout status statefulset/keeper --timeout=60s
k set image statefulset/keeper c=keeper:2
k rollout status statefulset/keeper --timeout=60s
k rollout undo statefulset/keeper
k rollout status statefulset/keeper --timeout=60s
k get pod keeper-1 -o jsonpath='{.spec.containers[0].image}' | grep -qx 'keeper'
k delete statefulset/keeper --cascade=orphan
k get pods keeper-0 keeper-1
k delete pods keeper-0 keeper-1 --wait
k delete deployment/web --cascade=foreground --wait
k get replicasets,pods -l app=web -o name | tee /dev/stderr | { ! grep -q /; }

k delete job/once job/now --wait
k get all
