import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { Namespace } from '../../test/storage/postgres-server.ts'
import { UsageError } from '../../tools/command-line.ts'

/** The place of a process in a network namespace of its own. */
export interface Place {
  readonly namespace: string
  /** The played provider, as the namespace sees it. */
  readonly provider: string
}

/** Two networks of this machine, the first for PostgreSQL and the second for the provider, and namespaces that are linked to both. */
export interface Network {
  /** The address of this machine in the second network. */
  readonly provider: string
  /** Makes a namespace; returns its name and its address in the first network. */
  add(): Namespace
  /** Cuts a namespace from the network of PostgreSQL, or joins it again: packets are lost without an answer. */
  cut(namespace: string): void
  join(namespace: string): void
  remove(): void
}

const ip = (...args: string[]): void => void execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'pipe'] })

/** Makes both networks. Throws where this machine or user may not. */
export function makeNetwork(): Network {
  // Interfaces have at most 15 characters.
  const name = (word: string) => `vd${process.pid % 1_000_000}${word}`
  const subnet = `10.${100 + (process.pid % 100)}`
  const nets = [1, 2].map((net) => ({ bridge: name(`br${net}`), base: `${subnet}.${net}` }))
  const namespaces: string[] = []
  const links: string[] = []
  const link = (namespace: string, net: number) => `${namespace}h${net}`
  const remove = () => {
    // A process that still runs keeps its namespace alive, but not the links.
    for (const name of [...links.splice(0), ...nets.splice(0).map(({ bridge }) => bridge)])
      tryTo(() => ip('link', 'del', name))
    for (const namespace of namespaces.splice(0)) tryTo(() => ip('netns', 'del', namespace))
    process.off('exit', remove)
  }
  try {
    for (const { bridge, base } of nets) {
      ip('link', 'add', bridge, 'type', 'bridge')
      ip('addr', 'add', `${base}.1/24`, 'dev', bridge)
      ip('link', 'set', bridge, 'up')
    }
  } catch (error) {
    const why = (error as { stderr?: Buffer }).stderr?.toString().trim() ?? (error as Error).message
    remove()
    throw new UsageError(`network namespaces cannot be made here (run it as root, on Linux, with iproute2): ${why}`)
  }
  // Also where the process ends by process.exit.
  process.on('exit', remove)
  return {
    provider: `${subnet}.2.1`,
    add() {
      const namespace = name(`n${namespaces.length}`)
      const host = namespaces.length + 2
      ip('netns', 'add', namespace)
      namespaces.push(namespace)
      const inside = (...args: string[]) => ip('-n', namespace, ...args)
      for (const [at, { bridge, base }] of nets.entries()) {
        const [outer, inner] = [link(namespace, at), `eth${at}`]
        ip('link', 'add', outer, 'type', 'veth', 'peer', 'name', inner, 'netns', namespace)
        links.push(outer)
        ip('link', 'set', outer, 'master', bridge, 'up')
        inside('addr', 'add', `${base}.${host}/24`, 'dev', inner)
        inside('link', 'set', inner, 'up')
      }
      inside('link', 'set', 'lo', 'up')
      return { name: namespace, address: `${subnet}.1.${host}` }
    },
    cut: (namespace) => ip('link', 'set', link(namespace, 0), 'down'),
    join: (namespace) => ip('link', 'set', link(namespace, 0), 'up'),
    remove,
  }
}

function tryTo(work: () => void): void {
  try {
    work()
  } catch {
    // Nothing is left to be removed.
  }
}

/** Passes connections to an address of this machine on to a port of loopback. */
export async function forward(host: string, port: number): Promise<{ readonly origin: string; close(): void }> {
  const server = createServer((client) => {
    const target = connect(port, '127.0.0.1')
    for (const socket of [client, target])
      socket
        .on('error', () => socket.destroy())
        .on('close', () => [client, target].forEach((one) => void one.destroy()))
    client.pipe(target).pipe(client)
  }).listen(0, host)
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the forwarding has no port')
  return { origin: `http://${host}:${address.port}`, close: () => void server.close().unref() }
}
