import { existsSync, realpathSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { startFailureText } from '../cli/start-failure.ts'

/** Starts a module where Node.js was told to run it; through a link, it has the name that the link leads to. */
export function startIfMain(
  url: string,
  start: (env: NodeJS.ProcessEnv) => Promise<void>,
  port: 'VERIDICT_PORT' | 'VERIDICT_WORKER_PORT' = 'VERIDICT_PORT',
): void {
  const script = process.argv[1] ?? ''
  if (!existsSync(script) || url !== pathToFileURL(realpathSync(script)).href) return
  start(process.env).catch((error: unknown) => {
    process.stderr.write(startFailureText(error, { env: process.env, port }))
    process.exit(1)
  })
}
