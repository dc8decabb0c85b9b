#!/usr/bin/env bash
# Builds an OpenTelemetry Collector from Go modules into build/otelcol: no registry of Debian, npm or PyPI has a collector. Needs Go 1.26 and the Go module proxy.
set -euo pipefail
cd "$(dirname "$0")"
out=$(cd ../../.. && pwd)/build/otelcol
command -v go > /dev/null || { echo "no Go: the OpenTelemetry Collector is not built"; exit 1; }
go build -trimpath -mod=readonly -ldflags='-s -w' -o "$out/otelcol" .
