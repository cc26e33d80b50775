#!/bin/sh
# Installs the pinned client SDKs and server packages next to this file, by name, once: npm packages into node_modules, Python ones into .venv.
# Prints nothing but errors. A stamp holds what was installed and with which Node or Python; nothing happens while it matches.
set -eu
cd "$(dirname "$0")"

want="$(node --version) $(cksum < package.json)"
if [ ! -d node_modules ] || [ "$(cat .stamp-npm 2>/dev/null || true)" != "$want" ]; then
  rm -f .stamp-npm
  npm install --no-audit --no-fund --no-package-lock --no-update-notifier --loglevel=error >/dev/null
  printf '%s\n' "$want" > .stamp-npm
fi

want="$(python3 --version) $(cksum < requirements.txt)"
if [ ! -x .venv/bin/python ] || [ "$(cat .stamp-pip 2>/dev/null || true)" != "$want" ]; then
  rm -f .stamp-pip
  python3 -m venv --clear .venv >/dev/null
  .venv/bin/python -m pip install -q --disable-pip-version-check --no-input --root-user-action=ignore -r requirements.txt >/dev/null
  printf '%s\n' "$want" > .stamp-pip
fi

# One server is a Rust program: its package has no other form.
cargo build --quiet --locked --manifest-path servers/apps/axum-idempotent/Cargo.toml
