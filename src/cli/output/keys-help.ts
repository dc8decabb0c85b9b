const WHERE = `Where: the database VERIDICT_DATABASE (or VERIDICT_DATABASE_URL), beside a service that runs on it or without one. It holds from the next request on.`

export const KEYS_HELP = `
A key says who asks. A service that listens on loopback needs none (VERIDICT_ACCESS=on changes that); everywhere else
every request needs one. A key opens one project: grades, batches and reviews of other projects do not exist for it.

${WHERE}

Examples:
  veridict keys create ci --project evals --scopes grade,read --expires 90d --max-cost-usd-per-day 20
  veridict keys list
  veridict keys revoke key_0123456789abcdef`

export const CREATE_HELP = `
Scopes: read (grades, batches, reports), grade (grade, upload, begin and steer batches), review (write human labels),
admin (all of them, and /metrics).
The key alone goes to stdout, all else to stderr. It cannot be shown again: a lost one is revoked and another is made.

${WHERE}

Exit codes: 0 made; 1 bad usage, or the database cannot be used.

Examples:
  export VERIDICT_API_KEY=$(veridict keys create laptop)
  veridict keys create ci --project evals --scopes grade,read --expires 90d --max-cost-usd-per-day 20 -o json`

export const LIST_HELP = `
Revoked and expired keys stay in the list. \`last used\` is exact to a minute.

${WHERE}

Exit codes: 0 listed; 1 the database cannot be used.

Example:
  veridict keys list -o json | jq -r 'select(.state == "good") | .id'`

export const REVOKE_HELP = `
Requests with it are answered 401 from now on, and browsers that signed in with it are signed out. What it has graded
stays, and batches that it began go on: \`veridict cancel BATCH\` ends one.

${WHERE}

Exit codes: 0 revoked, or it was before; 1 no such key.

Example:
  veridict keys revoke key_0123456789abcdef`
