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
