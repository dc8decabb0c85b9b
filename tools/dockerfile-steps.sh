#!/usr/bin/env bash
# No Docker engine runs where this project is built, so the Dockerfile's steps are done in clean folders, a folder for each stage:
# every COPY, then `npm ci --omit=dev --omit=optional --ignore-scripts`. Then the service runs as `docker run --read-only --cap-drop ALL --user node` would run it:
# a user without rights, in a folder that nobody can write, with a data folder and a temporary one. It must become ready, grade,
# serve the pages, pass its health check, be backed up, and stop on SIGTERM, having written nowhere else.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
pid=
cleanup() {
  [ -z "$pid" ] || kill -KILL "$pid" 2> /dev/null || true
  chmod -R u+w "$work"
  rm -rf "$work"
}
trap cleanup EXIT
fail() { echo "Dockerfile steps: $1"; exit 1; }

# COPY lines of a stage (the first or the last) into its folder, `--from` out of the first stage's.
copy_stage() {
  local stage=$1 from=$2 to=$3
  mkdir -p "$to"
  awk -v stage="$stage" '/^FROM /{n++} n==stage && /^COPY /' "$root/Dockerfile" | while read -r _ line; do
    read -r -a words <<< "$line"
    local base=$root
    case ${words[0]} in --from=*) base=$from; words=("${words[@]:1}") ;; esac
    local target="$to/${words[-1]}"
    for source in "${words[@]:0:${#words[@]}-1}"; do
      source=${source#/app/}
      if [ -d "$base/$source" ]; then mkdir -p "$target" && cp -r "$base/$source/." "$target/"; else cp "$base/$source" "$target"; fi
    done
  done
}

packages="$work/packages" app="$work/app" data="$work/data" temp="$work/temp" out="$work/out"
copy_stage 1 "" "$packages"
(cd "$packages" && npm ci --omit=dev --omit=optional --ignore-scripts --loglevel=error)
copy_stage 2 "$packages" "$app"
rm -rf "$packages"
mkdir "$data" "$temp" "$out"
node24="$root/node_modules/.bin/node"
[ -x "$node24" ] || node24=$(command -v node)
cp "$(realpath "$node24")" "$out/node"

# The user of the image, or another without rights. Root could write anywhere, so it is not asked.
as_user=()
chmod 755 "$work" "$out"
chmod 700 "$data" "$temp"
if [ "$(id -u)" = 0 ]; then
  chown 65534:65534 "$data" "$temp"
  as_user=(setpriv --reuid 65534 --regid 65534 --clear-groups --no-new-privs --inh-caps=-all --bounding-set=-all)
fi
chmod -R a+rX,a-w "$app"
if "${as_user[@]}" touch "$app/src/written" 2> /dev/null; then fail "the folder of the program can be written"; fi

environment=(env -i "PATH=$out:/usr/bin:/bin" "TMPDIR=$temp" "SQLITE_TMPDIR=$temp" HOME=/nonexistent NODE_ENV=production
  VERIDICT_HOST=127.0.0.1 VERIDICT_ACCESS=on VERIDICT_PORT=0 "VERIDICT_DATABASE=$data/veridict.sqlite")
cd "$app"
mapfile -t cmd < <("$out/node" -e "
  const last = require('fs').readFileSync('$root/Dockerfile', 'utf8').match(/^CMD (.*)\$/m)
  for (const word of JSON.parse(last[1])) console.log(word)")
"${as_user[@]}" "${environment[@]}" "${cmd[@]}" > "$out/log.jsonl" 2>&1 &
pid=$!
for _ in $(seq 200); do grep -q 'http://127.0.0.1:' "$out/log.jsonl" && break; sleep 0.1; done
origin=$(grep -o 'http://127.0.0.1:[0-9]*' "$out/log.jsonl" | head -n 1) || { cat "$out/log.jsonl"; fail "it did not listen"; }

health=$("$out/node" -e "
  const line = require('fs').readFileSync('$root/Dockerfile', 'utf8').match(/^HEALTHCHECK .*? CMD (.*)\$/m)
  console.log(JSON.parse(line[1]).at(-1))")
"${as_user[@]}" "${environment[@]}" "VERIDICT_PORT=${origin##*:}" node -e "$health" || fail "the health check says no"
# As `docker exec veridict veridict …` would: the image listens everywhere, so every request needs a key.
veridict=("${as_user[@]}" "${environment[@]}" node bin/veridict.cjs)
key=$("${veridict[@]}" keys create dockerfile-steps 2> "$out/keys.txt") || { cat "$out/keys.txt"; fail "no key can be made"; }
said=$(KEY="$key" "$out/node" -e "
  const body = JSON.stringify({
    trajectory: { steps: [{ actor: 'tool_output', text: 'make release-7f3a' }, { actor: 'agent_action', text: 'make release-7f3a' }] },
    ground_truth: { instruction: 'Build.', cue: { text: 'make release-7f3a' } },
  })
  const post = (headers) =>
    fetch('$origin/v1/grades', { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body })
  const ask = async () => [
    (await post({})).status,
    (await post({ authorization: 'Bearer ' + process.env.KEY })).status,
    (await fetch('$origin/audit/')).status,
    (await fetch('$origin/docs/')).status,
  ].join(' ')
  ask().then(console.log)")
[ "$said" = "401 201 200 200" ] ||
  fail "a grade without a key, one with a key, the pages and the docs answered $said instead of 401 201 200 200"
"${veridict[@]}" backup "$data/backup.sqlite" > "$out/backup.txt" || fail "no backup beside the service"
"${veridict[@]}" doctor > "$out/doctor.txt" || [ $? = 2 ] || { cat "$out/doctor.txt"; fail "the doctor finds errors"; }

kill -TERM "$pid"
code=0
wait "$pid" || code=$?
pid=
[ "$code" = 0 ] || fail "SIGTERM ended it with $code"
strange=$(find "$app" -newer "$out/node" | head -n 5)
[ -z "$strange" ] || fail "it wrote into the program's folder: $strange"
left=$(ls -A "$temp" | head -n 5)
echo "Dockerfile steps: as uid $("${as_user[@]}" id -u), ready, graded, pages, health check, backup and doctor ($said), SIGTERM exits 0;" \
  "written: $(ls "$data" | tr '\n' ' ')in the data folder, ${left:-nothing} in the temporary one; $(ls node_modules | wc -l) entries in node_modules"
