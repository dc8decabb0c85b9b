import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { buildApp } from './app.ts'
import { loadConfig } from './config/config.ts'
import { buildContext } from './context.ts'

/** How long a stop waits for what is in flight; a judge call that is still out then is found as interrupted at the next start. */
const DRAIN_MS = 25_000

/** Builds everything, listens, and stops cleanly on SIGTERM or SIGINT: a second signal stops at once. */
export async function startServer(env: NodeJS.ProcessEnv): Promise<void> {
  const { config, secrets } = loadConfig(env, (path) => readFileSync(path, 'utf8'))
  const context = await buildContext({ config, secrets })
  const { http, state } = await buildApp(context, { logger: { level: config.log_level } })
  const stop = () => {
    if (state.draining) process.exit(1)
    state.draining = true
    http.log.info('stopping: waiting for what is in flight')
    const deadline = setTimeout(() => process.exit(1), DRAIN_MS)
    http
      .close()
      .then(() => context.close())
      .then(() => {
        clearTimeout(deadline)
        process.exit(0)
      })
      .catch((error: unknown) => {
        http.log.error({ err: error }, 'could not stop cleanly')
        process.exit(1)
      })
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  await http.listen({ host: config.host, port: config.port })
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  startServer(process.env).catch((error: unknown) => {
    process.stderr.write(`veridict cannot start: ${(error as Error).message}\n`)
    process.exit(1)
  })
}
