import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'

/** A wire to the server that can be cut at a commit, or fall silent. */
export interface Wire {
  readonly port: number
  /** The next COMMIT is lost on its way, or its answer is. */
  cutNext(what: 'request' | 'answer'): void
  /** From now on connections stay open, and nothing comes any more. */
  fallSilent(): void
  close(): void
}

export async function openWire(port: number): Promise<Wire> {
  let cut: 'request' | 'answer' | null = null
  let isSilent = false
  const server = createServer((client) => {
    if (isSilent) return
    const upstream = connect(port, '127.0.0.1')
    let isDeaf = false
    const end = () => {
      client.destroy()
      upstream.destroy()
    }
    client.on('data', (chunk) => {
      const wanted = chunk.includes('COMMIT\0') ? cut : null
      if (wanted !== null) cut = null
      if (wanted === 'request') return end()
      if (wanted === 'answer') isDeaf = true
      if (!isSilent) upstream.write(chunk)
    })
    upstream.on('data', (chunk) => (isDeaf ? end() : void (isSilent || client.write(chunk))))
    for (const socket of [client, upstream]) socket.on('error', end).on('close', end)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    cutNext(what) {
      cut = what
    },
    fallSilent() {
      isSilent = true
    },
    close: () => void server.close(),
  }
}
