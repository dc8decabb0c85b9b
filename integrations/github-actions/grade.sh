#!/usr/bin/env bash
# Grades what VERIDICT_ACTION_PATHS names; writes the table to the job summary, and the outputs table, results and exit-code.
set -euo pipefail

fail() {
  echo "veridict: $1" >&2
  exit 1
}

here="$PWD"
whole() {
  case "$1" in /*) printf '%s' "$1" ;; *) printf '%s' "$here/$1" ;; esac
}

case "$VERIDICT_ACTION_FAIL_ON" in failed | unverified | never) ;; *) fail "fail-on is failed, unverified or never" ;; esac

if [ -n "$VERIDICT_ACTION_VERSION" ]; then
  [[ "$VERIDICT_ACTION_VERSION" =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?$ ]] || fail "version is one like 0.1.0"
  command=(npx --yes "veridict@$VERIDICT_ACTION_VERSION")
else
  source="$(cd "$GITHUB_ACTION_PATH/../.." && pwd)"
  [ -d "$source/node_modules" ] || (cd "$source" && npm ci --omit=dev --ignore-scripts --no-audit --no-fund >&2)
  command=(node "$source/bin/veridict.cjs")
fi

out="$RUNNER_TEMP/veridict"
mkdir -p "$out"
rm -f "$out/results.ndjson" "$out/table.md"
export VERIDICT_DATABASE="${VERIDICT_DATABASE:-$out/veridict.sqlite}" NO_COLOR=1

options=(--judge "$VERIDICT_ACTION_JUDGE")
[ -z "$VERIDICT_ACTION_GROUND_TRUTH" ] || options+=(--ground-truth "$(whole "$VERIDICT_ACTION_GROUND_TRUTH")")
[ -z "$VERIDICT_ACTION_RUBRIC" ] || options+=(--rubric "$VERIDICT_ACTION_RUBRIC")
[ "${VERIDICT_ACTION_ALLOW_SELF:-}" != true ] || options+=(--allow-self)
[ -z "$VERIDICT_ACTION_MAX_COST_USD" ] || options+=(--max-cost-usd "$VERIDICT_ACTION_MAX_COST_USD")
paths=()
while IFS= read -r path; do
  [ -z "$path" ] || paths+=("$(whole "$path")")
done <<< "$VERIDICT_ACTION_PATHS"
[ "${#paths[@]}" -gt 0 ] || fail "paths is empty"

# Not in the checkout: an .npmrc of the branch would say where npx finds its packages.
cd "$out"
# Names of trials are printed, and a name could be a command to the runner: between these lines it takes none.
token="$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')"
echo "::stop-commands::$token"
code=0
"${command[@]}" batch "${options[@]}" -o markdown --out "$out/table.md" -- "${paths[@]}" 2>&1 || code=$?
# The same batch again, from its store: nothing is graded or paid for twice.
if [ -s "$out/table.md" ]; then
  "${command[@]}" batch "${options[@]}" -o ndjson --out "$out/results.ndjson" -- "${paths[@]}" > /dev/null 2>&1 || true # its code is that of the first
fi
echo
echo "::$token::"

[ -s "$out/table.md" ] || echo "There is no table: the batch did not end (exit code $code). The log of the step says why." > "$out/table.md"
{
  echo "### Veridict"
  echo
  cat "$out/table.md"
} >> "$GITHUB_STEP_SUMMARY"
{
  echo "table=$out/table.md"
  [ ! -s "$out/results.ndjson" ] || echo "results=$out/results.ndjson"
  echo "exit-code=$code"
} >> "$GITHUB_OUTPUT"

case "$VERIDICT_ACTION_FAIL_ON:$code" in
  *:0 | failed:2 | never:[23]) ;;
  *) fail "exit code $code" ;;
esac
