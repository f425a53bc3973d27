#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# streams.sh KUBECTL KUBECONFIG [NODE]: what kubectl does through a node, told as a transcript: exec,
# attach, port-forward, cp, logs that are followed. The same on every cluster whose pods run here
# (tests/testdata/kubectl/streams.expected). With NODE its pods are bound there, for a cluster without
# a scheduler. Needs redis-server.
set -u
kubectl=("$1" --kubeconfig "$2" --request-timeout 0)
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$work"' EXIT
export LC_ALL=C
node_name=${3:+\"nodeName\":\"$3\",}
start() { quietly run --overrides "{\"spec\":{$node_name\"hostname\":\"$1\"}}" "$@"; }

k() { timeout 60 "${kubectl[@]}" "$@"; }
# A command as one would type it, what it says, and how it ends.
run() {
  echo "\$ kubectl $*"
  k "$@" 2>&1
  local code=$?
  [ $code = 0 ] || echo "(exit code $code)"
}
quietly() { k "$@" >/dev/null 2>>"$work/noise" || { echo "kubectl $* failed"; cat "$work/noise"; }; }
# Until it holds, or for a minute.
eventually() {
  for _ in $(seq 600); do
    "$@" && return
    sleep 0.1
  done
  echo "never: $*"
}
says() { grep -qs -- "$1" "$2"; }

start p --image=busybox -- sleep 100000
start r --image=redis:7 -- --save ''
quietly wait --for=condition=Ready pod/p pod/r --timeout=60s

echo '# exec'
run exec p -- echo hello
run exec p -- sh -c 'echo out; exit 3'
run exec p -- sh -c 'echo only this >&2' 2>&1
run exec p -- no-such-program
run exec p -c other -- true
run exec nobody -- true
echo '$ echo typed | kubectl exec -i p -- cat'
echo typed | k exec -i p -- cat
echo '$ head -c 5000000 /dev/zero | kubectl exec -i p -- wc -c'
head -c 5000000 /dev/zero | k exec -i p -- wc -c
echo '$ kubectl exec p -- head -c 5000000 /dev/zero | wc -c'
k exec p -- head -c 5000000 /dev/zero | wc -c
echo '$ kubectl exec -i p -- true < endless'
(yes 2>/dev/null || true) | k exec -i p -- true 2>/dev/null && echo done

echo '# a terminal'
cat > "$work/terminal.py" <<'EOF'
import fcntl, os, pty, struct, sys, termios
ours, theirs = pty.openpty()
fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 33, 99, 0, 0))
child = os.fork()
if child == 0:
    os.login_tty(theirs) if hasattr(os, "login_tty") else (os.setsid(), [os.dup2(theirs, n) for n in range(3)], fcntl.ioctl(0, termios.TIOCSCTTY, 0))
    os.execvp(sys.argv[1], sys.argv[1:])
os.close(theirs)
os.write(ours, b"answer\n")
try:
    while text := os.read(ours, 4096):
        sys.stdout.write(text.decode().replace("\r", ""))
except OSError:
    pass  # how a terminal says that its last user is gone
print("(exit code %d)" % os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
EOF
python3 "$work/terminal.py" timeout 60 "${kubectl[@]}" exec -it p -- sh -c '
  stty -echo; while [ "$(stty size)" != "33 99" ]; do sleep 0.05; done
  read word; echo "$word, $(stty size), $TERM"; exit 5' | grep -v '^answer$'

echo '# attach'
# NAME, more of the container, what it runs
attachable() {
  quietly apply -f - <<EOF
{"apiVersion":"v1","kind":"Pod","metadata":{"name":"$1"},"spec":{$node_name"restartPolicy":"Never","containers":[
 {"name":"c","image":"busybox","stdin":true,$2,"command":["sh","-c","$3"]}]}}
EOF
  quietly wait --for=condition=Ready "pod/$1" --timeout=60s
}
attachable once '"stdinOnce":true' 'read word; echo got $word; cat; echo over'
echo '$ printf "one\ntwo\n" | kubectl attach -iq once'
printf 'one\ntwo\n' | k attach -iq once
attachable much '"stdinOnce":true' 'read word; head -c 3000000 /dev/zero'
echo '$ echo go | kubectl attach -iq much | wc -c'
echo go | k attach -iq much | wc -c
attachable long '"stdinOnce":false' 'while read word; do echo got $word; done'
for word in three four; do
  echo "\$ echo $word | kubectl attach -iq long"
  (echo $word; sleep 1) | timeout 60 "${kubectl[@]}" attach -iq long >"$work/attached" 2>&1 &
  eventually says "got $word" "$work/attached"
  kill $!
  cat "$work/attached"
done
attachable terminal '"tty":true' \
  'while [ \"$(stty size)\" != \"33 99\" ]; do sleep 0.05; done; read word; echo $word, $(stty size), $TERM; exit 5'
python3 "$work/terminal.py" timeout 60 "${kubectl[@]}" attach -itq terminal | grep -v '^answer$'
quietly wait --for=jsonpath='{.status.phase}'=Failed pod/terminal --timeout=60s
run attach -q terminal
for pod in once much long terminal; do quietly delete pod $pod --now; done

echo '# a client that leaves, a container that goes'
"${kubectl[@]}" exec p -- sh -c 'echo started; sleep 987654; true' >"$work/left" 2>&1 &
leaver=$!
eventually says started "$work/left"
kill -9 $leaver
wait $leaver 2>/dev/null
left_none() { k exec p -- sh -c '! grep -qa 98765[4] /proc/[1-9]*/cmdline' 2>/dev/null; }
eventually left_none
echo 'nothing is left of its command'
start gone --image=busybox -- sleep 100000
quietly wait --for=condition=Ready pod/gone --timeout=60s
k exec gone -- sh -c 'echo started; sleep 100000; true' >"$work/gone" 2>&1 &
eventually says started "$work/gone"
quietly delete pod gone --now
wait $!
cat "$work/gone"

echo '# port-forward'
k port-forward r :6379 >"$work/forward" 2>&1 &
forward=$!
eventually says 'Forwarding from 127' "$work/forward"
port=$(sed -n 's/^Forwarding from 127.0.0.1:\([0-9]*\) .*/\1/p' "$work/forward")
ask() {
  exec 3<>"/dev/tcp/127.0.0.1/$port"
  printf '%s\r\n%s\r\nQUIT\r\n' "$@" >&3
  cat <&3
  exec 3>&-
}  # two commands
ask PING 'ECHO hello' | tr -d '\r'
large=$(head -c 1000000 /dev/zero | tr '\0' x)
ask $'*3\r\n$3\r\nSET\r\n$5\r\nlarge\r\n$1000000\r\n'"$large" 'STRLEN large' | tr -d '\r'
ask PING 'GET large' | wc -c
(ask "not a command: $large" PING) >/dev/null 2>&1  # the server hangs up before it has read all
ask PING PING | tr -d '\r'
kill $forward
k port-forward r :1 >"$work/refused" 2>&1 &
eventually says 'Forwarding from 127' "$work/refused"
port=$(sed -n 's/^Forwarding from 127.0.0.1:\([0-9]*\) .*/\1/p' "$work/refused")
(ask PING PING) 2>/dev/null
wait $!
grep -o 'error forwarding port 1 to pod r_default' "$work/refused"
tail -1 "$work/refused"

echo '# port-forward over the channels of a WebSocket, as clients in most languages have it'
cat > "$work/channels.py" <<'EOF'
# channels.py SERVER TOKEN SUBPROTOCOL PATH [TEXT]...: opens PATH as a WebSocket, sends each text on
# channel 0 and says what comes on which channel, until the server closes. With an origin for a
# subprotocol it is a watch instead, and says its events.
import base64, http.client, json, os, ssl, struct, sys, urllib.parse
server, token, subprotocol, path, *texts = sys.argv[1:]
base64_wanted = "base64" in subprotocol
watches = "watch=" in path
connection = http.client.HTTPSConnection(
    urllib.parse.urlsplit(server).netloc, context=ssl._create_unverified_context(), timeout=60)
connection.request("GET", path, headers={
    "Authorization": "Bearer " + token, "Connection": "Upgrade", "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(),
    **({"Origin" if watches else "Sec-WebSocket-Protocol": subprotocol} if subprotocol else {})})
stream = connection.sock
head = b""
while not head.endswith(b"\r\n\r\n"):
    head += stream.recv(1) or sys.exit("no answer")
print(head.split(b"\r\n")[0].decode())
if b" 101 " not in head.split(b"\r\n")[0]:
    length = int(next((line.split(b":")[1] for line in head.lower().split(b"\r\n")
                       if line.startswith(b"content-length:")), b"0"))
    answer = stream.makefile("rb").read(length).decode().strip()
    sys.exit(json.loads(answer)["message"] if answer.startswith("{") else answer or 1)

def send(payload):  # masked with zeros; never as long as a client's may be
    kind = 0x81 if base64_wanted else 0x82
    stream.sendall(struct.pack(">BBH4x", kind, 0x80 | 126, len(payload)) + payload)

def messages():
    source = stream.makefile("rb")
    whole = b""
    while frame := source.read(2):
        size = frame[1] & 127
        size = struct.unpack(">H", source.read(2))[0] if size == 126 else size
        size = struct.unpack(">Q", source.read(8))[0] if size == 127 else size
        payload = source.read(size)
        if frame[0] & 15 == 8:
            return
        whole += payload
        if frame[0] & 128:
            yield whole
            whole = b""

for text in texts:
    text = text.encode().decode("unicode_escape").encode()
    send(b"0" + base64.b64encode(text) if base64_wanted else b"\0" + text)
said = {}
for message in messages() if watches else ():
    event = json.loads(message)
    name = event["object"].get("metadata", {}).get("name")
    print(message.count(b"\n"), event["type"], name or event["object"].get("reason"), flush=True)
for message in messages() if not watches else ():
    channel = message[0] - 48 if base64_wanted else message[0]
    text = base64.b64decode(message[1:]) if base64_wanted else message[1:]
    said[channel] = said.get(channel, b"") + text
for channel, text in sorted(said.items()):
    words = text[2:].decode().replace("\r", "").split(", uid")[0].strip()
    print(channel, struct.unpack("<H", text[:2])[0], words)
EOF
server=$(k config view --raw -o 'jsonpath={.clusters[0].cluster.server}')
token=$(k config view --raw -o 'jsonpath={.users[0].user.token}')
# SUBPROTOCOL QUERY [TEXT]...
channels() {
  echo "\$ $1 $2"
  timeout 60 python3 "$work/channels.py" "$server" "$token" "$1" \
    "/api/v1/namespaces/default/pods/r/portforward$2" "${@:3}" 2>&1
}
channels v4.channel.k8s.io '?ports=6379' 'ECHO hello\r\n' 'QUIT\r\n'
channels v4.base64.channel.k8s.io '?ports=6379' 'ECHO hello\r\nQUIT\r\n'
channels '' '?ports=6379' 'QUIT\r\n'
channels v4.channel.k8s.io '?ports=6379,1' 'QUIT\r\n'
channels v4.channel.k8s.io '?ports=6379&ports=1' 'QUIT\r\n'
channels v4.channel.k8s.io ''
channels v4.channel.k8s.io '?ports=0'
channels v4.channel.k8s.io '?ports=x'
channels v4.channel.k8s.io '?ports=70000'

echo '# a watch over a WebSocket'
quietly create configmap watched
# ORIGIN QUERY
watched() {
  echo "\$ $1 $2"
  timeout 60 python3 "$work/channels.py" "$server" "$token" "$1" \
    "/api/v1/namespaces/default/configmaps?watch=true&fieldSelector=metadata.name=watched$2" 2>&1
}
watched http://here '&timeoutSeconds=4' >"$work/watched" &
watcher=$!
eventually says ADDED "$work/watched" 2>/dev/null
quietly label configmap watched a=b
quietly delete configmap watched
wait $watcher
cat "$work/watched"
watched '' '&timeoutSeconds=1'
watched here '&timeoutSeconds=1'
watched http://here '&timeoutSeconds=1&resourceVersion=x'

echo '# cp'
mkdir "$work/tree"
echo one > "$work/tree/one"
head -c 300000 /dev/urandom > "$work/tree/two"
quietly cp "$work/tree" p:/tmp/tree
run exec p -- sh -c 'cd /tmp/tree && ls && cat one'
quietly cp p:/tmp/tree "$work/back"
diff -r "$work/tree" "$work/back" && echo same

echo '# logs that are followed through their rotation'
start flood --image=busybox --restart=Never -- sh -c \
  'line=$(head -c 999 /dev/zero | tr "\0" x); i=0; while [ $i -lt 14000 ]; do echo $line; i=$((i+1)); done; echo the end'
started() { [ -n "$(k get pod flood -o 'jsonpath={.status.containerStatuses[0].state.running}{.status.containerStatuses[0].state.terminated}')" ]; }
eventually started
k logs -f flood > "$work/flood"
wc -l < "$work/flood"
tail -1 "$work/flood"

for pod in p r flood; do quietly delete pod $pod --now; done
