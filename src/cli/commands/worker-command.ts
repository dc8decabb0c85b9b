import { Command } from 'commander'
import { startWorker } from '../../boot/serve.ts'
import { startFailureText } from '../errors.ts'
import type { Shell } from '../shell.ts'

const WORKER_HELP = `
Grades the batches of services that share a PostgreSQL: start any number of workers, on any number of machines, with the
VERIDICT_DATABASE_URL, VERIDICT_CONFIG (judges) and API keys of the services. A worker takes chunks of at most 16 items from the open
batches; other workers go on with the items of a worker that stopped or died. Post and follow batches at a service. One machine needs
no worker: \`veridict serve\` grades batches too, unless VERIDICT_WORKER=off (or serve --no-worker).

VERIDICT_WORKER_PORT=9464   the port of /healthz, /readyz and /metrics (on VERIDICT_HOST, 127.0.0.1 by default); no port by default
SIGTERM                     returns the items that have not begun, waits for calls in flight (25 s), exits 0
workers.most_in_flight      in VERIDICT_CONFIG: most items of a judge in work at once in a worker; no bound by default

Exit codes: 0 stopped; 1 the worker cannot start, or did not stop cleanly.

Examples:
  export VERIDICT_DATABASE_URL=postgres://veridict@db.example/veridict
  veridict worker
  VERIDICT_WORKER=off veridict serve &  veridict worker &  veridict worker &`

export const worker = (shell: Shell): Command =>
  new Command('worker')
    .description('work on the batches of services that share a PostgreSQL; SIGTERM drains and stops it')
    .addHelpText('after', WORKER_HELP)
    .action(() =>
      startWorker(shell.env).catch((error: unknown) => {
        shell.err.write(startFailureText(error, { ...shell, port: 'VERIDICT_WORKER_PORT' }))
        shell.exit(1)
      }),
    )
