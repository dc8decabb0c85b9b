import { createRequire } from 'node:module'

createRequire(import.meta.url)('../bin/compile-cache.cjs').useCompileCache()
const [argument] = process.argv.slice(2)
if (argument !== undefined) {
  const { extraArgumentText } = await import('./cli/errors.ts')
  process.stderr.write(extraArgumentText(argument, 'VERIDICT_PORT'))
  process.exit(1)
}
const { startServer } = await import('./boot/serve.ts')
startServer(process.env).catch(async (error: unknown) => {
  const { startFailureText } = await import('./cli/errors.ts')
  process.stderr.write(startFailureText(error, { env: process.env }))
  process.exit(1)
})
