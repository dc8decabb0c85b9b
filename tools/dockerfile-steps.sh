#!/usr/bin/env bash
# No Docker engine runs where this project is built, so the Dockerfile's steps are done in a clean folder: every COPY, then
# `npm ci --omit=dev`, then the CMD, which must become ready and stop on SIGTERM.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
app=$(mktemp -d)
trap 'rm -rf "$app"' EXIT
node24="$root/node_modules/.bin/node"
[ -x "$node24" ] || node24=node

sed -n 's/^COPY //p' "$root/Dockerfile" | while read -r -a words; do
  target="$app/${words[-1]}"
  for source in "${words[@]:0:${#words[@]}-1}"; do
    if [ -d "$root/$source" ]; then mkdir -p "$target" && cp -r "$root/$source/." "$target/"; else cp "$root/$source" "$target"; fi
  done
done
cd "$app"
npm ci --omit=dev --silent
VERIDICT_PORT=0 VERIDICT_DATABASE="$app/data/veridict.sqlite" "$node24" src/server.ts > log.jsonl &
pid=$!
for _ in $(seq 100); do grep -q 'http://127.0.0.1:' log.jsonl && break; sleep 0.1; done
origin=$(grep -o 'http://127.0.0.1:[0-9]*' log.jsonl | head -n 1)
status=$("$node24" -e "fetch('$origin/readyz').then((r) => console.log(r.status))")
kill -TERM "$pid"
wait "$pid"
echo "Dockerfile steps: ready answered $status, stopped on SIGTERM with exit code 0, $(ls node_modules | wc -l) entries in node_modules"
[ "$status" = 200 ]
