/**
 * Loaded by `--import` into a process of the product, before any of its code: counts the points of `fault-plan.ts` and plays the
 * fault of the plan at one of them. The product knows nothing of it.
 */
import { subscribe } from 'node:diagnostics_channel'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { Server } from 'node:net'
import { isMainThread } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { type Act, type FaultPlan, isOpenTo, PLAN_VARIABLE, type Point } from './fault-plan.ts'

/** Tells of a point; answers the error that is to come instead of the work. */
type Meet = (kind: Point['kind'], phase: Point['phase'], what: string) => Act | null

function install(plan: FaultPlan): void {
  const meet = createMeet(plan)
  wrapDatabase(meet)
  wrapFiles(meet)
  listenToProviders(meet)
}

function createMeet(plan: FaultPlan): Meet {
  const log = fs.openSync(plan.log, 'a')
  const write = fs.writeSync
  let armed = plan.from === 'start'
  let n = 0
  if (!armed) whenListening(() => (armed = true))
  return (kind, phase, what) => {
    if (!armed) return null
    const point: Point = { n: ++n, kind, phase, what }
    write(log, `${JSON.stringify(point)}\n`)
    if (n !== plan.at || !isOpenTo(plan.act, point)) return null
    // The signal is there before this call returns.
    if (plan.act === 'kill') process.kill(process.pid, 'SIGKILL')
    return plan.act === 'none' ? null : plan.act
  }
}

function whenListening(then: () => void): void {
  const listen = Server.prototype.listen
  Server.prototype.listen = function (this: Server, ...args: unknown[]) {
    this.once('listening', then)
    return Reflect.apply(listen, this, args) as Server
  } as typeof listen
}

interface NativeStatement {
  readonly source: string
  readonly readonly: boolean
  readonly database: Database.Database
}

const CODES: Readonly<Record<'full' | 'ioerr' | 'busy', readonly [code: string, message: string]>> = {
  full: ['SQLITE_FULL', 'database or disk is full'],
  ioerr: ['SQLITE_IOERR_WRITE', 'disk I/O error'],
  busy: ['SQLITE_BUSY', 'database is locked'],
}

function wrapDatabase(meet: Meet): void {
  const probe = new Database(':memory:')
  const statement = Object.getPrototypeOf(probe.prepare('SELECT 1')) as Record<string, (...args: unknown[]) => unknown>
  probe.close()
  for (const name of ['run', 'get', 'all'] as const) {
    const real = statement[name]
    if (real === undefined) throw new Error(`better-sqlite3 has no ${name} any more`)
    statement[name] = function (this: NativeStatement, ...args: unknown[]) {
      const kind = kindOf(this)
      if (kind === null) return Reflect.apply(real, this, args)
      const what = firstWords(this.source)
      refuse(this.database, meet(kind, 'before', what))
      const result = Reflect.apply(real, this, args)
      meet(kind, 'after', what)
      return result
    }
  }
  wrapExec()
}

/** A script statement by statement: a process can be hit in the middle of a migration. */
function wrapExec(): void {
  const exec = Database.prototype.exec
  Database.prototype.exec = function (this: Database.Database, sql: string) {
    let rest = sql
    for (let at = rest.indexOf(';'); at >= 0; ) {
      const first = prepareWhole(this, rest.slice(0, at + 1))
      if (first === null) at = rest.indexOf(';', at + 1)
      else {
        first.run()
        rest = rest.slice(at + 1)
        at = rest.indexOf(';')
      }
    }
    // Transactions are begun and ended by statements without a semicolon.
    const last = rest.trim() === '' ? null : prepareWhole(this, rest)
    if (last === null || last.reader) return exec.call(this, rest)
    last.run()
    return this
  }
}

/** Null: the statement goes on after this semicolon, as that of a trigger does. */
function prepareWhole(db: Database.Database, sql: string): Database.Statement | null {
  try {
    return db.prepare(sql)
  } catch (error) {
    if (/incomplete input|unrecognized token|no statements/.test((error as Error).message)) return null
    throw error
  }
}

function kindOf({ source, readonly }: NativeStatement): Point['kind'] | null {
  if (/^\s*BEGIN/i.test(source)) return 'begin'
  if (/^\s*(COMMIT|RELEASE)/i.test(source)) return 'commit'
  if (/^\s*(ROLLBACK|SAVEPOINT)/i.test(source)) return null
  return readonly ? null : 'statement'
}

const firstWords = (sql: string): string =>
  sql
    .replaceAll(/--.*$/gm, '')
    .trim()
    .split(/[\s(]+/, 5)
    .join(' ')
    .replaceAll(/[^\w .;]/g, '')

/** SQLite gives up the whole transaction where the disk fails it. */
function refuse(db: Database.Database, act: Act | null): void {
  if (act !== 'full' && act !== 'ioerr' && act !== 'busy') return
  if (act !== 'busy' && db.inTransaction) db.prepare('ROLLBACK').run()
  const [code, message] = CODES[act]
  throw new Database.SqliteError(message, code)
}

/** Calls of the file system that change something; those of standard output and error are the log’s. */
const FILE_CALLS = ['mkdir', 'mkdtemp', 'open', 'rename', 'rm', 'writeFile'] as const

function wrapFiles(meet: Meet): void {
  const promises = fs.promises as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>
  for (const name of FILE_CALLS) {
    const real = promises[name]
    if (real === undefined) throw new Error(`node:fs/promises has no ${name} any more`)
    promises[name] = async (...args) => {
      if (name === 'open' && !isWrite(args[1])) return Reflect.apply(real, promises, args)
      failFile(meet('file', 'before', name))
      const result = await Reflect.apply(real, promises, args)
      meet('file', 'after', name)
      if (name === 'open') wrapHandle(meet, result as fs.promises.FileHandle)
      return result
    }
  }
  const callbacks = fs as unknown as Record<string, (...args: unknown[]) => unknown>
  for (const name of ['write', 'writev'] as const) {
    const real = callbacks[name]
    callbacks[name] = (...args) => {
      if (typeof args[0] === 'number' && args[0] > 2) {
        const error = fileError(meet('file', 'before', name))
        if (error !== null) return void setImmediate(() => (args.at(-1) as (error: Error) => void)(error))
      }
      return Reflect.apply(real as () => unknown, fs, args)
    }
  }
  syncBuiltinESMExports()
}

function wrapHandle(meet: Meet, handle: fs.promises.FileHandle): void {
  const write = handle.writeFile
  handle.writeFile = async (...args) => {
    failFile(meet('file', 'before', 'writeFile of a handle'))
    await Reflect.apply(write, handle, args)
    meet('file', 'after', 'writeFile of a handle')
  }
}

const isWrite = (flags: unknown): boolean => typeof flags === 'string' && flags !== 'r'

function fileError(act: Act | null): Error | null {
  if (act !== 'full' && act !== 'ioerr') return null
  const code = act === 'full' ? 'ENOSPC' : 'EIO'
  return Object.assign(new Error(`${code}: injected`), { code })
}

function failFile(act: Act | null): void {
  const error = fileError(act)
  if (error !== null) throw error
}

/** What undici, the one of the package and that of Node alike, tells of a request. */
function listenToProviders(meet: Meet): void {
  subscribe('undici:request:create', () => void meet('http', 'before', 'request is sent'))
  subscribe('undici:request:bodySent', () => void meet('http', 'after', 'request is sent'))
  subscribe('undici:request:headers', () => void meet('http', 'after', 'answer begins'))
  subscribe('undici:request:trailers', () => void meet('http', 'after', 'answer is there'))
}

const given = process.env[PLAN_VARIABLE]
delete process.env[PLAN_VARIABLE]
if (given !== undefined && isMainThread) install(JSON.parse(given) as FaultPlan)
