# SPDX-License-Identifier: Apache-2.0
#
# A session with unmodified kubectl, run by tools/kubectl-session on a real server (to record) and on
# ours (to compare). Each `k` line is one command; its output and exit status are part of the record.

# Namespaces and contexts
k get namespaces
k create namespace harbour
k config set-context --current --namespace=harbour
k get namespace harbour -o yaml
k create namespace harbour
k create namespace Bad_Name

# ConfigMaps in every output form
k create configmap plain --from-literal=x=1 --from-literal=y=2
k create configmap plain --from-literal=x=1
k get configmap plain
k get configmap plain -o wide
k get configmap plain -o yaml
k get configmap plain -o json
k get configmap plain -o name
k get configmap plain -o jsonpath='{.data.x}'
k get configmap plain -o go-template='{{.data.y}}'
k get configmap plain -o custom-columns=NAME:.metadata.name,X:.data.x
k get configmap plain --show-labels
k get configmap plain -o yaml --show-managed-fields
k get configmaps --field-selector=metadata.name=plain
k get configmaps --field-selector=spec.x=1
k get configmaps -l app=web
k get configmaps -l 'app in (web'
k get configmaps --sort-by=.metadata.name
k get configmaps -A -l none=none
k get configmap plain -w --request-timeout=2s
k events
k api-resources --api-group=apps
k api-resources --api-group=batch -o name
k create configmap single --from-literal=x=1
k describe configmap single
k get configmap nope
k get nopes
k get --raw /api/v1/namespaces/harbour/configmaps/nope

# Labels, annotations, patches, edits
k label configmap plain app=web
k label configmap plain app=web
k label configmap plain app=other
k label configmap plain app=other --overwrite
k label configmap plain app-
k annotate configmap plain note=hello
k annotate configmap plain note-
k patch configmap plain -p '{"data":{"z":"3"}}'
k patch configmap plain -p '{"data":{"z":"3"}}'
k patch configmap plain --type=merge -p '{"data":{"z":null}}'
k patch configmap plain --type=json -p '[{"op":"test","path":"/data/x","value":"9"}]'
k patch configmap plain --type=json -p '[{"op":"replace","path":"/data/x","value":"9"}]'
k patch configmap plain --type=json -p '[{"op":"remove","path":"/data/none"}]'
k patch configmap plain -p '{"metadata":{"name":"other"}}'
k get configmap plain -o jsonpath='{.data}'
EDITOR='sed -i s/x:.*/x:\ edited/' k edit configmap plain
k get configmap plain -o jsonpath='{.data.x}'

# Client-side apply, diff, replace
k apply -f web.yaml
k apply -f web.yaml
k get deployments,services,configmaps
k get deployment web -o wide
k get deployment web -o yaml
k diff -f web-next.yaml
k apply -f web-next.yaml
k apply -f web.yaml --dry-run=server
k apply -f web.yaml --dry-run=server -o yaml
k apply view-last-applied configmap conf
k get service web -o yaml
k set image deployment/web c=nginx:9
k set env deployment/web A=c
k scale deployment web --replicas=5
k scale deployment web --replicas=6 --current-replicas=1
k get deployment web -o jsonpath='{.spec.replicas}'
k rollout pause deployment/web
k rollout pause deployment/web
k rollout resume deployment/web
k describe service web
k replace -f web.yaml

# Server-side apply: ownership, conflict, force, migration
k apply --server-side -f web.yaml
k apply --server-side --field-manager=other -f web-next.yaml
k apply --server-side --field-manager=other --force-conflicts -f web-next.yaml
k apply --server-side --field-manager=third --dry-run=server -f web.yaml
k get configmap conf -o yaml --show-managed-fields

# Custom resources
k create -f boats.yaml
k wait --for=condition=Established crd/boats.sea.example.com --timeout=10s
k get crd boats.sea.example.com
k get boats
k apply -f boat.yaml
k get boats
k get bt -o wide
k get boat one -o yaml
k get fleet
k describe boat one
k explain boat.spec
k explain boat.spec.parts.size
k explain boat --recursive
k api-resources --api-group=sea.example.com
k patch boat one --type=merge -p '{"spec":{"crew":12}}'
k patch boat one --type=merge -p '{"spec":{"crew":"many"}}'
k patch boat one --type=merge -p '{"spec":{"color":"green"}}'
k patch boat one -p '{"spec":{"crew":4}}'
k patch boat one --type=merge -p '{"spec":{"crew":4,"sails":2}}'
k patch boat one --subresource=status --type=merge -p '{"status":{"phase":"Afloat"}}'
k get boats
k scale boat one --replicas=7
k get boat one -o jsonpath='{.spec.crew}/{.metadata.generation}'
k apply --server-side --field-manager=shipyard -f boat.yaml
k delete boat one
k delete boat one
k create -f boat.yaml --validate=strict
# Lists, which kubectl checks itself by OpenAPI v2, and their pages
k apply -f classes.yaml
k apply -f classes.yaml
k get runtimeclasses -l sea=yes --chunk-size=2 -o name
sed 's/handler: calm/handle: calm/' classes.yaml | k apply -f -
printf 'apiVersion: sky.example.com/v1\nkind: Kite\nmetadata: {name: a}\n' | k apply -f -
k explain boat.spec.parts --output=plaintext-openapiv2
k delete -f classes.yaml
k get --raw /apis/node.k8s.io/v1

# A short name of two groups
k create -f names.yaml
for _ in {1..100}; do
  [ "$(kubectl api-resources --no-headers | grep -c ' gear ')" = 2 ] && break
  sleep 0.1
done
k get gear
k delete -f names.yaml

k delete crd boats.sea.example.com
k get boats

# Other kinds
k create secret generic hidden --from-literal=password=secret
k get secret hidden -o yaml
k describe secret hidden
k create serviceaccount bob
k create token bob --duration=10m
k create token nobody
k get serviceaccounts
k create role reader --verb=get,list --resource=configmaps
k create rolebinding readers --role=reader --user=ada
k get role reader -o yaml
k describe rolebinding readers
k create quota limits --hard=configmaps=20,pods=1
k create priorityclass high --value=1000
k get priorityclass high
k create deployment made --image=nginx:1
k create job once --image=busybox:1
k create cronjob daily --image=busybox:1 --schedule='0 0 * * *'
k get cronjob daily
k create service clusterip svc --tcp=80:8080
k create ingress ing --rule='example.com/=svc:80'
k get ingress ing
k create poddisruptionbudget pdb --selector=app=web --min-available=1
k get pdb pdb
k autoscale deployment web --min=1 --max=3
k get hpa web -o jsonpath='{.spec.maxReplicas}'

# Who may do what
k auth can-i create pods
k auth can-i list configmaps --as=ada
k auth can-i list secrets --as=ada
k get configmaps plain --as=ada -o name
k get secrets --as=ada
k get configmaps --as=ada -n default
k create configmap no --as=ada
k auth whoami --as=ada

# Deletion
k create configmap owner
k create -f <(bash owned.sh "$(kubectl get configmap owner -o jsonpath='{.metadata.uid}')")
k delete configmap owner --cascade=foreground
k get configmap child owner
k create configmap parent
k create configmap parent --dry-run=server
k delete configmap parent --cascade=orphan
k create configmap held
k patch configmap held -p '{"metadata":{"finalizers":["example.com/hold"]}}'
k delete configmap held --wait=false
k patch configmap held -p '{"metadata":{"finalizers":["example.com/hold","example.com/more"]}}'
k patch configmap held -p '{"metadata":{"finalizers":null}}'
k get configmap held
k delete configmaps -l none=none
k delete -f web.yaml
k delete priorityclass high
k delete namespace harbour
k get namespace harbour
k config set-context --current --namespace=default
