#!/usr/bin/env bash
# Installs Schemathesis, as pinned in requirements.txt, into build/schemathesis (Python 3.10 or newer; PyPI).
set -euo pipefail
cd "$(dirname "$0")/../.."
python3 -m venv build/schemathesis
build/schemathesis/bin/pip install --quiet --disable-pip-version-check -r tools/schemathesis/requirements.txt
