#!/bin/sh
# curl --retry; MODE=all adds --retry-all-errors. curl sends the body that it was given, and so its one event_id, on each attempt.
set -u
body=$ONCEPROOF_INPUT
if [ -z "${ONCEPROOF_KEY:-}" ]; then
  body="{\"event_id\":\"$(cat /proc/sys/kernel/random/uuid)\",${body#*\{}"
fi
answer=$(mktemp) # where curl can take back what came of an attempt that broke off
trap 'rm -f "$answer"' EXIT
if curl -sS --fail --noproxy '*' --max-time 10 --retry 4 --retry-max-time 90 ${MODE:+--retry-all-errors} -o "$answer" \
  -H 'Content-Type: application/json' -H "X-API-Key: ${ONCEPROOF_CREDENTIAL:-k}" --data-raw "$body" "$ONCEPROOF_URL/server-events"; then
  echo '{"outcome":"success"}'
else
  echo '{"outcome":"failure"}'
  exit 1
fi
