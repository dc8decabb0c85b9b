import { createRequire } from 'node:module'

createRequire(import.meta.url)('../bin/compile-cache.cjs').useCompileCache()
const { startServer } = await import('./boot/service.ts')
startServer(process.env).catch(async (error: unknown) => {
  const { startFailureText } = await import('./cli/client/errors.ts')
  process.stderr.write(startFailureText(error, { env: process.env }))
  process.exit(1)
})
