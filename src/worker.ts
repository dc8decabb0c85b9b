import { startWorker } from './boot/worker.ts'
import { startFailureText } from './cli/client/errors.ts'

startWorker(process.env).catch((error: unknown) => {
  process.stderr.write(startFailureText(error, { env: process.env, port: 'VERIDICT_WORKER_PORT' }))
  process.exit(1)
})
