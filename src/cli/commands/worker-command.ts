import { Command } from 'commander'
import { startWorker } from '../../boot/worker.ts'
import { startFailureText } from '../client/errors.ts'
import type { Shell } from '../client/shell.ts'

const WORKER_HELP = `
Works on the batches of services that share a PostgreSQL: start as many as you like, on as many machines. Each takes slices of
16 items from whatever batches there are and grades them; what one leaves, because it was stopped or died, others go on with.
Nothing is sent to it and it answers nobody: batches are posted to a service, and followed there.

Start it with the configuration of the services: the same VERIDICT_DATABASE_URL, VERIDICT_CONFIG (judges) and API keys. On one
machine it needs no worker: \`veridict serve\` works too, unless VERIDICT_WORKER=off (or serve --no-worker).

VERIDICT_WORKER_PORT=9464   answers /healthz, /readyz and /metrics there (on VERIDICT_HOST, 127.0.0.1 by default); none by default
SIGTERM                     begins nothing more, gives back what it has not begun, waits for calls in flight (25 s), exits 0
workers.lease_seconds       in VERIDICT_CONFIG: how long a worker may say nothing until others take over its work; 30 by default

Exit codes: 0 stopped; 1 it cannot start, or did not stop cleanly.

Examples:
  export VERIDICT_DATABASE_URL=postgres://veridict@db.example/veridict
  veridict worker
  VERIDICT_WORKER=off veridict serve &  veridict worker &  veridict worker &`

export const workerCommand = (shell: Shell): Command =>
  new Command('worker')
    .description('work on the batches of services that share a PostgreSQL; SIGTERM drains and stops it')
    .addHelpText('after', WORKER_HELP)
    .action(() =>
      startWorker(shell.env).catch((error: unknown) => {
        shell.err.write(startFailureText(error, { ...shell, port: 'VERIDICT_WORKER_PORT' }))
        shell.exit(1)
      }),
    )
