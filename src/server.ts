import { createRequire } from 'node:module'

createRequire(import.meta.url)('../bin/compile-cache.cjs').useCompileCache()
const [argument] = process.argv.slice(2)
const { extraArgumentText, startFailureText } = await import('./cli/shell.ts')
if (argument !== undefined) {
  process.stderr.write(extraArgumentText(argument))
  process.exit(1)
}
const { startServer } = await import('./boot/serve.ts')
startServer(process.env).catch((error: unknown) => {
  process.stderr.write(startFailureText(error, { env: process.env }))
  process.exit(1)
})
