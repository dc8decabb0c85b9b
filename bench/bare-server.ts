import type { AddressInfo } from 'node:net'
import fastify from 'fastify'

/** The ceiling: a Fastify route that parses the same body with the default parser and answers 1 KB. */
const app = fastify({ bodyLimit: 64 * 1024 * 1024 })
const answer = { answer: 'x'.repeat(1000) }
app.post('/', () => answer)
await app.listen({ port: 0, host: '127.0.0.1' })
console.log(
  JSON.stringify({ msg: `Server listening at http://127.0.0.1:${(app.server.address() as AddressInfo).port}` }),
)
process.on('SIGTERM', () => void app.close().then(() => process.exit(0)))
