#!/usr/bin/env bash
# Builds an OpenTelemetry Collector from Go modules into build/otelcol: no registry of Debian, npm or PyPI has a collector. Needs Go 1.26 and the Go
# module proxy. A cold build takes about 150 seconds of processor time; Go keeps the packages that it compiled, so a build that was cut off goes on.
# `build.sh SECONDS` ends by then. Without a collector the script says why, and ends with 0: the test of the collector skips.
set -euo pipefail
cd "$(dirname "$0")"
out=$(cd ../../.. && pwd)/build/otelcol
command -v go > /dev/null || { echo "no OpenTelemetry Collector: there is no Go"; exit 0; }
mkdir -p "$out"
# Unoptimized code compiles in less time.
timeout "${1:-0}" go build -trimpath -mod=readonly -gcflags=all='-N -l' -ldflags='-s -w' -o "$out/otelcol" . 2> "$out/build.log" || {
  code=$?
  [ "$code" = 124 ] && why="the build was not done in $1 seconds" || why=$(tail -n 1 "$out/build.log")
  echo "no OpenTelemetry Collector: $why"
  exit 0
}
echo "OpenTelemetry Collector $("$out/otelcol" --version | grep -o '[0-9.]*$') is built by $(go version | cut -d ' ' -f 3)"
