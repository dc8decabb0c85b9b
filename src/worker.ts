import { startWorker } from './boot/serve.ts'
import { extraArgumentText, startFailureText } from './cli/errors.ts'

const [argument] = process.argv.slice(2)
if (argument !== undefined) {
  process.stderr.write(extraArgumentText(argument, 'VERIDICT_WORKER_PORT'))
  process.exit(1)
}
startWorker(process.env).catch((error: unknown) => {
  process.stderr.write(startFailureText(error, { env: process.env, port: 'VERIDICT_WORKER_PORT' }))
  process.exit(1)
})
