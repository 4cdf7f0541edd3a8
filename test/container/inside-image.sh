#!/usr/bin/env bash
# Runs in an image: starts a command and checks that it becomes ready, answers on its ports, and stops on SIGTERM.
set -euo pipefail
cd /data
fail() { echo "FAILED: $*"; cat out err; exit 1; }

if touch /written 2> touch-err; then fail 'the root file system is writable'; fi
"$@" > out 2> err &
server=$!
for _ in {1..200}; do
  if grep -Eqs "success.*:${PORTS: -5}\b" out; then break; fi
  kill -0 "$server" || fail 'it ended'
  sleep 0.1
done
grep 'success' out || fail 'it did not print a ready line'
for port in $PORTS; do
  node -e '
    const [port] = process.argv.slice(1);
    require("node:http").get(`http://127.0.0.1:${port}/devstoreaccount1?comp=list`, ({ statusCode, headers }) => {
      console.log(port, statusCode, headers.server);
      process.exit();
    });' "$port" || fail "no answer on port $port"
  nc -z localhost "$port" || fail "nc does not reach port $port"
done
case "$PORTS" in *10002) tabularium health || fail 'it is not healthy' ;; esac
started=$(date +%s%N)
kill -TERM "$server"
code=0
wait "$server" || code=$?
took=$((($(date +%s%N) - started) / 1000000))
echo "ended with $code after $took ms"
[ "$code" = 0 ] || fail 'the exit code is not 0'
[ "$took" -lt 1000 ] || fail 'it took a second or more to stop'
